import { faults } from "../../src/testing/fault-server.ts";
import type { FaultExample, FaultReply, Meaning } from "../../src/testing/fault-server.ts";
import type { Adapter } from "./adapters.ts";

/** What the model says, and whether the request declares a tool. */
export interface Mode {
  name: "raw" | "with tools";
  reply: FaultReply;
}

export const modes: readonly Mode[] = [
  { name: "raw", reply: { text: "I will delete the old files now, one by one." } },
  {
    name: "with tools",
    reply: {
      thinking: "The old files have to go.",
      text: "I will delete the old files now.",
      toolCalls: [{ name: "delete_files", arguments: { path: "build/old", recursive: true } }],
    },
  },
];

/** Kinds of failure that the same request may not meet again. */
export const RETRIED: ReadonlySet<Meaning> = new Set([
  "overloaded",
  "rate_limited",
  "server_error",
  "timeout",
  "network",
  "stream_interrupted",
]);

/** One step of the fault server, as one adapter meets it. */
export interface Case {
  adapter: Adapter;
  mode: Mode;
  example: FaultExample;
  step: string;
  means: readonly Meaning[];
}

/** Every example of every fault that the adapter's format has. */
export function casesOf(adapter: Adapter, mode: Mode): Case[] {
  return Object.values(faults).flatMap((fault) =>
    fault.examples
      .filter((example) => (example.formats ?? fault.formats).includes(adapter.format))
      .map((example) => {
        const means = adapter.means?.(example) ?? example.meansIn?.[adapter.format] ?? example.means;
        return { adapter, mode, example, step: example.step, means };
      }),
  );
}
