import { describe, expect, test } from "vitest";
import { estimateTokens } from "../../src/compaction/estimate.ts";
import { compact } from "../../src/compaction/compact.ts";
import type { CompactionDone, CompactionOutcome, SummaryRetrySettings } from "../../src/compaction/types.ts";
import { makeFailure } from "../../src/errors/index.ts";
import { LogError } from "../../src/log/errors.ts";
import type { CompactionEntry } from "../../src/log/types.ts";
import { assistant, calling, counted, result, say, strayResults, textOf, user } from "./conversation.ts";
import { harness, promptOf, quiet, withTime } from "./harness.ts";

/** Turns of 200 tokens: more than what is kept, in a window they fill. */
const turns = (count: number) =>
  Array.from({ length: count }, (_, index) => [
    user(`${index}?`.padEnd(400, "x")),
    assistant(`${index}!`.padEnd(400, "x")),
  ]).flat();
const SMALL = { contextWindow: 4000, modelWindow: 16_000, reserveTokens: 1000, keepRecentTokens: 400 };

function done(outcome: CompactionOutcome): CompactionDone {
  if (outcome.status !== "done") throw new Error(`${outcome.status}: ${outcome.reason}`);
  return outcome;
}

describe("a compaction", () => {
  test("puts a summary in the place of all but the newest messages", async () => {
    const { log, run, model } = harness(turns(16), SMALL);
    const outcome = done(await run());
    const shown = log.projection.messages();
    expect(shown[0]).toMatchObject({ role: "user", content: expect.stringContaining("<summary>\nThe summary.") as string });
    expect(shown.slice(1).map(({ content }) => JSON.stringify(content).slice(0, 8))).toHaveLength(4);
    expect(model.requests).toHaveLength(1);
    expect(promptOf(model.requests[0])).toContain("13!");
    expect(promptOf(model.requests[0])).not.toContain("14?");
    const entry = log.entry(outcome.entryId) as CompactionEntry;
    expect(entry).toMatchObject({
      type: "compaction",
      tokensBefore: outcome.tokensBefore,
      firstKeptEntryId: outcome.result.firstKeptEntryId,
    });
    expect(entry.summary).toBe(outcome.result.summary);
  });
  test("tells its size before and after as the meter does, and what it cost", async () => {
    const { meter, run, log } = harness(turns(16), { ...SMALL, overhead: 300 });
    const before = meter.tokens();
    const outcome = done(await run());
    expect(outcome.tokensBefore).toBe(before);
    expect(outcome.tokensAfter).toBe(meter.tokens());
    expect(outcome.result).toMatchObject({ tokensBefore: before, estimatedTokensAfter: outcome.tokensAfter });
    expect(outcome.requests).toBe(1);
    expect(outcome.usage.totalTokens).toBeGreaterThan(0);
    expect((log.entry(outcome.entryId) as CompactionEntry).usage).toEqual(outcome.usage);
  });
  test("carries the earlier summary on, and replaces it", async () => {
    const { log, run, model } = harness(turns(16), { ...SMALL, script: ["First summary.", "Second summary."] });
    done(await run());
    say(log, ...turns(16));
    done(await run());
    expect(promptOf(model.requests[1])).toContain("<memory>\nFirst summary.\n</memory>");
    expect(JSON.stringify(log.projection.messages())).not.toContain("First summary.");
    expect(JSON.stringify(log.projection.messages())).toContain("Second summary.");
  });
  test("carries on which files were read and modified", async () => {
    const work = (id: string, name: string, input: Record<string, unknown>, isError = false) => [
      calling([id, name, input]),
      result(id, "ok", { isError }),
    ];
    const { log, run, model } = harness(
      [
        user("Work"),
        ...work("a", "read", { path: "a.ts" }),
        ...work("b", "read_file", { file_path: "b.ts" }),
        ...work("c", "edit", { path: "b.ts" }),
        ...work("d", "write", { path: "failed.ts" }, true),
        ...work("e", "search", { path: "unknown.ts" }),
        ...turns(16),
      ],
      SMALL,
    );
    const first = done(await run());
    expect(first.result.details).toEqual({ readFiles: ["a.ts"], modifiedFiles: ["b.ts"] });
    expect(first.result.summary).toContain("<read-files>\na.ts\n</read-files>\n\n<modified-files>\nb.ts\n</modified-files>");
    say(log, user("More"), ...work("f", "write", { path: "a.ts" }), ...turns(16));
    const second = done(await run());
    expect(second.result.details).toEqual({ readFiles: [], modifiedFiles: ["b.ts", "a.ts"] });
    expect(promptOf(model.requests[1])).not.toContain("<read-files>");
  });
  test("quotes the request of the turn it splits, also when it splits it again", async () => {
    const rounds = (count: number) =>
      Array.from({ length: count }, (_, index) => [calling([`c${index}`, "look"]), result(`c${index}`, textOf(150))]).flat();
    const { log, run, model } = harness([...turns(2), user("Paint the shed green"), ...rounds(20)], SMALL);
    const first = done(await run());
    expect(first.result.summary).toContain("<current-request>\nPaint the shed green\n</current-request>");
    expect(promptOf(model.requests[0])).toContain("## Current turn");
    say(log, ...rounds(20));
    const second = done(await run());
    expect(second.result.summary).toContain("<current-request>\nPaint the shed green\n</current-request>");
    expect(promptOf(model.requests[1])).not.toContain("<current-request>");
    expect(strayResults(log.projection.messages())).toEqual([]);
  });
  test("with instructions gives them to the model", async () => {
    const { run, model } = harness(turns(16), SMALL);
    await run({ reason: "manual", instructions: "  Mind the colours. " });
    expect(promptOf(model.requests[0])).toContain("in particular:\nMind the colours.\n");
  });
  test("keeps messages that came while it ran", async () => {
    const { log, run, clock, meter } = harness(turns(16), { ...SMALL, script: [{ text: "The summary.", delayMs: 100 }] });
    const outcome = run();
    await quiet();
    say(log, user("Late"));
    const { tokensAfter } = done(await withTime(clock, outcome));
    expect(log.projection.messages().at(-1)).toMatchObject({ content: "Late" });
    expect(tokensAfter).toBe(meter.tokens());
  });
  test("judges its progress with the messages that came while it ran", async () => {
    const { log, run, clock, commits } = harness(turns(16), { ...SMALL, script: [{ text: "The summary.", delayMs: 100 }] });
    const outcome = run();
    await quiet();
    say(log, user(textOf(2600)));
    expect(await withTime(clock, outcome)).toMatchObject({ status: "no_progress", requests: 1 });
    expect(commits).toEqual([]);
  });
  test("drops its summary when the conversation was changed while it ran", async () => {
    const { log, run, clock, commits } = harness(turns(16), { ...SMALL, script: [{ text: "The summary.", delayMs: 100 }] });
    const outcome = run();
    await quiet();
    log.moveTo(log.entries[4]?.id ?? null);
    expect(await withTime(clock, outcome)).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("changed while") as string,
      requests: 1,
    });
    expect(commits).toEqual([]);
  });
});

