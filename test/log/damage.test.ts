import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openLog } from "../../src/log/index.ts";
import type { Entry, SessionLog } from "../../src/log/index.ts";
import { apply, countingLog, steps } from "./arbitrary-drafts.ts";
import { temporaryDirectory } from "./directories.ts";
import { compaction, omit, reply, result, user } from "./drafts.ts";

const directory = temporaryDirectory();
let files = 0;

/** A file with this content, opened to write. */
async function opened(content: string | Buffer): Promise<SessionLog> {
  const path = join(directory, `${files++}.jsonl`);
  writeFileSync(path, content);
  return openLog(path, { durability: "none" });
}

/** The lines of a session with every kind of entry and two branches. */
function sampleLines(): string[] {
  const log = countingLog();
  log.append(user("ä first \u2028 line", "u1"));
  log.append(reply("looking", { calls: ["c1"], id: "r1" }));
  log.append(result("c1", "found 世界", "t1"));
  log.append(reply("half", { stopReason: "error", id: "e1" }));
  log.append(omit("e1"));
  log.append(reply("done", { id: "r2" }));
  log.append({ type: "label", targetId: "r2", label: "good" });
  log.append(compaction("Summary", "r2"));
  log.append(user("second", "u2"));
  log.moveTo("r2");
  log.append(user("other branch", "u3"));
  log.append({ type: "session_info", name: "Sample" });
  log.append(reply("answer", { id: "r3" }));
  return [JSON.stringify(log.header), ...log.entries.map((entry) => JSON.stringify(entry))];
}

const lines = sampleLines();
const whole = Buffer.from(lines.map((line) => `${line}\n`).join(""));
const idsOf = (log: SessionLog): string[] => log.entries.map((entry) => entry.id);
const idOf = (line: string): string => (JSON.parse(line) as Entry).id;

/** Every call the model is shown has a place, and every entry its parent. */
function expectTree(log: SessionLog): void {
  const seen = new Set<string>();
  for (const entry of log.entries) {
    if (entry.parentId !== null) expect(seen).toContain(entry.parentId);
    seen.add(entry.id);
  }
  expect(seen.size).toBe(log.entries.length);
}

/** The log takes entries, and what is then in the file is what is then in memory. */
async function expectWorks(log: SessionLog): Promise<void> {
  log.append(user("and on"));
  const entries = JSON.parse(JSON.stringify(log.entries)) as unknown;
  await log.close();
  const again = await openLog(log.path as string, { durability: "none" });
  expect(JSON.parse(JSON.stringify(again.entries))).toEqual(entries);
  expect(again.diagnostics.filter(({ kind }) => kind === "torn_tail")).toEqual([]);
  await again.close();
}

describe("a file that was cut off", () => {
  test("at any byte of its last three records keeps all whole records, and loses no byte of them", async () => {
    const from = Buffer.byteLength(
      lines
        .slice(0, -3)
        .map((line) => `${line}\n`)
        .join(""),
    );
    for (let length = from; length <= whole.length; length += 1) {
      const cut = whole.subarray(0, length);
      const log = await opened(cut);
      const text = cut.toString();
      const kept = lines.slice(1).filter((line) => text.includes(line));
      expect(idsOf(log)).toEqual(kept.map(idOf));
      const good = Buffer.byteLength([lines[0], ...kept].map((line) => `${line}\n`).join(""));
      expect(readFileSync(log.path as string).equals(whole.subarray(0, good))).toBe(true);
      const isClean = text.endsWith("\n");
      expect(log.diagnostics.map(({ kind }) => kind)).toEqual(isClean ? [] : ["torn_tail"]);
      await expectWorks(log);
    }
  });

  test("says on which line, and what became of it", async () => {
    const torn = await opened(whole.subarray(0, -9));
    expect(torn.diagnostics).toEqual([
      {
        kind: "torn_tail",
        line: lines.length,
        message: expect.stringMatching(
          /^Line 13: the last record was cut off while it was written \(\d+ bytes\); it is dropped\.$/,
        ) as string,
      },
    ]);
    const unended = await opened(whole.subarray(0, -1));
    expect(unended.diagnostics[0]?.message).toBe("Line 13: the last record has no line break behind it; the record is whole.");
    await torn.close();
    await unended.close();
  });
});

