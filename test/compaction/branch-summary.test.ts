import { describe, expect, test } from "vitest";
import { moveWithSummary } from "../../src/compaction/branch-summary.ts";
import { LogError } from "../../src/log/errors.ts";
import { assistant, calling, result, say, textOf, user } from "./conversation.ts";
import { harness, promptOf, quiet, withTime, type HarnessOptions } from "./harness.ts";

/** A log whose branch has one turn in common with where it will move to, and two that will be left. */
function branched(options: HarnessOptions = {}) {
  const session = harness([user("Start"), assistant("Started")], options);
  const fork = session.log.leafId;
  say(
    session.log,
    user("Try the left way"),
    calling(["a", "edit", { path: "left.ts" }]),
    result("a", "ok"),
    assistant("It is a dead end"),
  );
  const { ports } = session;
  return {
    ...session,
    fork,
    left: session.log.leafId,
    move: (to: string | null, instructions?: string) =>
      moveWithSummary(ports, { to, ...(instructions === undefined ? {} : { instructions }) }),
  };
}

describe("moving to another branch", () => {
  test("leaves a summary of the branch that is left where the new one begins", async () => {
    const { log, fork, left, move, model } = branched();
    const outcome = await move(fork, "What failed?");
    expect(outcome).toMatchObject({ status: "done", requests: 1, entryId: log.leafId });
    expect(log.entry(log.leafId ?? "")).toMatchObject({
      type: "branch_summary",
      parentId: fork,
      fromId: left,
      summary: "The summary.\n\n<modified-files>\nleft.ts\n</modified-files>",
      details: { readFiles: [], modifiedFiles: ["left.ts"] },
    });
    expect(promptOf(model.requests[0])).toContain("It is a dead end");
    expect(promptOf(model.requests[0])).toContain("What failed?");
    expect(promptOf(model.requests[0])).not.toContain("Started");
    expect(JSON.stringify(log.projection.messages())).toMatch(/Started.*<summary>.*The summary\./);
    expect(JSON.stringify(log.projection.messages())).not.toContain("dead end");
  });
  test("to a new beginning summarises everything", async () => {
    const { log, left, move, model } = branched();
    expect(await move(null)).toMatchObject({ status: "done" });
    expect(promptOf(model.requests[0])).toContain("Started");
    expect(log.entry(log.leafId ?? "")).toMatchObject({ parentId: null, fromId: left });
    expect(log.projection.items).toHaveLength(1);
  });
  test("shows the summary what the model was shown: no failed reply, nothing omitted, and a compaction by its summary", async () => {
    const { log, fork, move, model } = branched();
    const [omitted] = say(log, user("OMITTED"), assistant("FAILED", { stopReason: "error" }));
    log.append({ type: "context_edit", targetId: omitted?.id ?? "", replacement: null });
    const [kept] = say(log, user("Kept words"));
    log.append({
      type: "compaction",
      summary: "Compacted words",
      firstKeptEntryId: kept?.id ?? "",
      tokensBefore: 1,
      details: { readFiles: ["old.ts"], modifiedFiles: [] },
    });
    const outcome = await move(fork);
    const prompt = promptOf(model.requests[0]);
    expect(prompt).toContain("Compacted words");
    expect(prompt).toContain("Kept words");
    expect(prompt).not.toMatch(/OMITTED|FAILED|dead end/);
    expect(outcome).toMatchObject({ summary: expect.stringContaining("old.ts") as string });
  });
  test("without anything to leave behind only moves", async () => {
    const { log, fork, left, move, model } = branched();
    log.moveTo(fork);
    expect(await move(left)).toEqual(expect.objectContaining({ status: "moved", requests: 0 }));
    expect(log.leafId).toBe(left);
    expect(model.requests).toHaveLength(0);
  });
  test("fits the window however long the branch is", async () => {
    const { log, fork, move, model } = branched({ contextWindow: 8000 });
    for (let index = 0; index < 20; index += 1) say(log, user(textOf(1000)));
    expect(await move(fork)).toMatchObject({ status: "done" });
    expect(model.requests.length).toBeGreaterThan(1);
  });
  test("retries like a compaction, and says what it is for", async () => {
    const { fork, move, clock, events } = branched({
      script: [{ failure: { status: 529, message: "Overloaded" } }, "The summary."],
    });
    expect(await withTime(clock, move(fork))).toMatchObject({ status: "done", requests: 2 });
    expect(events[1]).toEqual({ type: "summarization_retry_attempt_start", source: "branch_summary" });
  });
  test("that fails stays where it is", async () => {
    const { log, fork, left, move } = branched({ script: [{ failure: { status: 401, message: "bad key" } }] });
    const entries = log.entries.length;
    expect(await move(fork)).toMatchObject({ status: "failed", failure: { kind: "auth" } });
    expect([log.leafId, log.entries.length]).toEqual([left, entries]);
    expect(await move("no such entry")).toMatchObject({ status: "failed", failure: { kind: "log" } });
    expect(log.leafId).toBe(left);
  });
  test("that is aborted stays where it is", async () => {
    const { log, fork, left, move, abort, model } = branched({ script: [{ text: "The summary.", hang: true }] });
    const outcome = move(fork);
    await quiet();
    abort.abort();
    expect(await outcome).toMatchObject({ status: "aborted", requests: 1 });
    expect(log.leafId).toBe(left);
    expect(await move(fork)).toMatchObject({ status: "aborted", requests: 0 });
    expect(model.requests).toHaveLength(1);
  });
  test("that is aborted at any moment writes nothing afterwards", async () => {
    const statuses = new Set<string>();
    for (let turns = 0; turns < 60; turns += 1) {
      const { log, fork, move, abort } = branched();
      const outcome = move(fork);
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      abort.abort();
      const atAbort = [log.leafId, log.entries.length];
      statuses.add((await outcome).status);
      expect([log.leafId, log.entries.length]).toEqual(atAbort);
    }
    expect([...statuses].toSorted()).toEqual(["aborted", "done"]);
  });
  test("goes back when its summary cannot be written", async () => {
    const { log, left, fork, move } = branched();
    const write = log.append.bind(log);
    log.append = () => {
      log.append = write;
      throw new LogError("write", "no space left on device");
    };
    expect(await move(fork)).toMatchObject({ status: "failed", failure: { kind: "log" } });
    expect(log.leafId).toBe(left);
  });
});