describe("what was refused or cut", () => {
  test("is left out together with the compaction, in one commit, the omission last", async () => {
    const cut = assistant(textOf(50), { stopReason: "length" });
    const { log, run, commits } = harness([...turns(16), user("Go on"), cut], SMALL);
    const omit = [log.leafId ?? ""];
    done(await run({ reason: "overflow", omit }));
    expect(commits).toHaveLength(1);
    expect(commits[0]?.map(({ type }) => type)).toEqual(["compaction", "context_edit"]);
    expect(commits[0]?.at(-1)).toEqual({ type: "context_edit", targetId: omit[0], replacement: null });
    expect(log.projection.messages().at(-1)).toMatchObject({ content: "Go on" });
  });
  test("takes its results with it", async () => {
    const { log, run } = harness([...turns(16), user("Go on"), calling(["a", "look"]), result("a", textOf(50))], SMALL);
    const [call] = log.projection.items.slice(-2);
    const outcome = done(await run({ reason: "overflow", omit: [call?.entryId ?? ""] }));
    expect(log.projection.messages().at(-1)).toMatchObject({ content: "Go on" });
    expect(outcome.result.summary).toBe("The summary.");
  });
  test("does not take results of a later reply with it that uses the same ids", async () => {
    const { log, run, model } = harness(
      [
        user("Go on"),
        calling(["call_0", "look"]),
        result("call_0", "FIRST"),
        calling(["call_0", "look"]),
        result("call_0", "SECOND"),
        ...turns(16),
      ],
      SMALL,
    );
    done(await run({ omit: [log.entries[1]?.id ?? ""] }));
    expect(promptOf(model.requests[0])).toContain("SECOND");
    expect(promptOf(model.requests[0])).not.toContain("FIRST");
  });
  test("is not summarised", async () => {
    const { log, run, model } = harness([...turns(16), user("Go on"), assistant("HALF AN ANSWER", { stopReason: "length" })], {
      ...SMALL,
      keepRecentTokens: 0,
    });
    await run({ reason: "overflow", omit: [log.leafId ?? ""] });
    expect(promptOf(model.requests[0])).not.toContain("HALF AN ANSWER");
  });
  test("stays where the compaction does not come about", async () => {
    const { log, run } = harness([...turns(16), user("Go on"), assistant("half", { stopReason: "length" })], {
      ...SMALL,
      script: [{ failure: { status: 401, message: "bad key" } }],
    });
    const entries = log.entries.length;
    expect(await run({ reason: "overflow", omit: [log.leafId ?? ""] })).toMatchObject({
      status: "failed",
      failure: { kind: "auth" },
    });
    expect(log.entries).toHaveLength(entries);
    expect(log.projection.messages().at(-1)).toMatchObject({ content: [{ text: "half" }] });
  });
});