describe("entries that were appended together", () => {
  /** A session file with one entry, then three of them together; and the size it had before those. */
  async function batchFile(): Promise<[content: Buffer, sizeBefore: number]> {
    const log = await openLog(join(directory, `${files++}.jsonl`));
    const path = log.path as string;
    log.append(user("before", "aa"));
    const sizeBefore = readFileSync(path).length;
    log.appendAll([user("x".repeat(50), "bb"), reply("世界", { id: "cc" }), { ...omit("bb"), id: "dd" }]);
    await log.close();
    return [readFileSync(path), sizeBefore];
  }

  test("are all there or none, wherever their write was cut off", async () => {
    const [content, sizeBefore] = await batchFile();
    for (let length = sizeBefore; length <= content.length; length += 1) {
      const log = await opened(content.subarray(0, length));
      const isWhole = length >= content.length - 1;
      expect(idsOf(log)).toEqual(isWhole ? ["aa", "bb", "cc", "dd"] : ["aa"]);
      expect(readFileSync(log.path as string).equals(isWhole ? content : content.subarray(0, sizeBefore))).toBe(true);
      expect(log.diagnostics.length > 0).toBe(length !== sizeBefore && length !== content.length);
      expect(JSON.stringify(log.entries)).not.toContain("batch");
      await expectWorks(log);
    }
  });

  test("the loss is told", async () => {
    const [content] = await batchFile();
    const text = content.toString().split("\n");
    const log = await opened(`${text.slice(0, 4).join("\n")}\n`);
    expect(log.diagnostics).toEqual([
      {
        kind: "torn_tail",
        line: 3,
        message:
          "Line 3: the record and the 1 after it are 2 of 3 that belong together, and the others were never written; dropped.",
      },
    ]);
    await log.close();
  });

  test("behind which another program has written stay as far as they are there", async () => {
    const [content] = await batchFile();
    const text = content.toString().split("\n");
    const foreign = (text[1] as string).replace('"id":"aa","parentId":null', '"id":"ee","parentId":"bb"');
    const log = await opened(`${[...text.slice(0, 3), foreign].join("\n")}\n`);
    expect(idsOf(log)).toEqual(["aa", "bb", "ee"]);
    await log.close();
  });

  test("stay as far as they are there when a damaged line is among or behind them", async () => {
    const [content] = await batchFile();
    const text = content.toString().split("\n");
    for (const rest of [
      [text[2], "garbage"],
      [text[2], "garbage", text[3]],
    ]) {
      const damaged = `${[...text.slice(0, 2), ...rest].join("\n")}\n`;
      const log = await opened(damaged);
      expect(idsOf(log)).toEqual(rest.length === 2 ? ["aa", "bb"] : ["aa", "bb", "cc"]);
      expect(readFileSync(log.path as string, "utf8")).toBe(damaged);
      await log.close();
    }
  });

  test("are found in a file of many megabytes", async () => {
    const log = await openLog(join(directory, `${files++}.jsonl`));
    log.append(user("before", "aa"));
    const before = readFileSync(log.path as string).length;
    log.appendAll([user("x".repeat(3_000_000), "bb"), user("y".repeat(3_000_000), "cc"), user("z", "dd")]);
    await log.close();
    const again = await opened(readFileSync(log.path as string).subarray(0, -20));
    expect(idsOf(again)).toEqual(["aa"]);
    expect(readFileSync(again.path as string)).toHaveLength(before);
    await again.close();
  });
});

