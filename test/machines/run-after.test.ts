import { describe, expect, test } from "vitest";
import { decideAfterRun, OVERFLOW_AGAIN, plannedRetry, runAfterRules } from "../../machines/run-after.ts";
import type { PolicySettings } from "../../machines/types.ts";
import { cutByWindow, facts, failedRun, failure, outcome, overflow, OVER, policy, quota, reply, UNDER } from "./facts.ts";

const retrySettings = (retry: Partial<PolicySettings["retry"]>): PolicySettings => ({
  ...policy,
  retry: { ...policy.retry, ...retry },
});
const compactionOff: PolicySettings = { ...policy, compaction: { ...policy.compaction, enabled: false } };

test("the table is the design's, in its order", () => {
  expect(runAfterRules.map(({ name }) => name)).toEqual([
    "aborted",
    "retryFailure",
    "overflowOnCompleteReply",
    "overflowAgain",
    "recoverOverflow",
    "otherFailure",
    "overThreshold",
    "moreToDo",
    "completed",
  ]);
});

test("each rule says in words when it matches and what follows", () => {
  for (const rule of runAfterRules) {
    expect(rule.when).not.toBe("");
    expect(rule.then).not.toBe("");
  }
});

test.each([
  ["aborted", facts(outcome({ status: "aborted" }))],
  ["retryFailure", facts(failedRun(failure()))],
  ["overflowOnCompleteReply", facts(outcome({ reply: reply({ inputTokens: 100_001 }) }))],
  ["overflowAgain", facts(failedRun(overflow), { overflowRecoveryUsed: true })],
  ["recoverOverflow", facts(failedRun(overflow))],
  ["otherFailure", facts(failedRun(quota))],
  ["overThreshold", facts(outcome({ contextTokens: OVER }))],
  ["moreToDo", facts(outcome(), { steering: ["a"] })],
  ["completed", facts(outcome())],
])("the rule %s leads where the table says", (name, given) => {
  const { rule, next } = decideAfterRun(given);
  expect(rule).toBe(name);
  expect(next.state).toBe(runAfterRules.find((one) => one.name === name)?.target);
});

test("a rule that is asked to retry what is not to be retried says so", () => {
  const rule = runAfterRules.find(({ name }) => name === "retryFailure");
  expect(() => rule?.decide(facts(outcome()))).toThrow("retryFailure was asked to decide where it does not match");
});

describe("1 aborted", () => {
  test("an abort settles, whatever else is true of the run", () => {
    const run = failedRun(failure(), { status: "aborted", contextTokens: OVER });
    const { rule, next } = decideAfterRun(facts(run, { steering: ["a"] }));
    expect(rule).toBe("aborted");
    expect(next).toEqual({ state: "settled", outcome: { status: "aborted", cut: false, failure: null } });
  });
});

