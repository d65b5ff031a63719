/** Appends to a session file for as long as it lives, and says the number of each entry once it is appended. */
import { writeSync } from "node:fs";
import { openLog } from "../../src/log/index.ts";
import { omit, reply, user } from "./drafts.ts";

const [path = ""] = process.argv.slice(2);
const log = await openLog(path);
for (;;) {
  const before = log.entries.length;
  if (before % 5 === 0)
    log.appendAll([reply("half ".repeat(4000), { stopReason: "error", id: `e${before}` }), omit(`e${before}`)]);
  else log.append(user("x".repeat((before * 37) % 5000)));
  writeSync(1, `${log.entries.length}\n`);
}