describe("a line that was replaced by", () => {
  const garbage: [string, string | Buffer][] = [
    ["text", "garbage"],
    ["half a record", '{"type":"message","id":"zz","parentId":"u1","message":{"role":"user","content":[{"type":"text","text":"x'],
    ["JSON of another kind", '{"type":"message"}'],
    ["a JSON array", "[1,2]"],
    ["bytes that are no text", Buffer.from([0xff, 0xfe, 0x00, 0x80])],
    ["zero bytes", Buffer.alloc(4096)],
    ["nothing", ""],
  ];
  test.each(garbage)("%s costs that line only, wherever it is", async (name, replacement) => {
    for (let index = 0; index < lines.length; index += 1) {
      const content = Buffer.concat(
        lines.flatMap((line, at) => [at === index ? Buffer.from(replacement) : Buffer.from(line), Buffer.from("\n")]),
      );
      const log = await opened(content);
      expect(idsOf(log)).toEqual(
        lines
          .slice(1)
          .filter((_line, at) => at + 1 !== index)
          .map(idOf),
      );
      expectTree(log);
      if (index > 0) expect(log.branch().map(({ id }) => id)).toContain(index === 1 ? "r1" : "u1");
      const told = log.diagnostics.map(({ kind, line }) => [kind, line]);
      if (name !== "nothing") expect(told).toContainEqual(["bad_line", index + 1]);
      expect(readFileSync(log.path as string).equals(content)).toBe(true);
      await expectWorks(log);
    }
  });

  test("what follows is attached to what came before, and both are told", async () => {
    const log = await opened([...lines.slice(0, 3), "garbage", ...lines.slice(4), ""].join("\n"));
    expect(log.entry("e1")?.parentId).toBe("r1");
    expect(log.diagnostics).toEqual([
      { kind: "bad_line", line: 4, message: "Line 4: the line (7 characters) is no JSON; it is skipped." },
      {
        kind: "reattached",
        line: 5,
        message: 'Line 5: the parent "t1" of the entry "e1" is lost; it is attached to the entry before, "r1".',
      },
    ]);
    await log.close();
  });

  test("all branches that began at the lost entry go to the same place", async () => {
    const lost = lines.findIndex((line) => line.includes('"id":"r2"'));
    const log = await opened([...lines.slice(0, lost), "garbage", ...lines.slice(lost + 1), ""].join("\n"));
    const before = idOf(lines[lost - 1] as string);
    expect(log.entry("u3")?.parentId).toBe(before);
    expect(log.entry(idOf(lines[lost + 1] as string))?.parentId).toBe(before);
    await log.close();
  });

  test("also a branch that comes after another loss", async () => {
    const log = countingLog();
    log.appendAll([user("a", "aa"), user("lost", "l1"), user("b", "bb"), user("lost too", "l2")]);
    log.moveTo("l1");
    log.append(user("c", "cc"));
    const text = [log.header, ...log.entries].map((record) => JSON.stringify(record));
    text[2] = "garbage";
    text[4] = "garbage";
    const again = await opened(`${text.join("\n")}\n`);
    expect(again.entries.map(({ id, parentId }) => [id, parentId])).toEqual([
      ["aa", null],
      ["bb", "aa"],
      ["cc", "aa"],
    ]);
    await again.close();
  });

  test("a compaction that keeps from the lost entry on keeps what came after it", async () => {
    const log = countingLog();
    log.appendAll([user("a"), user("lost", "lost"), user("kept", "kept"), compaction("S", "lost")]);
    const text = [log.header, ...log.entries].map((record) => JSON.stringify(record));
    text[2] = "garbage";
    const again = await opened(`${text.join("\n")}\n`);
    expect(again.projection.items.map(({ entryId }) => entryId).slice(1)).toEqual(["kept"]);
    await again.close();
  });

  test("in place of the header still opens the session, under a name from its file", async () => {
    const path = join(directory, "2030-01-01T00-00-00-000Z_my-session.jsonl");
    writeFileSync(path, `garbage\n${lines.slice(1).join("\n")}\n`);
    const log = await openLog(path);
    expect(log.header).toMatchObject({ id: "my-session", version: 3 });
    expect(log.entries).toHaveLength(lines.length - 1);
    expect(log.diagnostics.at(-1)?.message).toBe('Line 1: the header is lost; the session goes on as "my-session".');
    await log.close();
  });
});

test.each([
  ['{"type":"session","version":"3","id":"a"}'],
  ['{"type":"session","version":3,"id":5}'],
  ['{"type":"session","version":3,"id":"a","timestamp":5,"cwd":"/"}'],
])("a header that is not one (%s) is a damaged line", async (header) => {
  const log = await opened([header, ...lines.slice(1), ""].join("\n"));
  expect(log.entries).toHaveLength(lines.length - 1);
  expect(log.diagnostics).toMatchObject([
    { kind: "bad_line", line: 1 },
    { kind: "bad_line", line: 1 },
  ]);
  await log.close();
});

describe("records that lost their line", () => {
  test("are found again when two are glued together, anywhere", async () => {
    for (let index = 1; index < lines.length - 1; index += 1) {
      const glued = [...lines.slice(0, index), `${lines[index]}${lines[index + 1]}`, ...lines.slice(index + 2), ""].join("\n");
      const log = await opened(glued);
      expect(idsOf(log)).toEqual(lines.slice(1).map(idOf));
      expect(log.diagnostics).toMatchObject([{ kind: "bad_line", line: index + 1 }]);
      await log.close();
    }
  });

  test("are found again behind zero bytes, behind a record that was cut off anywhere, and at the torn end", async () => {
    const last = lines.at(-1) as string;
    for (let length = 1; length < last.length; length += 7) {
      for (const before of ["\0".repeat(length), last.slice(0, length)]) {
        for (const after of ["", "\n"]) {
          const log = await opened(`${lines.slice(0, -1).join("\n")}\n${before}${last}${after}`);
          expect(idsOf(log)).toEqual(lines.slice(1).map(idOf));
          await expectWorks(log);
        }
      }
    }
  });

  test("a block of zero bytes in the middle and at the end costs nothing", async () => {
    const log = await opened(
      `${lines.slice(0, 4).join("\n")}\n${"\0".repeat(4096)}\n${lines.slice(4).join("\n")}\n${"\0".repeat(4096)}`,
    );
    expect(idsOf(log)).toEqual(lines.slice(1).map(idOf));
    await expectWorks(log);
  });
});

