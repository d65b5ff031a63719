import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runSessions } from "../../src/cli/sessions.ts";
import { createFileLog, projectDirectory } from "../../src/log/index.ts";
import type { EntryDraft } from "../../src/log/index.ts";
import { temporaryDirectory } from "./directories.ts";
import { compaction, omit, replace, reply, result, user } from "./drafts.ts";

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

const home = temporaryDirectory();
const env = { HOME: home };
const cwd = join(home, "project");

async function run(...args: string[]): Promise<Ran> {
  const ran = { stdout: "", stderr: "" };
  const io = {
    stdout: (text: string) => void (ran.stdout += text),
    stderr: (text: string) => void (ran.stderr += text),
    env,
    cwd,
  };
  return { code: await runSessions(args, io), ...ran };
}

/** A session of the project; its path. */
async function session(id: string, drafts: EntryDraft[], directory = projectDirectory(cwd, env)): Promise<string> {
  const log = await createFileLog(directory, { id, cwd, now: () => 0 });
  log.appendAll(drafts);
  await log.close();
  return log.path as string;
}

describe("agent-session sessions list", () => {
  test("shows date, size, id and name or first message of this project's sessions", async () => {
    await session("aaaa-1", [user("fix the\nbug"), reply("done")]);
    await session("bbbb-1", [user("hello"), { type: "session_info", name: "Greeting" }]);
    await session("cccc-1", [user("elsewhere")], projectDirectory("/elsewhere", env));
    const { code, stdout, stderr } = await run("list");
    expect([code, stderr]).toEqual([0, ""]);
    const lines = stdout.trim().split("\n");
    expect(lines).toHaveLength(2);
    expect(stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d {2} +\d+ B {2}aaaa-1 {2}fix the bug$/m);
    expect(stdout).toMatch(/B {2}bbbb-1 {2}Greeting$/m);
    expect((await run()).stdout).toBe(stdout);
  });

  test("--all shows every project's, and --json gives objects", async () => {
    const { stdout } = await run("list", "--all", "--json");
    const ids = stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { id: string }).id);
    expect(ids.toSorted()).toEqual(["aaaa-1", "bbbb-1", "cccc-1"]);
    expect((await run("list", "--all")).stdout).toContain(cwd);
  });

  test("says where it looked when there is none", async () => {
    const empty = temporaryDirectory();
    expect(await run("list", "--session-dir", empty)).toEqual({ code: 0, stdout: `No sessions in ${empty}\n`, stderr: "" });
  });
});

describe("agent-session sessions show", () => {
  test("shows the tree, what the model is not shown, and why", async () => {
    const directory = temporaryDirectory();
    const log = await createFileLog(directory, { id: "tree", cwd, now: () => 0 });
    log.appendAll([
      user("old", "u0"),
      user("first", "u1"),
      reply("", { stopReason: "error", id: "e1" }),
      { ...omit("e1"), id: "o1" },
    ]);
    log.appendAll([
      reply("looking", { calls: ["c"], id: "r1" }),
      result("c", "found", "t1"),
      { ...replace("t1", "short"), id: "o2" },
    ]);
    log.append(user("side", "s1"));
    log.append(reply("side answer", { id: "s2" }));
    log.moveTo("o2");
    log.append({ type: "label", id: "l1", targetId: "u1", label: "start" });
    log.append(reply("dropped", { calls: ["d"], id: "r2" }));
    log.append(result("d", "nothing", "t2"));
    log.append({ ...omit("r2"), id: "o3" });
    log.append(compaction("Old things", "u1", "k1"));
    log.append({ type: "session_info", id: "n1", name: "Tree" });
    await log.close();

    const { stdout, code } = await run("show", log.path as string);
    expect(code).toBe(0);
    expect(stdout.split("\n")).toEqual([
      'Session tree "Tree"',
      log.path,
      `begun 1970-01-01T00:00:00.000Z in ${cwd}; 15 entries, 4 of them shown to the model (*)`,
      "",
      "- u0 user         old  (left out: the compaction k1 stands for it)",
      '* u1 user         first  (label "start")',
      "- e1 assistant      (left out: this reply failed)",
      "  o1 context edit leaves out e1",
      "* r1 assistant    looking [calls look]",
      "* t1 tool result  look: found  (shown with the content of the edit o2)",
      "  o2 context edit replaces the content of t1",
      "- | s1 user         side  (left out: another branch)",
      "- | s2 assistant    side answer  (left out: another branch)",
      '  l1 label        "start" for u1',
      "- r2 assistant    dropped [calls look]  (left out by the edit o3)",
      "- t2 tool result  look: nothing  (left out: its call is not shown)",
      "  o3 context edit leaves out r2",
      "* k1 compaction   keeps from u1 on: Old things",
      '  n1 session info name "Tree"',
      "",
    ]);
  });

  test("finds a session by the beginning of its id, and says when that is not one", async () => {
    await session("dddd-1", [user("one")]);
    await session("dddd-2", [user("two")]);
    expect((await run("show", "dddd-1")).stdout).toContain("Session dddd-1");
    const ambiguous = await run("show", "dddd");
    expect(ambiguous.code).toBe(1);
    expect(ambiguous.stderr).toContain('More than one session has an id that begins with "dddd":');
    const missing = await run("show", "zzzz");
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('There is no session "zzzz"');
  });

  test("prints nothing that would steer a terminal", async () => {
    const path = await session("escape", [user("a\u001b[2Jb\u0007c"), { type: "session_info", name: "\u001b]0;x\u0007" }]);
    for (const command of ["show", "export"]) expect((await run(command, path)).stdout).not.toMatch(/[^\P{Cc}\n\t]/u);
    expect((await run("list")).stdout).not.toMatch(/[^\P{Cc}\n\t]/u);
  });
});

