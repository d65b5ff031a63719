import { appendFileSync, copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { openLog } from "../../src/log/index.ts";
import type { SessionLog } from "../../src/log/index.ts";
import { temporaryDirectory } from "./directories.ts";
import { user } from "./drafts.ts";
import { FailingDisk } from "./failing-disk.ts";

/** Files that Pi 1.6.0 wrote; `npm run interop -- --fixtures test/log/fixtures` makes them anew. */
const fixtures = join(import.meta.dirname, "fixtures");
const directory = temporaryDirectory();

/** A copy of a fixture in a directory of its own. */
function copyOf(name: string): string {
  const path = join(mkdtempSync(join(directory, "copy-")), `${name}.jsonl`);
  copyFileSync(join(fixtures, `${name}.jsonl`), path);
  return path;
}

function said(log: SessionLog): string[] {
  return log.projection.items.map(({ message: { role, content } }) => {
    if (typeof content === "string") return `${role}: ${content}`;
    return `${role}: ${content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join(" ")}`;
  });
}

describe("a session of Pi", () => {
  test("with tools shows messages, calls and results; not its system prompt", async () => {
    const log = await openLog(copyOf("tools"));
    expect(said(log)).toEqual([
      "user: What is in a.txt?",
      "assistant: [thinking] Reading. [toolCall]",
      "toolResult: ä 世界 \u2028 end",
      "assistant: It says hello.",
    ]);
    expect(log.name).toBe("Reading a file");
    expect(log.diagnostics).toEqual([]);
    await log.close();
  });

  test("has its signatures under the names used here, and keeps the entry as it was", async () => {
    const log = await openLog(copyOf("tools"));
    const { message, entryId } = log.projection.items[1] ?? expect.fail("no second message");
    expect(message.content).toMatchObject([{ type: "thinking", signature: "c2ln" }, {}, { type: "toolCall", signature: "c2ln" }]);
    expect(JSON.stringify(log.entry(entryId))).not.toContain('"signature"');
    await log.close();
  });

  test("with edits shows what they leave", async () => {
    const log = await openLog(copyOf("edits"));
    expect(said(log)).toEqual([
      "user: Go.",
      "assistant: Reading. [toolCall]",
      "toolResult: long (shortened)",
      "user: And then?",
      "assistant: Done.",
    ]);
    expect([...log.labels.values()]).toEqual(["question"]);
    await log.close();
  });

  test("with branches shows the last one, commands of the user, and messages of extensions", async () => {
    const log = await openLog(copyOf("branches"));
    expect(said(log)).toEqual([
      "user: One.",
      expect.stringMatching(/^user: .*<summary>\nCounting was tried\.\n<\/summary>$/s) as string,
      "assistant: one",
      "user: Remember the milk.",
      "user: The user ran this command: ls\nIt printed:\n\na.txt\n\nIt ended with code 1.",
      "user: Go on.",
    ]);
    await log.close();
  });

  test("with compactions shows the latest summary and what it keeps", async () => {
    const log = await openLog(copyOf("compactions"));
    expect(said(log)).toEqual([
      expect.stringMatching(/^user: .*<summary>\nSomething newer\.\n<\/summary>$/s) as string,
      "user: Kept.",
      "assistant: Reading. [toolCall]",
      "toolResult: found (short)",
      "user: New.",
      "assistant: New answer.",
    ]);
    await log.close();
  });

  test.each(readdirSync(fixtures).map((file) => basename(file, ".jsonl")))(
    "%s goes on, and what it was stays byte for byte",
    async (name) => {
      const path = copyOf(name);
      const before = readFileSync(path, "utf8");
      const log = await openLog(path);
      log.append(user("going on"));
      await log.close();
      expect(readFileSync(path, "utf8").startsWith(before)).toBe(true);
      const again = await openLog(path);
      expect(again.projection.messages().at(-1)?.content).toBe("going on");
      await again.close();
    },
  );
});

describe("a session of an older version", () => {
  const expected: Record<string, string[]> = {
    "version-1": [
      expect.stringMatching(/<summary>\nSomething old\.\n<\/summary>$/) as string,
      "user: Kept.",
      "assistant: New answer.",
    ],
    "version-2": ["user: Go.", "user: From a hook.", "assistant: Gone."],
  };

  test.each(Object.keys(expected))("(%s) goes on in a new file of version 3 beside it, and stays as it is", async (name) => {
    const path = copyOf(name);
    const before = readFileSync(path);
    const log = await openLog(path);
    expect(said(log)).toEqual(expected[name]);
    expect(log.path).toBe(path.replace(".jsonl", ".v3.jsonl"));
    expect(log.header).toMatchObject({ version: 3, cwd: "/project", parentSession: path });
    expect(log.diagnostics).toEqual([
      {
        kind: "converted",
        message: expect.stringMatching(
          / has version [12] of the session format and was left as it is; the session goes on in /,
        ) as string,
      },
    ]);
    await log.close();
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test.each(Object.keys(expected))("(%s) opened again is the session it went on as", async (name) => {
    const path = copyOf(name);
    const first = await openLog(path);
    first.append(user("more"));
    await first.close();
    const second = await openLog(path);
    expect(second.path).toBe(first.path);
    expect(said(second)).toEqual([...(expected[name] ?? []), "user: more"]);
    expect(second.diagnostics).toMatchObject([{ kind: "converted" }]);
    await second.close();
  });

  test.each(Object.keys(expected))("(%s) opened to read is converted in memory only", async (name) => {
    const path = copyOf(name);
    const log = await openLog(path, { readOnly: true });
    expect(said(log)).toEqual(expected[name]);
    expect(existsSync(path.replace(".jsonl", ".v3.jsonl"))).toBe(false);
  });

  test("that is damaged loses the damaged line only", async () => {
    const path = copyOf("version-1");
    const lines = readFileSync(path, "utf8").split("\n");
    lines[1] = "garbage";
    writeFileSync(path, lines.join("\n"));
    appendFileSync(path, '{"type":"message","mess');
    const log = await openLog(path);
    expect(said(log)).toEqual(expected["version-1"]);
    expect(log.diagnostics.map(({ kind }) => kind)).toEqual(["converted", "bad_line", "torn_tail"]);
    await log.close();
  });

  test("is left as it is when there is no room for the new file, with the reason told once", async () => {
    const path = copyOf("version-1");
    const disk = new FailingDisk();
    disk.fault = "full";
    await expect(openLog(path, { fileSystem: disk.fileSystem })).rejects.toThrow(
      expect.objectContaining({
        kind: "write",
        message: `The session file ${path.replace(".jsonl", ".v3.jsonl")} could not be written: ENOSPC: injected, write`,
      }),
    );
    expect(readdirSync(dirname(path))).toEqual(["version-1.jsonl"]);
    await (await openLog(path)).close();
  });
});