describe("a context that overflowed", () => {
  test("of a window nobody knows is at least halved", async () => {
    const { run, meter } = harness(turns(10), { reserveTokens: 16_384, keepRecentTokens: 20_000 });
    const outcome = done(await run({ reason: "overflow" }));
    expect(meter.tokens()).toBeLessThan(outcome.tokensBefore * 0.6);
  });
  test("though it was thought to fit, keeps less than the estimate would allow", async () => {
    // 8000 tokens by the estimate, refused by a window of 20000: its text has more tokens than it looks.
    const { run, meter } = harness(turns(40), { contextWindow: 20_000, reserveTokens: 2000, keepRecentTokens: 10_000 });
    done(await run({ reason: "overflow" }));
    expect(meter.tokens()).toBeLessThan(4200);
  });
  test("by a single giant tool result has it shortened, and nothing summarised", async () => {
    const { log, run, model, meter } = harness(
      [user("Read it"), calling(["a", "read"]), result("a", `BEGIN${textOf(30_000)}END`)],
      SMALL,
    );
    const outcome = done(await run({ reason: "overflow" }));
    expect(model.requests).toHaveLength(0);
    expect(outcome).toMatchObject({ requests: 0, result: { summary: "", firstKeptEntryId: log.entries[0]?.id } });
    expect(log.entry(outcome.entryId)).toMatchObject({ type: "context_edit", targetId: log.entries[2]?.id });
    expect(outcome.tokensAfter).toBe(meter.tokens());
    expect(meter.tokens()).toBeLessThan(3000);
    expect(log.projection.messages()[0]).toMatchObject({ content: "Read it" });
    expect(JSON.stringify(log.projection.messages()[2])).toMatch(/BEGIN.*END.*had 120008 characters/);
  });
  test("keeps its summary when only tool results are shortened", async () => {
    const { log, run, ports, model } = harness(turns(16), SMALL);
    const first = done(await run());
    const [summary] = log.projection.messages();
    say(log, user("Read it"), calling(["a", "read"]), result("a", textOf(30_000)));
    const outcome = done(await compact({ ...ports, keepRecentTokens: 1500 }, { reason: "overflow", omit: [] }));
    expect(model.requests).toHaveLength(1);
    expect(outcome.result).toMatchObject({ summary: first.result.summary, firstKeptEntryId: first.result.firstKeptEntryId });
    expect(log.projection.messages()[0]).toEqual(summary);
    expect(log.entries.findLast(({ type }) => type === "compaction")?.id).toBe(first.entryId);
  });
  test("by old messages and a giant tool result has the ones summarised and the other shortened, in one commit", async () => {
    const { run, commits, meter } = harness(
      [...turns(16), user("Read it"), calling(["a", "read"]), result("a", textOf(30_000))],
      SMALL,
    );
    const outcome = done(await run({ reason: "overflow" }));
    expect(commits.map((drafts) => drafts.map(({ type }) => type))).toEqual([["compaction", "context_edit"]]);
    expect(outcome.tokensAfter).toBe(meter.tokens());
    expect(outcome.tokensAfter).toBeLessThan(3000);
  });
  test("by a giant tool result that was thought to fit has it shortened all the same", async () => {
    // 3000 tokens by the estimate, refused by a window of 10000.
    const { run, meter } = harness([user("Read it"), calling(["a", "read"]), result("a", textOf(3000))], {
      contextWindow: 10_000,
      reserveTokens: 1000,
    });
    done(await run({ reason: "overflow" }));
    expect(meter.tokens()).toBeLessThan(1600);
  });
  test("by a giant tool result beside a large system prompt has it shortened to what is left", async () => {
    const { run, meter } = harness([user("Read it"), calling(["a", "read"]), result("a", textOf(30_000))], {
      ...SMALL,
      keepRecentTokens: 2000,
      overhead: 2000,
    });
    done(await run());
    expect(meter.tokens()).toBeLessThan(3000);
    expect(meter.tokens()).toBeGreaterThan(2500);
  });
  test("by the newest message of the user has nothing to compact", async () => {
    const { run, model, commits } = harness([user(textOf(10_000))], SMALL);
    expect(await run({ reason: "overflow" })).toMatchObject({ status: "nothing", tokensBefore: 10_000, requests: 0 });
    expect(model.requests).toHaveLength(0);
    expect(commits).toEqual([]);
  });
});

