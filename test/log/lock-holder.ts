/** A process of its own that opens a session file and says how that went; it stops when its standard input ends. */
import { openLog } from "../../src/log/index.ts";

const [path = ""] = process.argv.slice(2);
try {
  const log = await openLog(path);
  log.append({ type: "message", message: { role: "user", content: `from ${process.pid}`, timestamp: 1 } });
  process.stdout.write("open\n");
  process.stdin.resume().once("end", () => void log.close());
} catch (error) {
  process.stdout.write(`${String(error)}\n`);
}
