/**
 * A process whose files may not grow beyond a limit set before it started: the system itself refuses to write, in the middle of a
 * record. Says as JSON what became of it; when the limit is lifted, which this process does itself, it goes on.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { LogError, openLog } from "../../src/log/index.ts";
import { user } from "./drafts.ts";

// Without a listener the signal that tells of the limit would end the process.
process.on("SIGXFSZ", () => {});

const [path = ""] = process.argv.slice(2);
const log = await openLog(path);
let error: LogError | undefined;
while (error === undefined) {
  try {
    log.append(user("x".repeat(300)));
  } catch (reason) {
    if (!(reason instanceof LogError)) throw reason;
    error = reason;
  }
}
const { name, kind, code, message } = error;
const atLimit = { entries: log.entries.length, text: readFileSync(path, "utf8") };
const lifted = spawnSync("prlimit", ["--pid", String(process.pid), "--fsize=unlimited"]).status === 0;
if (lifted) log.append(user("and on"));
await log.close();
process.stdout.write(JSON.stringify({ name, kind, code, message, atLimit, lifted, entries: log.entries.length }));
