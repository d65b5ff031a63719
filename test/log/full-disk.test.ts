import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openLog } from "../../src/log/index.ts";
import { temporaryDirectory } from "./directories.ts";

interface Report {
  name: string;
  kind: string;
  code: string;
  message: string;
  atLimit: { entries: number; text: string };
  lifted: boolean;
  entries: number;
}

const hasPrlimit = existsSync("/usr/bin/prlimit");

test.skipIf(!hasPrlimit)(
  "when the system refuses to write in the middle of a record, no half of it stays, and later it goes on",
  async () => {
    const path = join(temporaryDirectory(), "s.jsonl");
    const script = join(import.meta.dirname, "full-disk-child.ts");
    // 2 blocks of 1024 bytes; the soft limit only, so that it can be lifted.
    const { stdout, status } = spawnSync("bash", ["-c", 'ulimit -S -f 2; exec "$0" "$@"', process.execPath, script, path], {
      encoding: "utf8",
    });
    expect(status).toBe(0);
    const report = JSON.parse(stdout) as Report;
    expect(report).toMatchObject({ name: "LogError", kind: "write", code: "EFBIG", lifted: true });
    expect(report.message).toContain(`The session file ${path} could not be written: EFBIG`);

    const { entries, text } = report.atLimit;
    expect(entries).toBeGreaterThan(0);
    expect(text.endsWith("\n")).toBe(true);
    expect(text.trim().split("\n")).toHaveLength(entries + 1);

    const log = await openLog(path);
    expect(log.diagnostics).toEqual([]);
    expect(log.entries).toHaveLength(entries + 1);
    expect(log.projection.messages().at(-1)?.content).toBe("and on");
    await log.close();
  },
);
