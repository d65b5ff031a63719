import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  createFileLog,
  createMemoryLog,
  forkLog,
  listSessions,
  openLog,
  projectDirectory,
  repairSession,
  sessionsDirectory,
} from "../../src/log/index.ts";
import { temporaryDirectory } from "./directories.ts";
import { compaction, omit, reply, user } from "./drafts.ts";

describe("a fork", () => {
  test("has the branch up to the entry, its labels, and where it comes from; the source stays", async () => {
    const directory = temporaryDirectory();
    const source = await createFileLog(directory, { cwd: "/project" });
    source.appendAll([user("a", "a"), reply("b", { id: "b" }), user("c", "c")]);
    source.append({ type: "label", targetId: "a", label: "start" });
    source.append({ type: "label", targetId: "c", label: "not copied" });
    const before = readFileSync(source.path as string, "utf8");

    const fork = await forkLog(source, "b", { directory });
    expect(fork.header).toMatchObject({ parentSession: source.path, cwd: "/project" });
    expect(fork.header.id).not.toBe(source.header.id);
    expect(fork.projection.items).toEqual(source.projection.items.slice(0, 2));
    expect([...fork.labels]).toEqual([["a", "start"]]);
    fork.append(user("elsewhere"));
    expect(readFileSync(source.path as string, "utf8")).toBe(before);
    await fork.close();
    await source.close();
    const again = await openLog(fork.path as string);
    expect(again.entries).toEqual(fork.entries);
    await again.close();
  });

  test("keeps what edits and compactions did, and may live in memory", async () => {
    const source = createMemoryLog({ id: "source" });
    source.appendAll([user("a", "a"), user("b", "b"), omit("a"), compaction("S", "a"), user("c", "c")]);
    const fork = await forkLog(source, "c");
    expect(fork.path).toBeUndefined();
    expect(fork.header.parentSession).toBe("source");
    expect(fork.projection.items).toEqual(source.projection.items);
  });

  test("at an unknown entry is refused", async () => {
    await expect(forkLog(createMemoryLog(), "nowhere")).rejects.toThrow(expect.objectContaining({ kind: "unknown_id" }));
  });
});

describe("the list of sessions", () => {
  async function session(directory: string, id: string, modified: number, texts: string[]): Promise<string> {
    const log = await createFileLog(directory, { id, cwd: "/project", now: () => 0 });
    for (const text of texts) log.append(user(text));
    await log.close();
    utimesSync(log.path as string, modified, modified);
    return log.path as string;
  }

  test("has of each what it begins with, its date and its size, the latest first", async () => {
    const directory = temporaryDirectory();
    const older = await session(directory, "older", 1000, ["first\n  message", "second"]);
    const newer = await session(directory, "newer", 2000, ["x".repeat(500)]);
    expect(listSessions(directory)).toEqual([
      expect.objectContaining({ path: newer, id: "newer", firstMessage: `${"x".repeat(199)}…` }),
      {
        path: older,
        id: "older",
        cwd: "/project",
        firstMessage: "first message",
        createdAt: "1970-01-01T00:00:00.000Z",
        modifiedAt: 1_000_000,
        bytes: readFileSync(older).length,
      },
    ]);
  });

  test("knows the latest name, also in the middle of a large file and across what looks like one", async () => {
    for (const place of [0, 1, 2, 3]) {
      const directory = temporaryDirectory();
      const log = await createFileLog(directory);
      log.append(user("a"));
      log.append({ type: "session_info", name: "early" });
      for (let block = 0; block < 4; block += 1) {
        log.append(user("y".repeat(700_000)));
        if (block === place) log.append({ type: "session_info", name: `name ${place}` });
        log.append({ type: "custom", customType: "app/x", data: { type: "session_info", name: "no name" } });
        log.append(user('\n{"type":"session_info","id":"a","parentId":null,"timestamp":"t","name":"no"}'));
      }
      await log.close();
      expect(listSessions(directory)).toMatchObject([{ name: `name ${place}`, firstMessage: "a" }]);
    }
  });

  test("finds a name wherever blocks of the file meet", async () => {
    const directory = temporaryDirectory();
    const log = await createFileLog(directory);
    log.append(user("a"));
    log.append(user("z".repeat(100_000)));
    log.append({ type: "session_info", name: "found" });
    await log.close();
    const path = log.path as string;
    const start = readFileSync(path, "utf8").indexOf('{"type":"session_info"');
    for (let offset = -2; offset < 26; offset += 1) {
      // Puts the boundary of the last block `offset` characters behind the start of the entry.
      const text = readFileSync(path, "utf8").slice(0, start) + readFileSync(path, "utf8").slice(start).split("\n")[0];
      const tailLength = (1 << 20) - (Buffer.byteLength(text) - start) + offset - 2;
      writeFileSync(join(directory, "moved.jsonl"), `${text}\n${"w".repeat(tailLength)}\n`);
      expect(listSessions(directory).map(({ name }) => name)).toEqual(["found", "found"]);
    }
  });

  test("has the first message also behind a large beginning, and none where nothing was said", async () => {
    const directory = temporaryDirectory();
    const log = await createFileLog(directory, { id: "large" });
    log.append({ type: "custom", customType: "app/x", data: "v".repeat(300_000) });
    log.append(user("there"));
    await log.close();
    const quiet = await createFileLog(directory, { id: "quiet" });
    quiet.append({ type: "custom", customType: "app/x" });
    await quiet.close();
    const found = new Map(listSessions(directory).map(({ id, firstMessage }) => [id, firstMessage]));
    expect(found).toEqual(
      new Map([
        ["large", "there"],
        ["quiet", undefined],
      ]),
    );
  });

  test("leaves out what is no session, reads damaged ones, and looks into folders when asked", async () => {
    const directory = temporaryDirectory();
    const path = await session(join(directory, "project"), "one", 1000, ["a", "b"]);
    truncateSync(path, readFileSync(path).length - 5);
    writeFileSync(join(directory, "notes.jsonl"), "no session\n");
    writeFileSync(join(directory, "empty.jsonl"), "");
    writeFileSync(join(directory, "future.jsonl"), '{"type":"session","version":9,"id":"f","timestamp":"","cwd":""}\n');
    mkdirSync(join(directory, "folder.jsonl"));
    symlinkSync(join(directory, "nowhere"), join(directory, "dangling.jsonl"));
    expect(listSessions(directory)).toEqual([]);
    expect(listSessions(directory, { recursive: true })).toMatchObject([{ id: "one", firstMessage: "a" }]);
    expect(listSessions(join(directory, "not there"))).toEqual([]);
  });
});