describe("a context with little room beside system prompt and tools", () => {
  test("keeps less than it would, rather than not being compacted at all", async () => {
    const { run, meter } = harness(turns(16), { ...SMALL, keepRecentTokens: 2000, overhead: 1800 });
    done(await run());
    expect(meter.tokens()).toBeLessThan(3000);
  });
  test("lets go of a long message that would just be kept", async () => {
    const { run, log } = harness([user(textOf(2900)), assistant("I see"), user("Go on"), assistant(textOf(300))], {
      ...SMALL,
      keepRecentTokens: 2000,
      overhead: 300,
    });
    done(await run());
    expect(log.projection.items).toHaveLength(4);
  });
});

describe("progress", () => {
  test("is judged before a summary is paid for, where what is kept is too much by itself", async () => {
    const { run, model, commits } = harness([...turns(4), user(textOf(10_000))], SMALL);
    expect(await run()).toMatchObject({ status: "no_progress", requests: 0 });
    expect(model.requests).toHaveLength(0);
    expect(commits).toEqual([]);
  });
  test("is judged before anything is written, where the summary is too long", async () => {
    const { run, commits } = harness(turns(16), { ...SMALL, script: [textOf(2900)] });
    expect(await run()).toMatchObject({
      status: "no_progress",
      requests: 1,
      reason: expect.stringContaining("would not help") as string,
    });
    expect(commits).toEqual([]);
  });
  test("counts what is about to be delivered", async () => {
    expect(await harness(turns(16), { ...SMALL, pendingTokens: 2000 }).run()).toMatchObject({ status: "done" });
    expect(await harness(turns(16), { ...SMALL, pendingTokens: 2600 }).run()).toMatchObject({ status: "no_progress" });
  });
  test("without a known window is to be under nine tenths of before", async () => {
    const unknown = { reserveTokens: 1000, keepRecentTokens: 400 };
    expect(await harness(turns(5), { ...unknown, script: [textOf(350)] }).run()).toMatchObject({ status: "done" });
    expect(await harness(turns(5), { ...unknown, script: [textOf(500)] }).run()).toMatchObject({ status: "no_progress" });
  });
  test("is helped by shortening results further when the summary is longer than thought", async () => {
    const { run, meter } = harness([...turns(16), user("Read it"), calling(["a", "read"]), result("a", textOf(1900))], {
      ...SMALL,
      keepRecentTokens: 1500,
      script: [textOf(1500)],
    });
    const outcome = done(await run());
    expect(outcome.tokensAfter).toBe(meter.tokens());
    expect(outcome.tokensAfter).toBeLessThan(3000);
  });
  test("is not needed of a conversation that is short enough: there is nothing to compact", async () => {
    const { run, model } = harness(turns(2), SMALL);
    expect(await run({ reason: "manual" })).toMatchObject({
      status: "nothing",
      reason: expect.stringContaining("nothing to compact") as string,
    });
    expect(model.requests).toHaveLength(0);
  });
});

