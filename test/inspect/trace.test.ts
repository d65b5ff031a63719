import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { runInspect } from "../../src/cli/inspect.ts";
import { runReplay } from "../../src/cli/replay.ts";
import { readTrace, recordTrace, replayTrace, TraceError, traceToFile } from "../../src/inspect/index.ts";
import type { TraceRecord } from "../../src/inspect/index.ts";
import { createMemoryLog } from "../../src/log/index.ts";
import { ALL_REPLIES, liveThroughAll, liveThroughRetry, OVERLOADED, stage, START, TOO_LONG, untilState } from "./sessions.ts";

const folders: string[] = [];
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), "trace-"));
  folders.push(made);
  return made;
};
afterEach(() => {
  for (const made of folders.splice(0)) rmSync(made, { recursive: true });
});

async function traceOf(live: (staged: ReturnType<typeof stage>) => Promise<void>, replies = ALL_REPLIES): Promise<string> {
  const staged = stage(replies);
  let text = "";
  recordTrace(staged.session, (line) => (text += line), { now: () => staged.clock.now() });
  await live(staged);
  await staged.session.dispose();
  return text;
}

const io = () => {
  const said = { out: "", err: "" };
  const ended = new AbortController();
  return {
    said,
    ended,
    stdout: (text: string) => void (said.out += text),
    stderr: (text: string) => void (said.err += text),
    signal: ended.signal,
  };
};

describe("a trace", () => {
  test("is read as it was recorded: a record a line, the first says of which session", async () => {
    const text = await traceOf(liveThroughAll);
    const { session, records, torn } = readTrace(text);
    expect(session).toMatchObject({ kind: "session", t: START });
    expect(records).toHaveLength(text.trimEnd().split("\n").length);
    expect(torn).toBe(false);
    expect(records.at(-1)).toMatchObject({ kind: "end" });
  });

  test("whose last line is cut is read up to there, wherever the cut is", async () => {
    const text = await traceOf(liveThroughRetry, [OVERLOADED, "It is built."]);
    const firstLine = text.indexOf("\n") + 1;
    fc.assert(
      fc.property(fc.integer({ min: firstLine, max: text.length }), (at) => {
        const { records, torn } = readTrace(text.slice(0, at));
        const whole = text.slice(0, at).split("\n").length - 1;
        expect(records.length === whole || records.length === whole + 1).toBe(true);
        expect(torn).toBe(records.length === whole && text[at - 1] !== "\n");
      }),
    );
  });

  test.each([
    ["nothing", "", "no trace"],
    ["another file", "hello\nworld\n", "Line 1"],
    ["the log of a session", '{"type":"session","version":3,"id":"x"}\n', "Line 1"],
    ["a trace without its beginning", '{"kind":"end","t":1}\n', "does not say which session"],
    ["one of a later version", '{"kind":"session","t":1,"version":2}\n', "version 2"],
  ])("%s is refused, with the reason", (_name, text, reason) => {
    expect(() => readTrace(text)).toThrow(TraceError);
    expect(() => readTrace(text)).toThrow(reason);
  });

  test("in a file is for its owner alone, and whole when it is closed", async () => {
    const path = join(folder(), "session.trace");
    const { session } = stage(["Hello."]);
    const file = await traceToFile(session, path);
    await session.prompt("Hello");
    await file.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(
      readTrace(readFileSync(path, "utf8")).records.some(
        (record) => record.kind === "event" && record.event.type === "agent_settled",
      ),
    ).toBe(true);
  });

  test("a file that cannot be opened is told of at once", async () => {
    const { session } = stage([]);
    await expect(traceToFile(session, join(folder(), "none", "session.trace"))).rejects.toThrow("ENOENT");
  });
});

