import { describe, expect, test } from "vitest";
import { cutByWindow, failedRun, failure, input, outcome, overflow, OVER } from "./facts.ts";
import { PureHost } from "./host.ts";

const settledAs = (host: PureHost) => host.said.find(({ type }) => type === "agent_settled");
const compactionEnd = (host: PureHost) => host.said.find(({ type }) => type === "compaction_end");
const notDone = ["failed", "nothing", "no_progress"] as const;
const hint = "nothing to compact";

const forOverflow = () => new PureHost().prompt().runEnds(failedRun(overflow));
const forLength = () => new PureHost().prompt().runEnds(outcome({ reply: cutByWindow }));
const afterAnswer = () => new PureHost().prompt().runEnds({ contextTokens: OVER });
const forPaused = () => new PureHost().prompt().runEnds({ status: "paused", contextTokens: OVER });
const beforePrompt = () => new PureHost().prompt(OVER);
const byHand = () => new PureHost().prompt().runEnds().send({ type: "COMPACT", contextTokens: 100 });

describe("for an overflow failure", () => {
  test("done: the recovery is spent, and the request goes out again", () => {
    const host = forOverflow().compactionEnds();
    expect(host.state).toEqual({ running: "live" });
    expect(host.snapshot.context.overflowRecoveryUsed).toBe(true);
    expect(compactionEnd(host)).toMatchObject({ reason: "overflow", willRetry: true, aborted: false });
  });

  test.each(notDone)("%s: settles failed, and says why and what to do", (status) => {
    const host = forOverflow().compactionEnds({ status, errorMessage: hint });
    expect(host.state).toBe("settled");
    expect(host.types()).toEqual(["compaction_end", "agent_settled"]);
    expect(settledAs(host)).toMatchObject({ outcome: { status: "failed", failure: { message: expect.stringContaining(hint) } } });
  });

  test("abort: settles aborted", () => {
    const host = forOverflow().send({ type: "ABORT", at: 0 });
    expect(host.types()).toEqual(["compaction_end", "agent_settled"]);
    expect(settledAs(host)).toMatchObject({ aborted: true });
  });
});

describe("for a reply the window cut", () => {
  test("done: as for an overflow", () => {
    const host = forLength().compactionEnds();
    expect(host.state).toEqual({ running: "live" });
    expect(host.snapshot.context.overflowRecoveryUsed).toBe(true);
  });

  test.each(notDone)("%s: the reply stays, and the prompt completes as cut", (status) => {
    const host = forLength().compactionEnds({ status, errorMessage: hint });
    expect(settledAs(host)).toMatchObject({ outcome: { status: "completed", cut: true } });
  });
});

describe("after a complete answer", () => {
  test("done: settles completed", () => {
    const host = afterAnswer().compactionEnds();
    expect(settledAs(host)).toMatchObject({ outcome: { status: "completed", cut: false } });
    expect(host.snapshot.context.thresholdMuted).toBe(false);
  });

  test.each(notDone)("%s: a good answer is not spoilt, and the threshold is muted", (status) => {
    const host = afterAnswer().compactionEnds({ status, errorMessage: hint });
    expect(settledAs(host)).toMatchObject({ outcome: { status: "completed" } });
    expect(host.snapshot.context.thresholdMuted).toBe(true);
  });

  test("a message queued meanwhile runs", () => {
    const host = afterAnswer().send({ type: "FOLLOW_UP", id: "a", contextTokens: 0 }).compactionEnds();
    expect(host.state).toEqual({ running: "live" });
    expect(host.types()).toEqual(["compaction_end", "agent_start"]);
  });
});

describe.each([
  ["for a paused run", forPaused],
  ["before a prompt", beforePrompt],
])("%s", (_, start) => {
  test("done: runs", () => {
    const host = start().compactionEnds();
    expect(host.state).toEqual({ running: "live" });
    expect(host.snapshot.context.thresholdMuted).toBe(false);
  });

  test.each(notDone)("%s: runs all the same, with the threshold muted until the next user message", (status) => {
    const host = start().compactionEnds({ status, errorMessage: hint });
    expect(host.state).toEqual({ running: "live" });
    expect(host.snapshot.context.thresholdMuted).toBe(true);
    host.runEnds({ contextTokens: OVER });
    expect(host.state).toBe("settled");
    expect(host.prompt().snapshot.context.thresholdMuted).toBe(false);
  });

  test("abort: settles aborted", () => {
    expect(start().send({ type: "ABORT", at: 0 }).state).toBe("settled");
  });
});

describe("by hand", () => {
  test.each(["done", ...notDone] as const)("%s: back to rest, with the outcome unchanged and no agent_settled", (status) => {
    const host = byHand();
    const before = host.snapshot.context.outcome;
    host.compactionEnds({ status });
    expect(host.state).toBe("settled");
    expect(host.types()).toEqual(["compaction_end"]);
    expect(host.snapshot.context.outcome).toEqual(before);
  });

  test("before anything ran it goes back to idle", () => {
    expect(new PureHost().send({ type: "COMPACT", contextTokens: 0 }).compactionEnds({ status: "nothing" }).state).toBe("idle");
  });

  test("an abort goes back to rest and keeps the queue", () => {
    const host = byHand().send({ type: "STEER", id: "a", contextTokens: 0 }).send({ type: "ABORT", at: 0 });
    expect(host.state).toBe("settled");
    expect(host.types()).toEqual(["compaction_end"]);
    expect(host.snapshot.context.steering).toEqual(["a"]);
  });

  test("a message queued meanwhile runs", () => {
    expect(byHand().send({ type: "STEER", id: "a", contextTokens: 0 }).compactionEnds().state).toEqual({ running: "live" });
  });
});

test("a log that cannot be written settles failed, also after a good answer", () => {
  const host = afterAnswer().compactionEnds({ status: "failed", failure: failure({ action: "stop", kind: "log" }) });
  expect(settledAs(host)).toMatchObject({ outcome: { status: "failed", failure: { kind: "log" } } });
});

test("a late answer of an earlier compaction is dropped", () => {
  const host = forOverflow();
  const { token } = host;
  host.send({ type: "ABORT", at: 0 }).prompt(OVER).compactionEnds({ token });
  expect(host.state).toBe("compacting");
  expect(host.said).toEqual([]);
});

test("an overflow teaches the window of a model whose window is unknown", () => {
  const host = new PureHost({ ...input, model: { key: "provider/model", contextWindow: null } });
  host.prompt().runEnds(failedRun({ ...overflow, contextWindow: 32_000 }));
  expect(host.snapshot.context.model.contextWindow).toBe(32_000);
});