describe("2 retry", () => {
  test("a passing failure backs off, from the time the run ended", () => {
    const { rule, next } = decideAfterRun(facts(failedRun(failure())));
    expect(rule).toBe("retryFailure");
    expect(next).toEqual({ state: "backoff", delayMs: 2_000, retryAt: 3_000, maxAttempts: 3 });
  });

  test.each([
    [0, 2_000],
    [1, 4_000],
    [2, 8_000],
  ])("after %i retries the wait is %i ms", (attempt, delayMs) => {
    expect(decideAfterRun(facts(failedRun(failure()), { attempt })).next).toMatchObject({ delayMs });
  });

  test("the fourth failure in a row settles: three retries are four requests", () => {
    expect(decideAfterRun(facts(failedRun(failure()), { attempt: 3 })).rule).toBe("otherFailure");
  });

  test("with retries off every failure settles", () => {
    expect(decideAfterRun(facts(failedRun(failure()), { settings: retrySettings({ enabled: false }) })).rule).toBe(
      "otherFailure",
    );
  });

  test("the demanded wait is a floor, never a shortcut", () => {
    const demands = (retryAfterMs: number) => decideAfterRun(facts(failedRun(failure({ retryAfterMs })))).next;
    expect(demands(500)).toMatchObject({ delayMs: 2_000 });
    expect(demands(7_000)).toMatchObject({ delayMs: 7_000 });
  });

  test("a demanded wait above the cap is waited for up to longWait, and beyond it the failure names the time", () => {
    expect(decideAfterRun(facts(failedRun(failure({ retryAfterMs: 600_000 })))).next).toMatchObject({ delayMs: 600_000 });
    const { rule, next } = decideAfterRun(facts(failedRun(failure({ retryAfterMs: 600_001 }))));
    expect(rule).toBe("otherFailure");
    expect(JSON.stringify(next)).toContain("1970-01-01T00:10:01.001Z");
  });

  test("with longWait 0 a wait above the cap fails at once", () => {
    const settings = retrySettings({ longWait: { waitUpToMs: 0 } });
    expect(decideAfterRun(facts(failedRun(failure({ retryAfterMs: 60_001 })), { settings })).rule).toBe("otherFailure");
    expect(decideAfterRun(facts(failedRun(failure({ retryAfterMs: 60_000 })), { settings })).rule).toBe("retryFailure");
  });

  test("the time a limit ends counts as a demanded wait", () => {
    const limited = failure({ kind: "rate_limited", resetAt: 31_000 });
    expect(decideAfterRun(facts(failedRun(limited))).next).toMatchObject({ delayMs: 30_000, retryAt: 31_000 });
  });

  test("quota, auth and bad requests never back off, unless a policy says so", () => {
    expect(decideAfterRun(facts(failedRun(quota))).rule).toBe("otherFailure");
    const settings = retrySettings({ policies: { quota_exhausted: { action: "retry", maxRetries: 1, baseDelayMs: 50 } } });
    expect(decideAfterRun(facts(failedRun(quota), { settings })).next).toMatchObject({ delayMs: 50, maxAttempts: 1 });
    expect(decideAfterRun(facts(failedRun(quota), { settings, attempt: 1 })).rule).toBe("otherFailure");
  });

  test("a policy can stop a kind that is retried by default", () => {
    const settings = retrySettings({ policies: { overloaded: { action: "stop" } } });
    expect(decideAfterRun(facts(failedRun(failure()), { settings })).rule).toBe("otherFailure");
  });

  test("only a run that failed is retried", () => {
    expect(plannedRetry(facts(outcome({ failure: failure() })))).toBeNull();
    expect(plannedRetry(facts(failedRun(failure(), { status: "aborted" })))).toBeNull();
  });

  test("overflow never backs off, whatever a policy says", () => {
    const settings = retrySettings({ policies: { context_overflow: { action: "retry" } } });
    expect(decideAfterRun(facts(failedRun(overflow), { settings })).rule).toBe("recoverOverflow");
  });
});

describe("3 overflow on a complete reply", () => {
  const silent = outcome({ reply: reply({ inputTokens: 100_001 }) });

  test("the answer is kept, and the context compacted without a retry", () => {
    const { rule, next } = decideAfterRun(facts(silent));
    expect(rule).toBe("overflowOnCompleteReply");
    expect(next).toEqual({ state: "compacting", task: { purpose: "answer", reason: "overflow", omit: [] } });
  });

  test("a window that is just filled holds what was read", () => {
    expect(decideAfterRun(facts(outcome({ reply: reply({ inputTokens: 100_000 }) }))).rule).toBe("completed");
  });

  test("not of a run that failed, and not of a reply that did not stop by itself", () => {
    expect(decideAfterRun(facts(failedRun(quota, { reply: reply({ inputTokens: 100_001 }) }))).rule).toBe("otherFailure");
    const atItsLimit = reply({ stopReason: "length", inputTokens: 100_001, outputTokens: 10, maxOutputTokens: 10 });
    expect(decideAfterRun(facts(outcome({ reply: atItsLimit }))).rule).toBe("completed");
  });

  test("not of another model, not without a window, not with compaction off", () => {
    const completed = { rule: "completed" };
    expect(decideAfterRun(facts(silent, { model: { key: "other/model", contextWindow: 1_000 } }))).toMatchObject(completed);
    expect(decideAfterRun(facts(silent, { model: { key: "provider/model", contextWindow: null } }))).toMatchObject(completed);
    expect(decideAfterRun(facts(silent, { settings: compactionOff }))).toMatchObject(completed);
  });
});

describe("4 overflow again", () => {
  test("a second overflow for the same user message settles failed, and says what to do", () => {
    const { rule, next } = decideAfterRun(facts(failedRun(overflow), { overflowRecoveryUsed: true }));
    expect(rule).toBe("overflowAgain");
    expect(next).toEqual({
      state: "settled",
      outcome: { status: "failed", cut: false, failure: { ...overflow, message: OVERFLOW_AGAIN } },
    });
    expect(OVERFLOW_AGAIN).toBe(
      "Context overflow recovery failed after one compact-and-retry attempt. Reduce the context or switch to a model with a larger window.",
    );
  });

  test("a used recovery alone decides nothing", () => {
    expect(decideAfterRun(facts(outcome(), { overflowRecoveryUsed: true })).rule).toBe("completed");
    expect(decideAfterRun(facts(failedRun(quota), { overflowRecoveryUsed: true })).rule).toBe("otherFailure");
  });

  test("a second recoverable length settles completed, and says that the answer is cut", () => {
    const { rule, next } = decideAfterRun(facts(outcome({ reply: cutByWindow }), { overflowRecoveryUsed: true }));
    expect(rule).toBe("overflowAgain");
    expect(next).toEqual({ state: "settled", outcome: { status: "completed", cut: true, failure: null } });
  });
});