describe("a replay", () => {
  test("does what the session did: retry, overflow recovery, abort", async () => {
    const { records } = readTrace(await traceOf(liveThroughAll));
    const { steps, events, difference } = replayTrace(records);
    expect(difference).toBeUndefined();
    expect(steps).toBe(records.filter(({ kind }) => kind === "step").length);
    expect(events).toBeGreaterThan(15);
  });

  test("of a recording that began in the middle of a prompt", async () => {
    const log = createMemoryLog();
    const first = stage([OVERLOADED], { log });
    const settled = first.session.prompt("Please build it");
    await untilState(first.session, "backoff");
    const records: TraceRecord[] = [];
    const text: string[] = [];
    recordTrace(first.session, (line) => void text.push(line));
    first.clock.advance(2000);
    await settled;
    records.push(...readTrace(text.join("")).records);
    expect(records[0]).toMatchObject({ machine: { value: "backoff" } });
    expect(replayTrace(records).difference).toBeUndefined();
  });

  test("of a session that was opened again in the middle of a wait, and went on", async () => {
    const log = createMemoryLog();
    const first = stage([OVERLOADED], { log });
    void first.session.prompt("Please build it");
    await untilState(first.session, "backoff");
    await first.session.dispose();
    const reopened = createMemoryLog({ entries: log.entries });
    const again = stage(["It is built."], { log: reopened });
    let text = "";
    recordTrace(again.session, (line) => (text += line));
    const settled = again.session.continue();
    again.clock.advance(2000);
    await settled;
    const { records } = readTrace(text);
    expect(records[0]).toMatchObject({ facts: { state: "settled", outcome: { status: "interrupted" } } });
    expect(records.some((record) => record.kind === "step" && record.input.type === "CONTINUE")).toBe(true);
    expect(replayTrace(records).difference).toBeUndefined();
  });

  test("of any script ends without a difference", async () => {
    const reply = fc.oneof(
      fc.constant("Fine."),
      fc.constant(OVERLOADED),
      fc.constant(TOO_LONG),
      fc.constant({ text: "cut", stopReason: "length" as const }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(reply, { minLength: 1, maxLength: 8 }), fc.nat(3), async (replies, abortAfter) => {
        const staged = stage([...replies, "The last."]);
        let text = "";
        recordTrace(staged.session, (line) => (text += line));
        for (let prompt = 0; prompt < 3; prompt += 1) {
          const settled = staged.session.prompt("Go on");
          const over = settled.then(() => true);
          const goesOn = new Promise<false>((resolve) => setImmediate(() => resolve(false)));
          for (let turn = 0; !(await Promise.race([over, goesOn])); turn += 1) {
            await new Promise<void>((resolve) => setImmediate(resolve));
            if (turn === abortAfter && prompt === 1) void staged.session.abort();
            // Backoffs wait for the clock, and so do the retries of a summary.
            if (turn % 5 === 4 && staged.clock.pending > 0) staged.clock.runNext();
          }
        }
        await staged.session.dispose();
        expect(replayTrace(readTrace(text).records).difference).toBeUndefined();
      }),
      { numRuns: 40 },
    );
  });

  test("names the first line where the statechart does something else", async () => {
    const { records } = readTrace(await traceOf(liveThroughRetry, [OVERLOADED, "It is built."]));
    const changed = records.findIndex((record) => record.kind === "step" && record.facts.state === "backoff");
    const bent = structuredClone(records);
    const step = bent[changed];
    if (step?.kind !== "step") return expect.fail("no step led to backoff");
    step.facts.attempt = 2;
    expect(replayTrace(bent).difference).toEqual({ line: changed + 1, field: "attempt", recorded: 2, replayed: 1 });
  });

  test("notices a decision that was told otherwise, and one that was not told", async () => {
    const { records } = readTrace(await traceOf(liveThroughRetry, [OVERLOADED, "It is built."]));
    const at = records.findIndex((record) => record.kind === "event" && record.event.type === "agent_end");
    const told = records.map((record, index) =>
      index === at && record.kind === "event" ? { ...record, event: { ...record.event, rule: "completed" } } : record,
    );
    expect(replayTrace(told).difference).toEqual({
      line: at + 1,
      field: "agent_end.rule",
      recorded: "completed",
      replayed: "retryFailure",
    });
    const untold = records.filter((_, index) => index !== at);
    expect(replayTrace(untold).difference).toMatchObject({
      line: at + 1,
      field: "event",
      recorded: "auto_retry_start",
      replayed: "agent_end",
    });
  });
});

describe("the commands", () => {
  async function fileOf(text: string): Promise<string> {
    const path = join(folder(), "session.trace");
    const { writeFile } = await import("node:fs/promises");
    await writeFile(path, text);
    return path;
  }

  test("replay says that nothing differs, and exits with 0", async () => {
    const { said, ...port } = io();
    const path = await fileOf(await traceOf(liveThroughAll));
    expect(await runReplay([path], port)).toBe(0);
    expect(said.out).toMatch(/^\d+ steps and \d+ decisions replayed\.\nNo difference\.\n$/);
  });

  test("replay shows the first difference, and exits with 1", async () => {
    const { said, ...port } = io();
    const text = await traceOf(liveThroughRetry, [OVERLOADED, "It is built."]);
    const path = await fileOf(text.replace('"rule":"retryFailure"', '"rule":"otherFailure"'));
    expect(await runReplay([path], port)).toBe(1);
    expect(said.out).toContain('in agent_end.rule:\n  recorded  "otherFailure"\n  replayed  "retryFailure"');
    expect(await runReplay([path, "--json"], port)).toBe(1);
  });

  test.each([[[]], [["none.trace"]], [["--loud"]], [["a", "b"]]])("replay %j is refused with the usage, and 2", async (args) => {
    const { said, ...port } = io();
    expect(await runReplay(args, port)).toBe(2);
    expect(said.err).toContain("Usage: agent-session replay");
  });

  test("inspect serves the trace until it is told to end", async () => {
    const { said, ended, ...port } = io();
    const path = await fileOf(await traceOf(liveThroughRetry, [OVERLOADED, "It is built."]));
    const code = runInspect([path], port);
    while (said.out === "") await new Promise<void>((resolve) => setImmediate(resolve));
    const page = await fetch(said.out.trim());
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("agent-session inspector");
    ended.abort();
    expect(await code).toBe(0);
    await expect(fetch(said.out.trim())).rejects.toThrow("fetch failed");
  });

  test.each([[[]], [["none.trace"]], [["--port", "no", "x"]], [["--loud"]]])(
    "inspect %j is refused with the usage, and 2",
    async (args) => {
      const { said, ...port } = io();
      expect(await runInspect(args, port)).toBe(2);
      expect(said.err).toContain("Usage: agent-session inspect");
    },
  );
});
