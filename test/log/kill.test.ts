import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isFailedReply, openLog } from "../../src/log/index.ts";
import { temporaryDirectory } from "./directories.ts";

/** Kills a process that appends after it has appended this many entries; the number of the last one it told of. */
async function killAfter(path: string, entries: number): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "append-until-killed.ts"), path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let told = "";
  let first = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    told += text;
    first ||= Number(told.slice(0, told.indexOf("\n")));
    if (Number(told.trimEnd().split("\n").at(-1)) - first >= entries) child.kill("SIGKILL");
  });
  await once(child, "close");
  return Number(told.slice(0, told.lastIndexOf("\n")).split("\n").at(-1));
}

test("a writer that is killed at any moment has lost nothing it had appended, and the next one goes on at once", async () => {
  const path = join(temporaryDirectory(), "s.jsonl");
  for (const entries of [1, 40, 7, 300, 90, 23]) {
    const appended = await killAfter(path, entries);
    const log = await openLog(path);
    expect(log.entries.length).toBeGreaterThanOrEqual(appended);
    expect(log.diagnostics.filter(({ kind }) => kind !== "torn_tail")).toEqual([]);
    // What was appended together is there together.
    const edited = new Set(log.entries.map((entry) => (entry.type === "context_edit" ? entry.targetId : "")));
    const failed = log.entries.filter((entry) => entry.type === "message" && isFailedReply(entry.message));
    expect(failed.length).toBeGreaterThan(0);
    for (const { id } of failed) expect(edited).toContain(id);
    await log.close();
  }
});