describe("5 recover from overflow", () => {
  test("an overflow compacts, to omit the reply and repeat once", () => {
    const { rule, next } = decideAfterRun(facts(failedRun(overflow)));
    expect(rule).toBe("recoverOverflow");
    expect(next).toEqual({ state: "compacting", task: { purpose: "overflow", reason: "overflow", omit: ["reply"] } });
  });

  test("where no reply had begun there is none to omit", () => {
    const { rule, next } = decideAfterRun(facts(failedRun(overflow, { reply: null })));
    expect(rule).toBe("recoverOverflow");
    expect(next).toEqual({ state: "compacting", task: { purpose: "overflow", reason: "overflow", omit: [] } });
  });

  test("a run that did not fail has no overflow", () => {
    expect(decideAfterRun(facts(outcome({ failure: overflow }))).rule).toBe("completed");
  });

  test("so does a reply that the full window cut", () => {
    expect(decideAfterRun(facts(outcome({ reply: cutByWindow }))).next).toMatchObject({ task: { purpose: "length" } });
  });

  test.each([
    ["nine tenths of the window are used, output included", { inputTokens: 89_000, outputTokens: 1_000 }],
    ["no output limit is known", { maxOutputTokens: null }],
  ])("a reply counts as cut by the window when %s", (_, parts) => {
    expect(decideAfterRun(facts(outcome({ reply: { ...cutByWindow, ...parts } }))).rule).toBe("recoverOverflow");
  });

  test.each([
    ["the output limit was reached", { outputTokens: 8_000 }],
    ["the window was not nearly full", { inputTokens: 80_000 }],
    ["another model gave it", { model: "other/model" }],
    ["one token is missing to nine tenths of the window", { inputTokens: 89_000, outputTokens: 999 }],
    ["no usage was reported", { inputTokens: 0, outputTokens: 0 }],
  ])("not when %s", (_, parts) => {
    expect(decideAfterRun(facts(outcome({ reply: { ...cutByWindow, ...parts } })))).toMatchObject({
      rule: "completed",
      next: { outcome: { cut: true } },
    });
  });

  test("with an unknown window a reply below its output limit is taken for cut by the window", () => {
    const model = { key: "provider/model", contextWindow: null };
    expect(decideAfterRun(facts(outcome({ reply: cutByWindow }), { model })).rule).toBe("recoverOverflow");
  });

  test("with an unknown window, nothing follows from a reply of unknown limit or unknown usage", () => {
    const model = { key: "provider/model", contextWindow: null };
    const unlimited = { ...cutByWindow, maxOutputTokens: null };
    expect(decideAfterRun(facts(outcome({ reply: unlimited }), { model })).rule).toBe("completed");
    const unmeasured = { ...cutByWindow, inputTokens: 0, outputTokens: 0 };
    expect(decideAfterRun(facts(outcome({ reply: unmeasured }), { model })).rule).toBe("completed");
  });

  test("a reply that stopped by itself was cut by nothing", () => {
    const full = { ...cutByWindow, stopReason: "stop" } as const;
    expect(decideAfterRun(facts(outcome({ reply: full }))).rule).toBe("completed");
  });

  test("an overflow of another model, or with compaction off, settles failed", () => {
    expect(decideAfterRun(facts(failedRun(overflow), { model: { key: "x/y", contextWindow: 1 } })).rule).toBe("otherFailure");
    expect(decideAfterRun(facts(failedRun(overflow), { settings: compactionOff })).rule).toBe("otherFailure");
  });
});

