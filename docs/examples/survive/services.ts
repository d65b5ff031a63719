import { defineTool } from "../../../src/index.ts";

/** The services of the story, in the order their logs are read. */
export const services = ["checkout", "payments", "search"];

/** A tool as an application has it: a name, a schema, and code that runs. */
export const readLog = defineTool<{ service: string }>({
  name: "read_log",
  description: "Reads last night's log of a service.",
  parameters: {
    type: "object",
    properties: { service: { enum: services } },
    required: ["service"],
  },
  execute: ({ service }) => logOf(service).join("\n"),
});

/** About 3000 tokens of log: three of them are more than the mock model's window. */
function logOf(service: string): string[] {
  return Array.from({ length: 180 }, (_, minute) => {
    const time = `${String(1 + Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
    return `${time} ${service} ${lineOf(service, time)}`;
  });
}

function lineOf(service: string, time: string): string {
  const outage = time >= "03:12" && time <= "03:27";
  if (service === "payments" && outage) return "ERROR no free database connection (pool of 20 exhausted)";
  if (service === "checkout" && outage) return "WARN  call to payments timed out after 5000 ms, will retry";
  return "INFO  120 requests served, median 41 ms, p99 210 ms";
}
