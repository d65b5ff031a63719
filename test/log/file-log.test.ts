import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFileLog, LogLockedError, NotASessionFileError, openLog } from "../../src/log/index.ts";
import type { SessionLog } from "../../src/log/index.ts";
import { apply, steps } from "./arbitrary-drafts.ts";
import { temporaryDirectory } from "./directories.ts";
import { naiveProjection } from "./naive-projection.ts";
import { omit, reply, user } from "./drafts.ts";

const directory = temporaryDirectory();
let files = 0;
const newPath = (): string => join(directory, `${files++}.jsonl`);

function state(log: SessionLog): object {
  const { header, entries, name, labels, leafId, projection } = log;
  return JSON.parse(JSON.stringify({ header, entries, name, labels: [...labels], leafId, items: projection.items }));
}

async function reopened(log: SessionLog): Promise<SessionLog> {
  await log.close();
  return openLog(log.path as string, { durability: "none" });
}

describe("a log in a file", () => {
  test("is, after closing and reopening, the log it was, whatever was done to it", async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(40), async (all, closeAt) => {
        let log = await openLog(newPath(), { durability: "none" });
        log.append(user("first"));
        for (const [index, step] of all.entries()) {
          if (index === closeAt) {
            log.moveTo(log.entries.at(-1)?.id ?? null);
            const before = state(log);
            log = await reopened(log);
            expect(state(log)).toEqual(before);
          }
          apply(log, step);
          const naive = naiveProjection(log.branch());
          expect(log.projection.items).toEqual(naive.items);
          expect(log.projection.trustedFrom).toBe(naive.trustedFrom);
        }
        log.moveTo(log.entries.at(-1)?.id ?? null);
        const before = state(log);
        const again = await reopened(log);
        expect(state(again)).toEqual(before);
        expect(again.diagnostics).toEqual([]);
        await again.close();
      }),
      { numRuns: 150 },
    );
  });

  test("has a header line of version 3 and one line for each entry, in the order they were written", async () => {
    const path = newPath();
    const log = await openLog(path, { cwd: "/project", now: () => 0 });
    log.append(user("a"));
    log.appendAll([reply("b\nc\u2028d"), user("e")]);
    const lines = readFileSync(path, "utf8").split("\n");
    expect(JSON.parse(lines[0] as string)).toEqual({
      type: "session",
      version: 3,
      id: log.header.id,
      timestamp: "1970-01-01T00:00:00.000Z",
      cwd: "/project",
    });
    const [a, b, c] = log.entries;
    expect(lines.slice(1, -1).map((line) => JSON.parse(line) as unknown)).toEqual([
      a,
      { ...b, batch: [1, 2] },
      { ...c, batch: [2, 2] },
    ]);
    expect(lines.at(-1)).toBe("");
    await log.close();
  });

  test("is written when append returns, without a flush", async () => {
    const log = await openLog(newPath());
    log.append(user("kept"));
    const reader = await openLog(log.path as string, { readOnly: true });
    expect(reader.entries).toEqual(log.entries);
    await log.close();
  });

  test("only grows: no byte that was written is ever changed", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const log = await openLog(newPath());
        log.append(user("a"));
        for (const step of all) {
          const before = readFileSync(log.path as string);
          apply(log, step);
          expect(
            readFileSync(log.path as string)
              .subarray(0, before.length)
              .equals(before),
          ).toBe(true);
        }
        await log.close();
      }),
      { numRuns: 30 },
    );
  });

  test("comes into being with the first entry worth keeping, and then has what came before it", async () => {
    const log = await openLog(newPath());
    const path = log.path as string;
    log.append({ type: "model_change", provider: "p", modelId: "m" });
    log.append({ type: "session_info", name: "n" });
    expect(existsSync(path)).toBe(false);
    log.append(user("a"));
    expect(readFileSync(path, "utf8").trim().split("\n")).toHaveLength(4);
    expect((await reopened(log)).name).toBe("n");
  });

  test("that nothing was ever said in leaves nothing behind", async () => {
    const own = temporaryDirectory();
    const log = await createFileLog(join(own, "deep", "down"));
    log.append({ type: "thinking_level_change", thinkingLevel: "high" });
    await log.close();
    expect(readdirSync(join(own, "deep", "down"))).toEqual([]);
  });

  test("is readable for its owner only", async () => {
    const log = await openLog(newPath());
    log.append(user("secret"));
    expect(statSync(log.path as string).mode & 0o077).toBe(0);
    await log.close();
  });

  test("in a directory of sessions is named by time and id", async () => {
    const log = await createFileLog(directory, { id: "abc/..", now: () => 0, cwd: "/project", parentSession: "p" });
    expect(log.path).toBe(join(directory, "1970-01-01T00-00-00-000Z_abc---.jsonl"));
    expect(log.header).toMatchObject({ id: "abc/..", parentSession: "p" });
    await log.close();
  });

  test("goes on in an empty file", async () => {
    const path = newPath();
    writeFileSync(path, "");
    const log = await openLog(path);
    log.append(user("a"));
    expect((await reopened(log)).entries).toHaveLength(1);
  });

  test("keeps entries and fields it does not know, untouched", async () => {
    const path = newPath();
    const log = await openLog(path);
    log.append(user("a", "aaaaaaaa"));
    await log.close();
    const foreign =
      '{"type":"from_the_future","id":"ffffffff","parentId":"aaaaaaaa","timestamp":"2030-01-01T00:00:00.000Z","x":{"y":[1]}}';
    writeFileSync(path, `${foreign}\n`, { flag: "a" });
    const again = await openLog(path);
    expect(again.leafId).toBe("ffffffff");
    expect(JSON.stringify(again.entry("ffffffff"))).toBe(foreign);
    expect(again.diagnostics).toMatchObject([{ kind: "unknown_entry", line: 3 }]);
    again.append(user("b"));
    expect(again.projection.items).toHaveLength(2);
    expect(readFileSync(path, "utf8")).toContain(`${foreign}\n`);
    await again.close();
  });
});