describe("6 any other failure", () => {
  test("settles failed with the failure", () => {
    expect(decideAfterRun(facts(failedRun(quota))).next).toEqual({
      state: "settled",
      outcome: { status: "failed", cut: false, failure: quota },
    });
  });

  test("a run that failed without saying why settles failed too", () => {
    expect(decideAfterRun(facts(outcome({ status: "failed", reply: null })))).toEqual({
      rule: "otherFailure",
      next: { state: "settled", outcome: { status: "failed", cut: false, failure: null } },
    });
  });

  test("a wait that was too long is named in the hint", () => {
    const limited = failure({ retryAfterMs: 600_001 });
    expect(decideAfterRun(facts(failedRun(limited))).next).toMatchObject({
      outcome: {
        failure: {
          ...limited,
          hint: "The provider asks to wait 601 s, until 1970-01-01T00:10:01.001Z: longer than retry.longWait.waitUpToMs (600000 ms). Continue after that time, or raise the setting.",
        },
      },
    });
  });

  test.each([
    ["a failure that no wait helps", failure({ ...quota, retryAfterMs: 700_000 }), policy],
    ["any failure with retries off", failure({ retryAfterMs: 700_000 }), retrySettings({ enabled: false })],
    ["a failure without a wait, out of retries", failure(), retrySettings({ maxRetries: 0 })],
    ["a wait between cap and longWait, out of retries", failure({ retryAfterMs: 300_000 }), retrySettings({ maxRetries: 0 })],
    ["a wait of just longWait, out of retries", failure({ retryAfterMs: 600_000 }), retrySettings({ maxRetries: 0 })],
  ])("%s keeps its own hint", (_, why, settings) => {
    expect(decideAfterRun(facts(failedRun(why), { settings }))).toEqual({
      rule: "otherFailure",
      next: { state: "settled", outcome: { status: "failed", cut: false, failure: why } },
    });
  });
});

describe("7 over the threshold", () => {
  test("a complete answer over the threshold is followed by a compaction", () => {
    expect(decideAfterRun(facts(outcome({ contextTokens: OVER }))).next).toEqual({
      state: "compacting",
      task: { purpose: "answer", reason: "threshold", omit: [] },
    });
    expect(decideAfterRun(facts(outcome({ contextTokens: UNDER }))).rule).toBe("completed");
  });

  test("a paused run compacts even where the threshold is muted", () => {
    const run = outcome({ status: "paused", contextTokens: OVER });
    expect(decideAfterRun(facts(run, { thresholdMuted: true })).next).toMatchObject({ task: { purpose: "paused" } });
  });

  test("muted, without a window, or with compaction off there is no threshold", () => {
    const run = outcome({ contextTokens: OVER });
    expect(decideAfterRun(facts(run, { thresholdMuted: true })).rule).toBe("completed");
    expect(decideAfterRun(facts(run, { model: { key: "provider/model", contextWindow: null } })).rule).toBe("completed");
    expect(decideAfterRun(facts(run, { settings: compactionOff })).rule).toBe("completed");
  });

  test("a window smaller than four reserves keeps a quarter of itself free", () => {
    const model = { key: "provider/model", contextWindow: 8_000 };
    expect(decideAfterRun(facts(outcome({ contextTokens: 6_001 }), { model })).rule).toBe("overThreshold");
    expect(decideAfterRun(facts(outcome({ contextTokens: 6_000 }), { model })).rule).toBe("completed");
  });
});

describe("8 more to do", () => {
  test.each([{ steering: ["a"] }, { followUp: ["a"] }])("a queued message runs again: %j", (queued) => {
    expect(decideAfterRun(facts(outcome(), queued))).toEqual({ rule: "moreToDo", next: { state: "running" } });
  });

  test("after a failure queued messages stay queued", () => {
    expect(decideAfterRun(facts(failedRun(quota), { steering: ["a"] })).rule).toBe("otherFailure");
  });

  test("a run that paused just before compaction was switched off goes on", () => {
    expect(decideAfterRun(facts(outcome({ status: "paused" }), { settings: compactionOff })).rule).toBe("moreToDo");
  });
});

describe("9 completed", () => {
  test("a run without a reply is complete", () => {
    expect(decideAfterRun(facts(outcome({ reply: null })))).toEqual({
      rule: "completed",
      next: { state: "settled", outcome: { status: "completed", cut: false, failure: null } },
    });
  });

  test("nothing is left to do", () => {
    expect(decideAfterRun(facts(outcome())).next).toEqual({
      state: "settled",
      outcome: { status: "completed", cut: false, failure: null },
    });
  });

  test("an answer that reached its output limit is complete, but cut", () => {
    const run = outcome({ reply: reply({ stopReason: "length", outputTokens: 8_000, maxOutputTokens: 8_000 }) });
    expect(decideAfterRun(facts(run)).next).toMatchObject({ outcome: { status: "completed", cut: true } });
  });
});