describe("where sessions are kept", () => {
  test("is in the XDG state directory, by project", () => {
    expect(sessionsDirectory({ XDG_STATE_HOME: "/state", HOME: "/home/me" }, "linux")).toBe("/state/agent-session/sessions");
    expect(sessionsDirectory({ HOME: "/home/me" }, "linux")).toBe("/home/me/.local/state/agent-session/sessions");
    expect(sessionsDirectory({ XDG_STATE_HOME: "relative", HOME: "/home/me" }, "linux")).toBe(
      "/home/me/.local/state/agent-session/sessions",
    );
    expect(projectDirectory("/home/me/my project", { XDG_STATE_HOME: "/state" }, "linux")).toMatch(
      /^\/state\/agent-session\/sessions\/my-project-[0-9a-f]{8}$/,
    );
  });

  test("differs for projects of the same name", () => {
    expect(projectDirectory("/a/x", {})).not.toBe(projectDirectory("/b/x", {}));
    expect(projectDirectory("/a-b", {})).not.toBe(projectDirectory("/a/b", {}));
  });
});

describe("a repair", () => {
  async function damaged(): Promise<string> {
    const log = await openLog(join(temporaryDirectory(), "s.jsonl"));
    log.appendAll([user("a", "a"), user("b", "b"), user("c", "c")]);
    await log.close();
    const path = log.path as string;
    const lines = readFileSync(path, "utf8").split("\n");
    lines[2] = "garbage";
    writeFileSync(path, lines.join("\n"));
    return path;
  }

  test("of damage in the middle writes the session anew, and keeps the damaged file", async () => {
    const path = await damaged();
    const before = readFileSync(path, "utf8");
    const report = await repairSession(path);
    expect(report).toMatchObject({ path, backup: `${path}.damaged` });
    expect(report.diagnostics.map(({ kind }) => kind)).toEqual(["bad_line", "reattached"]);
    expect(readFileSync(`${path}.damaged`, "utf8")).toBe(before);
    const log = await openLog(path);
    expect(log.diagnostics).toEqual([]);
    expect(log.entries.map(({ id, parentId }) => [id, parentId])).toEqual([
      ["a", null],
      ["c", "a"],
    ]);
    await log.close();
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  test("never writes over an earlier backup", async () => {
    const path = await damaged();
    writeFileSync(`${path}.damaged`, "earlier");
    expect((await repairSession(path)).backup).toBe(`${path}.damaged.2`);
    expect(readFileSync(`${path}.damaged`, "utf8")).toBe("earlier");
  });

  test("of a torn end happens in place", async () => {
    const log = await openLog(join(temporaryDirectory(), "s.jsonl"));
    log.append(user("a"));
    await log.close();
    const path = log.path as string;
    const before = readFileSync(path, "utf8");
    writeFileSync(path, '{"type":"mess', { flag: "a" });
    expect(await repairSession(path)).toEqual({ path, diagnostics: [expect.objectContaining({ kind: "torn_tail" })] });
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  test("is refused while another writer has the session", async () => {
    const path = await damaged();
    const log = await openLog(path);
    await expect(repairSession(path)).rejects.toThrow("already open in this process");
    await log.close();
  });
});