describe("a failing summary request", () => {
  const overloaded = { failure: { status: 529, message: "Overloaded" } };

  test("is sent again within the retry budget, and says so", async () => {
    const { run, clock, events, model } = harness(turns(16), { ...SMALL, script: [overloaded, overloaded, "The summary."] });
    const outcome = done(await withTime(clock, run()));
    expect(model.requests).toHaveLength(3);
    expect(outcome.requests).toBe(3);
    expect(events).toEqual([
      {
        type: "summarization_retry_scheduled",
        attempt: 1,
        maxAttempts: 3,
        delayMs: 2000,
        errorMessage: expect.stringContaining("Overloaded") as string,
      },
      { type: "summarization_retry_attempt_start", source: "compaction", reason: "threshold" },
      {
        type: "summarization_retry_scheduled",
        attempt: 2,
        maxAttempts: 3,
        delayMs: 4000,
        errorMessage: expect.stringContaining("Overloaded") as string,
      },
      { type: "summarization_retry_attempt_start", source: "compaction", reason: "threshold" },
      { type: "summarization_retry_finished", success: true },
    ]);
    expect(clock.now()).toBe(6000);
  });
  test("fails with the last failure when the budget is used up", async () => {
    const { run, clock, events, model, commits } = harness(turns(16), { ...SMALL, script: () => overloaded });
    expect(await withTime(clock, run())).toMatchObject({
      status: "failed",
      failure: { kind: "overloaded", status: 529 },
      requests: 4,
    });
    expect(model.requests).toHaveLength(4);
    expect(events.at(-1)).toEqual({ type: "summarization_retry_finished", success: false });
    expect(commits).toEqual([]);
  });
  test("is not sent again when retries are off, or when that cannot help", async () => {
    const off = harness(turns(16), {
      ...SMALL,
      script: () => overloaded,
      retry: { enabled: false, maxRetries: 3, baseDelayMs: 1, maxDelayMs: 1, jitter: 0 },
    });
    expect(await off.run()).toMatchObject({ status: "failed", requests: 1 });
    const quota = harness(turns(16), {
      ...SMALL,
      script: () => ({ failure: { status: 429, code: "insufficient_quota", message: "You exceeded your current quota" } }),
    });
    expect(await quota.run()).toMatchObject({ status: "failed", requests: 1, failure: { kind: "quota_exhausted" } });
    expect([...off.events, ...quota.events]).toEqual([]);
  });
  test("waits as long as the provider demands, but not longer than it may", async () => {
    const throttled = (seconds: number) => ({
      failure: { status: 429, message: "Slow down", headers: { "retry-after": String(seconds) } },
    });
    const short = harness(turns(16), { ...SMALL, script: [throttled(30), "The summary."] });
    done(await withTime(short.clock, short.run()));
    expect(short.clock.now()).toBe(30_000);
    const long = harness(turns(16), { ...SMALL, script: [throttled(90), "The summary."] });
    expect(await withTime(long.clock, long.run())).toMatchObject({ status: "failed", requests: 1 });
    const retry = {
      enabled: true,
      maxRetries: 3,
      baseDelayMs: 2000,
      maxDelayMs: 60_000,
      jitter: 0,
      longestDemandedWaitMs: 120_000,
    };
    const allowed = harness(turns(16), { ...SMALL, retry, script: [throttled(90), "The summary."] });
    done(await withTime(allowed.clock, allowed.run()));
    expect(allowed.clock.now()).toBe(90_000);
  });
  test("is sent again as often as the policy of its kind says", async () => {
    const retry = { enabled: true, maxRetries: 3, baseDelayMs: 1, maxDelayMs: 60_000, jitter: 0 };
    const outcome = (policies: SummaryRetrySettings["policies"], failure: { status: number; message: string }) => {
      const { run, clock, events } = harness(turns(16), {
        ...SMALL,
        script: () => ({ failure }),
        retry: { ...retry, ...(policies ? { policies } : {}) },
      });
      return withTime(clock, run()).then(({ requests }) => [
        requests,
        events.find(({ type }) => type === "summarization_retry_scheduled"),
      ]);
    };
    const { failure } = overloaded;
    expect(await outcome({ overloaded: { maxRetries: 5 } }, failure)).toEqual([6, expect.objectContaining({ maxAttempts: 5 })]);
    expect(await outcome({ overloaded: { maxRetries: 1 } }, failure)).toEqual([2, expect.objectContaining({ maxAttempts: 1 })]);
    expect(await outcome({ overloaded: { action: "stop" } }, failure)).toEqual([1, undefined]);
    expect(await outcome({ auth: { action: "retry" } }, { status: 401, message: "bad key" })).toEqual([4, expect.anything()]);
    expect(await outcome({ rate_limited: { maxRetries: 9 } }, failure)).toEqual([4, expect.objectContaining({ maxAttempts: 3 })]);
  });
  test("is judged by the application first", async () => {
    const { run } = harness(turns(16), {
      ...SMALL,
      script: () => overloaded,
      classify: () => ({ action: "stop", kind: "quota_exhausted", rule: "mine", why: "I know better" }),
    });
    expect(await run()).toMatchObject({ status: "failed", requests: 1 });
  });
  test("is not sent at all when the request budget refuses it", async () => {
    const refusal = makeFailure({ action: "stop", kind: "limit", message: "No more requests", rule: "limits.maxRequests" });
    const { run, model } = harness(turns(16), { ...SMALL, beforeRequest: () => refusal });
    expect(await run()).toMatchObject({ status: "failed", failure: refusal, requests: 0 });
    expect(model.requests).toHaveLength(0);
  });
  test("does not outlast a limit of time", async () => {
    const { run, clock, commits } = harness(turns(16), {
      ...SMALL,
      script: () => ({ text: "half", hang: "ignore-signal" }),
      limits: { idleMs: 1000 },
      retry: { enabled: false, maxRetries: 0, baseDelayMs: 1, maxDelayMs: 1, jitter: 0 },
    });
    expect(await withTime(clock, run())).toMatchObject({ status: "failed", failure: { kind: "timeout" } });
    expect(commits).toEqual([]);
  });
});

