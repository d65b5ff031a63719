/**
 * Measures what the design promises, each figure beside a bare hand-written loop on the same scripted model.
 * `npm run bench` runs all; `npm run bench -- session` one group.
 */
import { cpus } from "node:os";
import { printRows, type Row } from "./row.ts";

const groups: Record<string, () => Promise<Row[]>> = {
  session: async () => (await import("./session.ts")).sessionRows(),
  stream: async () => (await import("./stream.ts")).streamRows(),
  errors: async () => (await import("./errors.ts")).errorRows(),
  log: async () => (await import("./log.ts")).logRows(),
  inspector: async () => (await import("./inspector.ts")).inspectorRows(),
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in groups));
if (unknown.length > 0) {
  console.error(`There is no group ${unknown.join(", ")}. The groups are ${Object.keys(groups).join(", ")}.`);
  process.exit(2);
}
console.log(`node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}`);
for (const [name, rows] of Object.entries(groups)) {
  if (asked.length === 0 || asked.includes(name)) printRows(name, await rows());
}