describe("agent-session sessions export", () => {
  test("writes the active branch as Markdown, with what became of it", async () => {
    const path = await session("markdown", [
      user("Look at **this**"),
      reply("Half", { stopReason: "error", id: "e1" }),
      reply("Looking", { calls: ["c"] }),
      result("c", "```\ncode\n```"),
      reply("Done."),
      { type: "session_info", name: "Export" },
    ]);
    const { stdout } = await run("export", path);
    expect(stdout).toBe(`# Export

Session \`markdown\`, begun 1970-01-01T00:00:00.000Z.

## User

Look at **this**

## Assistant (one)

> Context: left out: this reply failed.

Half

*This reply failed: unknown error*

## Assistant (one)

Looking

Calls **look**:

\`\`\`json
{
  "at": "Looking"
}
\`\`\`

### Result of look

\`\`\`\`
\`\`\`
code
\`\`\`
\`\`\`\`

## Assistant (one)

Done.
`);
    const file = join(home, "out.md");
    expect(await run("export", path, "--output", file)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(readFileSync(file, "utf8")).toBe(stdout);
  });
});

test("messages of other programs are shown and exported as what the model is shown for them", async () => {
  const fixture = join(import.meta.dirname, "fixtures", "branches.jsonl");
  expect((await run("show", fixture)).stdout).toMatch(/^\* \w+ bashExecution The user ran this command: ls It printed: a\.txt/m);
  expect((await run("export", fixture)).stdout).toContain("## Message (bashExecution)\n\nThe user ran this command: ls\n");
});

describe("agent-session sessions check", () => {
  test("counts what is there, and exits with 0 when nothing is wrong", async () => {
    const path = await session("well", [user("a"), reply("b")]);
    expect(await run("check", path)).toEqual({
      code: 0,
      stdout: `${path}: 2 entries, 1 branch, 2 messages in the context; no faults\n`,
      stderr: "",
    });
  });

  test("tells each fault, exits with 1, and mends when asked to", async () => {
    const path = await session("ill", [user("a", "a"), user("b", "b"), user("c", "c")]);
    const lines = readFileSync(path, "utf8").split("\n");
    lines[2] = "garbage";
    writeFileSync(path, `${lines.join("\n")}{"torn`);
    const damaged = readFileSync(path, "utf8");
    const faults = `${path}: 2 entries, 1 branch, 2 messages in the context; faults:
  Line 3: the line (7 characters) is no JSON; it is skipped.
  Line 4: the parent "b" of the entry "c" is lost; it is attached to the entry before, "a".
  Line 5: the last record was cut off while it was written (6 bytes); it is dropped.
`;
    expect(await run("check", path)).toEqual({ code: 1, stdout: `${faults}  --repair mends it.\n`, stderr: "" });
    expect(readFileSync(path, "utf8")).toBe(damaged);
    expect(await run("check", path, "--repair")).toEqual({
      code: 0,
      stdout: `${faults}  mended: ${path}: 2 entries; the damaged file is kept as ${path}.damaged\n`,
      stderr: "",
    });
    expect((await run("check", path)).code).toBe(0);
  });

  test("goes on with the next when one is no session", async () => {
    const path = await session("good", [user("a")]);
    const other = join(home, "notes.txt");
    writeFileSync(other, "notes");
    const { code, stdout } = await run("check", other, path);
    expect(code).toBe(1);
    expect(stdout.split("\n").slice(0, 2)).toEqual([
      `${other} is not a session file: it has no session header and no entries. It was left as it is.`,
      `${path}: 1 entry, 1 branch, 1 message in the context; no faults`,
    ]);
  });
});

describe("wrong arguments", () => {
  test.each([
    [["frobnicate"], 'There is no command "sessions frobnicate".'],
    [["show"], "This command needs a session."],
    [["show", "a", "b"], 'This command takes one session, and not "b" too.'],
    [["check"], '"sessions check" needs a session.'],
    [["list", "--wrong"], "--wrong"],
    [["list", "x"], '"sessions list" takes no "x".'],
  ])("%j are told with the usage, and exit code 2", async (args, message) => {
    const { code, stderr, stdout } = await run(...args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    expect(stderr).toContain("Usage: agent-session sessions");
  });

  test("--help is no error", async () => {
    expect(await run("--help")).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("Usage:") as string });
  });
});