describe("a compaction aborted before it began", () => {
  test("asks for nothing and writes nothing, also where there is nothing to ask for", async () => {
    const summarised = harness(turns(16), SMALL);
    const shortened = harness([user("Read it"), calling(["a", "read"]), result("a", textOf(30_000))], SMALL);
    for (const { run, abort, model, commits } of [summarised, shortened]) {
      abort.abort();
      expect(await run()).toMatchObject({ status: "aborted", requests: 0 });
      expect(model.requests).toHaveLength(0);
      expect(commits).toEqual([]);
    }
  });
});

describe("a log that cannot be written", () => {
  test("is a failure of kind log", async () => {
    const { run, log } = harness(turns(16), {
      ...SMALL,
      commit: () => {
        throw new LogError("write", "no space left on device");
      },
    });
    const entries = log.entries.length;
    expect(await run()).toMatchObject({
      status: "failed",
      failure: { kind: "log", action: "stop", message: "The session log could not be written: no space left on device" },
    });
    expect(log.entries).toHaveLength(entries);
  });
});

describe("a summary of the application's own", () => {
  test("replaces the model's, as it is", async () => {
    const given: unknown[] = [];
    const { run, model, log, abort } = harness(turns(16), {
      ...SMALL,
      summarize: (input) => {
        given.push(input);
        return Promise.resolve("Mine.");
      },
    });
    const outcome = done(await run({ instructions: "short" }));
    expect(model.requests).toHaveLength(0);
    expect(log.entry(outcome.entryId)).toMatchObject({ summary: "Mine.", fromHook: true });
    expect(given).toEqual([{ messages: turns(14), instructions: "short", signal: abort.signal }]);
  });
  test("is left to the model when it declines", async () => {
    const { run, model } = harness(turns(16), { ...SMALL, summarize: () => Promise.resolve(undefined) });
    expect(done(await run()).result.summary).toBe("The summary.");
    expect(model.requests).toHaveLength(1);
  });
  test("that fails or is blank fails the compaction", async () => {
    const broken = harness(turns(16), { ...SMALL, summarize: () => Promise.reject(new Error("my own fault")) });
    expect(await broken.run()).toMatchObject({ status: "failed", reason: expect.stringContaining("my own fault") as string });
    const thrown = harness(turns(16), {
      ...SMALL,
      summarize: () => {
        throw new Error("at once");
      },
    });
    expect(await thrown.run()).toMatchObject({ status: "failed", reason: expect.stringContaining("at once") as string });
    const blank = harness(turns(16), { ...SMALL, summarize: () => Promise.resolve(" \n") });
    expect(await blank.run()).toMatchObject({ status: "failed", failure: { rule: "summary.blank-replacement" } });
  });
  test("that never comes is not waited for after an abort", async () => {
    const { run, abort, commits } = harness(turns(16), { ...SMALL, summarize: () => new Promise(() => undefined) });
    const outcome = run();
    await quiet();
    abort.abort();
    expect(await outcome).toMatchObject({ status: "aborted" });
    expect(commits).toEqual([]);
  });
});