describe("reading only", () => {
  test("needs no lock, repairs nothing, and takes no entries", async () => {
    const writer = await openLog(newPath());
    writer.append(user("a"));
    const path = writer.path as string;
    writeFileSync(path, '{"type":"mess', { flag: "a" });
    const before = readFileSync(path);
    const reader = await openLog(path, { readOnly: true });
    expect(reader.diagnostics).toMatchObject([{ kind: "torn_tail", line: 3 }]);
    expect(() => reader.append(user("b"))).toThrow(expect.objectContaining({ name: "LogError", kind: "read_only" }));
    expect(reader.entries).toHaveLength(1);
    await reader.close();
    expect(readFileSync(path).equals(before)).toBe(true);
    await writer.close().catch(() => {});
  });

  test("of a file that is not there says so, and creates none", async () => {
    const path = newPath();
    await expect(openLog(path, { readOnly: true })).rejects.toThrow(`There is no session file ${path}.`);
    expect(existsSync(path)).toBe(false);
  });
});

describe("what is no session file", () => {
  const text = "once upon a time\n".repeat(50);
  test.each([
    ["a text", text],
    ["JSON lines of another kind", '{"type":"event","id":"a"}\n'.repeat(50)],
    ["one JSON document", '{"type":"module","name":"x"}'],
    ["bytes", Buffer.alloc(5000, 7)],
    ["zero bytes", Buffer.alloc(5000)],
    ["the half of a header", '{"type":"session","ver'],
  ])("%s is refused and left as it is", async (_name, content) => {
    const path = newPath();
    writeFileSync(path, content);
    await expect(openLog(path)).rejects.toThrow(NotASessionFileError);
    await expect(openLog(path, { readOnly: true })).rejects.toThrow(`${path} is not a session file`);
    expect(readFileSync(path).equals(Buffer.from(content))).toBe(true);
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  test("a directory or a device is refused", async () => {
    const path = newPath();
    mkdirSync(path);
    await expect(openLog(path)).rejects.toThrow("it is no ordinary file");
    await expect(openLog("/dev/null")).rejects.toThrow("it is no ordinary file");
  });

  test("a session of a newer format is refused and left as it is", async () => {
    const path = newPath();
    const content = '{"type":"session","version":4,"id":"a","timestamp":"2030-01-01T00:00:00.000Z","cwd":"/"}\n';
    writeFileSync(path, content);
    await expect(openLog(path)).rejects.toThrow(expect.objectContaining({ name: "LogError", kind: "version" }));
    expect(readFileSync(path, "utf8")).toBe(content);
  });
});

describe("misuse", () => {
  test("appending after closing throws, and closing twice does not", async () => {
    const log = await openLog(newPath());
    await log.close();
    await log.close();
    expect(() => log.append(user("a"))).toThrow(expect.objectContaining({ kind: "closed" }));
    expect(() => log.moveTo(null)).toThrow(expect.objectContaining({ kind: "closed" }));
  });

  test("an unknown id is refused where one is named, and nothing of its batch is kept", async () => {
    const log = await openLog(newPath());
    log.append(user("a", "a"));
    const before = readFileSync(log.path as string, "utf8");
    const unknown = expect.objectContaining({ name: "LogError", kind: "unknown_id" }) as Error;
    expect(() => log.appendAll([user("b"), omit("nowhere")])).toThrow(unknown);
    expect(() => log.moveTo("nowhere")).toThrow(unknown);
    expect(() => log.branch("nowhere")).toThrow(unknown);
    expect(log.entries).toHaveLength(1);
    expect(readFileSync(log.path as string, "utf8")).toBe(before);
    await log.close();
  });

  test("an id that is taken, and what cannot be JSON, is refused", async () => {
    const log = await openLog(newPath());
    log.append(user("a", "a"));
    const invalid = expect.objectContaining({ name: "LogError", kind: "invalid" }) as Error;
    expect(() => log.append(user("b", "a"))).toThrow(invalid);
    expect(() => log.appendAll([user("b", "b"), user("c", "b")])).toThrow(invalid);
    expect(() => log.append({ type: "custom", customType: "app/x", data: 1n })).toThrow(invalid);
    expect(log.entries).toHaveLength(1);
    expect((await reopened(log)).entries).toHaveLength(1);
  });

  test("a source of ids that are all taken is told of, not waited for", async () => {
    const log = await openLog(newPath(), { newId: () => "same" });
    log.append(user("a"));
    expect(() => log.append(user("b"))).toThrow("newId gives ids that are taken");
    await log.close();
  });

  test("a second log on the same file in the same process is refused, by any of its paths", async () => {
    const log = await openLog(newPath());
    log.append(user("a"));
    const link = newPath();
    symlinkSync(log.path as string, link);
    for (const path of [log.path as string, link]) {
      await expect(openLog(path)).rejects.toThrow(LogLockedError);
      await expect(openLog(path)).rejects.toThrow(`already open in this process (${process.pid})`);
    }
    await log.close();
    await (await openLog(link)).close();
  });
});
