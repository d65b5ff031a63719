import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, test } from "vitest";
import { LogLockedError, openLog } from "../../src/log/index.ts";
import { temporaryDirectory } from "./directories.ts";
import { user } from "./drafts.ts";

const directory = temporaryDirectory();
let files = 0;
const newPath = (): string => join(directory, String(files++), "s.jsonl");

interface Holder {
  process: ChildProcess;
  pid: number;
  /** What it said first: `open`, or the error. */
  said: string;
}

const started: ChildProcess[] = [];

async function holder(path: string): Promise<Holder> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "lock-holder.ts"), path], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  started.push(child);
  const [said] = (await once(createInterface(child.stdout), "line")) as [string];
  return { process: child, pid: child.pid as number, said };
}

async function ended({ process }: Holder): Promise<void> {
  if (process.exitCode === null && process.signalCode === null) await once(process, "exit");
}

afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** The id of a process that has ended. */
async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  return child.pid as number;
}

describe("one writer", () => {
  test("while a process has the file open, a second writer gets an error that names it, and a reader reads", async () => {
    const path = newPath();
    const first = await holder(path);
    expect(first.said).toBe("open");

    const error: unknown = await openLog(path).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(LogLockedError);
    expect(error).toMatchObject({ path, holder: { pid: first.pid, host: hostname() } });
    expect((error as Error).message).toBe(
      `${path} is in use by process ${first.pid} on this host. Wait until it ends, or open the session read-only.`,
    );
    const reader = await openLog(path, { readOnly: true });
    expect(reader.entries).toMatchObject([{ message: { content: `from ${first.pid}` } }]);
    expect(reader.diagnostics).toEqual([]);
  });

  test("after a kill of the holder the next one takes over at once", async () => {
    const path = newPath();
    const first = await holder(path);
    first.process.kill("SIGKILL");
    await ended(first);
    expect(existsSync(`${path}.lock`)).toBe(true);
    const log = await openLog(path);
    log.append(user("mine"));
    expect(log.entries).toHaveLength(2);
    await log.close();
    expect(readdirSync(dirname(path))).toEqual(["s.jsonl"]);
  });

  test("a holder that closes leaves no lock behind", async () => {
    const path = newPath();
    const first = await holder(path);
    first.process.stdin?.end();
    await ended(first);
    expect(readdirSync(dirname(path))).toEqual(["s.jsonl"]);
  });

  test("of many processes that find a dead holder's lock at the same time, exactly one gets it", async () => {
    const path = newPath();
    const first = await holder(path);
    first.process.kill("SIGKILL");
    await ended(first);
    const rivals = await Promise.all(Array.from({ length: 5 }, () => holder(path)));
    expect(rivals.filter(({ said }) => said === "open")).toHaveLength(1);
    const winner = rivals.find(({ said }) => said === "open") as Holder;
    for (const rival of rivals) {
      if (rival !== winner)
        expect(rival.said).toContain(`LogLockedError: ${path} is in use by process ${winner.pid} on this host.`);
    }
  });
});

describe("the lock file", () => {
  /** The path of a session file whose lock file says this. */
  function locked(content: object | string): string {
    const path = join(directory, `${files++}.jsonl`);
    writeFileSync(`${path}.lock`, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  }

  const filesOf = (path: string): string[] => readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)));

  test("says who holds it", async () => {
    const log = await openLog(newPath());
    expect(JSON.parse(readFileSync(`${log.path}.lock`, "utf8"))).toEqual({
      pid: process.pid,
      host: hostname(),
      started: expect.any(String) as string,
      token: expect.any(String) as string,
    });
    await log.close();
  });

  test("of a process that has ended is replaced", async () => {
    const path = locked({ pid: await deadProcess(), host: hostname(), started: "x/1", token: "t" });
    await (await openLog(path)).close();
    expect(filesOf(path)).toEqual([]);
  });

  test("of another process that had the same id earlier is replaced", async () => {
    const path = locked({ pid: process.ppid, host: hostname(), started: "another boot/1", token: "t" });
    await (await openLog(path)).close();
  });

  test("without a start time is respected as long as a process has its id", async () => {
    const path = locked({ pid: process.ppid, host: hostname(), token: "t" });
    await expect(openLog(path)).rejects.toThrow(`is in use by process ${process.ppid} on this host`);
  });

  test("of another host is respected, with what to do about it", async () => {
    const path = locked({ pid: 1, host: "elsewhere", token: "t" });
    await expect(openLog(path)).rejects.toThrow(
      `${path} is in use by process 1 on the host "elsewhere". If that process has ended, delete ${path}.lock.`,
    );
  });

  test("that is not readable is being written, unless it is old", async () => {
    const path = locked("{");
    await expect(openLog(path)).rejects.toThrow(expect.objectContaining({ name: "LogLockedError", holder: undefined }));
    utimesSync(`${path}.lock`, 0, 0);
    await (await openLog(path)).close();
    expect(filesOf(path)).toEqual([]);
  });

  test("of a process that died while it took a dead one's place is replaced as well", async () => {
    const pid = await deadProcess();
    const path = locked({ pid, host: hostname(), token: "first" });
    writeFileSync(`${path}.lock.first`, JSON.stringify({ pid, host: hostname(), token: "second" }));
    await (await openLog(path)).close();
    expect(filesOf(path)).toEqual([]);
  });

  test("of a dead process that a living one is about to replace is left to that one", async () => {
    const path = locked({ pid: await deadProcess(), host: hostname(), token: "first" });
    writeFileSync(`${path}.lock.first`, JSON.stringify({ pid: process.ppid, host: hostname(), token: "second" }));
    await expect(openLog(path)).rejects.toThrow(
      expect.objectContaining({ name: "LogLockedError", holder: expect.objectContaining({ pid: process.ppid }) as object }),
    );
    expect(filesOf(path).toSorted()).toEqual([`${basename(path)}.lock`, `${basename(path)}.lock.first`]);
  });
});