describe("an estimate corrected by what the provider counted", () => {
  test("keeps less of text that has more tokens than it looks", async () => {
    const { run, log } = harness([...turns(16), user("x"), counted("y", 9600)], {
      ...SMALL,
      contextWindow: 12_000,
      reserveTokens: 3000,
      keepRecentTokens: 1200,
    });
    done(await run());
    // 9600 tokens were counted and 3200 estimated: what is estimated as 400 takes 1200.
    expect(log.projection.items.map(({ message }) => estimateTokens(message)).slice(1)).toEqual([100, 100, 100, 100, 1, 1]);
  });
  test("makes summary requests that fit by what was counted", async () => {
    const { run, model } = harness([...turns(40), user("x"), counted("y", 24_000)], {
      contextWindow: 20_000,
      reserveTokens: 2000,
      keepRecentTokens: 1200,
    });
    done(await run());
    expect(model.requests.length).toBeGreaterThan(0);
    for (const request of model.requests) {
      expect(3 * estimateTokens(user(promptOf(request))) + (request.maxOutputTokens ?? 0)).toBeLessThanOrEqual(20_000);
    }
  });
  test("finds something to summarise in a conversation that looks tiny and is counted as large", async () => {
    const { run } = harness([user("a"), assistant("b"), user("c"), counted("d", 190_000)], { contextWindow: 200_000 });
    done(await run());
  });
});
