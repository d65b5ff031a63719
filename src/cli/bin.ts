#!/usr/bin/env node
// Nothing newer than Node 20 knows may stand here, or in what is imported statically: an older Node has to get as far as its one line.
import { versionProblem } from "./node-version.ts";

const problem = versionProblem(process.version);
if (problem === undefined) {
  const [{ main }, { processIo }] = await Promise.all([import("./main.ts"), import("./process-io.ts")]);
  await main(process.argv.slice(2), processIo());
} else {
  console.error(problem);
  process.exitCode = 2;
}
