#!/usr/bin/env node
// Nothing newer than Node 20 knows may stand here, or in what is imported statically: an older Node has to get as far as its one line.
import { versionProblem } from "./node-version.ts";

const problem = versionProblem(process.version);
if (problem === undefined) {
  // Code of tools runs in this process. A promise it forgot must not end an unattended session; it is told.
  process.on("unhandledRejection", (reason) => {
    console.error(
      `a promise was rejected, and nobody handled it: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`,
    );
  });
  const [{ main }, { processIo }] = await Promise.all([import("./main.ts"), import("./process-io.ts")]);
  await main(process.argv.slice(2), processIo());
} else {
  console.error(problem);
  process.exitCode = 2;
}