describe("entries at odds with each other", () => {
  test("a copy is dropped; another entry under a taken id is kept under a new one, with its children", async () => {
    const log = countingLog();
    log.appendAll([user("a", "aa"), user("b", "bb")]);
    const [header, a, b] = [log.header, ...log.entries].map((record) => JSON.stringify(record)) as [string, string, string];
    const impostor = b.replace('"content":"b"', '"content":"other"');
    const child = JSON.stringify({ ...log.entry("bb"), id: "cc", parentId: "bb" });
    const again = await opened(`${[header, a, b, a, impostor, child].join("\n")}\n`);
    expect(again.entries).toHaveLength(4);
    expect(again.diagnostics.map(({ kind }) => kind)).toEqual(["duplicate_id", "duplicate_id"]);
    expect(again.entry(again.entry("cc")?.parentId ?? "")).toMatchObject({ message: { content: "other" } });
    await expectWorks(again);
  });

  test("a parent that is nowhere, later in the file, or the entry itself is replaced by the entry before", async () => {
    const log = countingLog();
    log.appendAll([user("a", "aa"), user("b", "bb"), user("c", "cc")]);
    const records = log.entries.map((entry) => JSON.stringify(entry));
    for (const wrong of ["nowhere", "cc", "bb"]) {
      const text = [
        JSON.stringify(log.header),
        records[0],
        (records[1] as string).replace('"parentId":"aa"', `"parentId":"${wrong}"`),
        records[2],
        "",
      ];
      const again = await opened(text.join("\n"));
      expect(again.entry("bb")?.parentId).toBe("aa");
      expect(again.diagnostics).toMatchObject([{ kind: "missing_parent", line: 3 }]);
      await again.close();
    }
  });

  test("missing content is empty, and known entries that lack what they need are skipped", async () => {
    const log = countingLog();
    log.appendAll([user("a", "aa"), reply("b", { id: "bb" })]);
    const text = [log.header, ...log.entries].map((record) => JSON.stringify(record));
    const nulls = text.map((line) => line.replace(/"content":("a"|\[.*?\])/, '"content":null'));
    const again = await opened(
      `${[...nulls, '{"type":"compaction","id":"dd","parentId":"bb","timestamp":"2030"}'].join("\n")}\n`,
    );
    expect(again.projection.messages().map(({ content }) => content)).toEqual([[], []]);
    expect(again.diagnostics).toMatchObject([
      { kind: "bad_line", line: 4, message: expect.stringContaining("no entry of a session") as string },
    ]);
    await again.close();
  });
});

test("a reply without the provider's counts is shown with none", async () => {
  const log = countingLog();
  log.appendAll([user("a", "aa"), reply("b", { id: "bb" })]);
  const [header, ...lines] = [log.header, ...log.entries].map((record) => JSON.stringify(record));
  const again = await opened(`${[header, ...lines.map((line) => line.replace(/"usage":{.*?},/, ""))].join("\n")}\n`);
  expect(again.projection.messages()[1]).toMatchObject({ content: [{ text: "b" }], usage: { totalTokens: 0 } });
  await again.close();
});

test("a line of 50 MB is read, and so is what follows it", async () => {
  const log = countingLog();
  log.appendAll([user("x".repeat(50_000_000), "big"), user("next", "next")]);
  const again = await opened([log.header, ...log.entries].map((record) => `${JSON.stringify(record)}\n`).join(""));
  expect(idsOf(again)).toEqual(["big", "next"]);
  expect(again.diagnostics).toEqual([]);
  await again.close();
});

test("a file that is all damage is told of in few words", async () => {
  const log = await opened(`${lines[0]}\n${"garbage\n".repeat(5000)}`);
  expect(log.diagnostics).toHaveLength(101);
  expect(log.diagnostics.at(-1)?.message).toBe("And 4900 more of this kind.");
  await log.close();
});

test("any session with any line damaged opens to a tree, the same each time", async () => {
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.array(fc.nat(1000), { minLength: 1, maxLength: 4 }),
      fc.string(),
      async (all, damaged, garbage) => {
        const log = countingLog();
        log.append(user("first"));
        for (const step of all) apply(log, step);
        const text = [log.header, ...log.entries].map((record) => JSON.stringify(record));
        for (const at of damaged) text[1 + (at % (text.length - 1))] = garbage.replaceAll("\n", "");
        const again = await opened(`${text.join("\n")}\n`);
        expectTree(again);
        await expectWorks(again);
      },
    ),
    { numRuns: 100 },
  );
});
