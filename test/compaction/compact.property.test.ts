import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { madeProgress, compactionThreshold } from "../../machines/window.ts";
import { ContextMeter } from "../../src/compaction/context-meter.ts";
import { estimateTokens } from "../../src/compaction/estimate.ts";
import type { CompactionReason } from "../../machines/types.ts";
import type { CompactionOutcome } from "../../src/compaction/types.ts";
import type { AssistantMessage, Message } from "../../src/model/types.ts";
import { assistant, calling, conversations, result, say, strayResults, user } from "./conversation.ts";
import { harness, quiet, requestTokens, type Harness, withTime } from "./harness.ts";

interface Case {
  /** Conversations, each followed by a compaction. */
  rounds: { messages: Message[]; reason: CompactionReason; refused: AssistantMessage | undefined }[];
  contextWindow: number | undefined;
  keepRecentTokens: number;
  reserveTokens: number;
  overhead: number;
  pendingTokens: number;
  summaryTokens: number;
  /** Whether the nth summary request fails for a moment. */
  failing: boolean[];
}

const refused = fc.constantFrom<AssistantMessage | undefined>(
  undefined,
  assistant("half", { stopReason: "length" }),
  assistant("", { stopReason: "error" }),
  calling(["cut", "read"]),
);

const cases: fc.Arbitrary<Case> = fc.record({
  rounds: fc.array(
    fc.record({ messages: conversations(1500, 5), reason: fc.constantFrom("overflow", "threshold", "manual"), refused }),
    { minLength: 1, maxLength: 3 },
  ),
  contextWindow: fc.option(fc.integer({ min: 2000, max: 20_000 }), { nil: undefined }),
  keepRecentTokens: fc.nat(6000),
  reserveTokens: fc.nat(6000),
  overhead: fc.nat(500),
  pendingTokens: fc.nat(300),
  summaryTokens: fc.integer({ min: 1, max: 600 }),
  failing: fc.array(fc.boolean(), { maxLength: 6 }),
});

function start({
  contextWindow,
  failing,
  summaryTokens,
  keepRecentTokens,
  reserveTokens,
  overhead,
  pendingTokens,
}: Case): Harness {
  return harness([], {
    keepRecentTokens,
    reserveTokens,
    overhead,
    pendingTokens,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    script: (_request, index) =>
      failing[index]
        ? { failure: { status: 529, message: "Overloaded" }, delayMs: 10 }
        : { text: "s".repeat(summaryTokens * 4), delayMs: 10 },
  });
}

/** The session says its messages; the request that followed was refused or cut, and is to be omitted. */
function before(log: Harness["log"], round: Case["rounds"][number]): string[] {
  say(log, ...round.messages);
  if (round.messages.at(-1)?.role === "assistant") say(log, user("And now?"));
  if (round.refused === undefined) return [];
  const omit = say(log, round.refused).map(({ id }) => id);
  return round.refused.stopReason === "toolUse"
    ? [...omit, ...say(log, result("cut", "not run", { isError: true })).map(({ id }) => id)]
    : omit;
}

/** What of a log a compaction may not touch unless it succeeds. */
const record = ({ log }: Harness): string => JSON.stringify([log.entries, log.projection.items, log.leafId]);

describe("a compaction, whatever was said", () => {
  test("leaves no result without its call, omits only together with its entry, tells its true size, and has made progress", async () => {
    const statuses = new Map<CompactionOutcome["status"], number>();
    await fc.assert(
      fc.asyncProperty(cases, async (given) => {
        const session = start(given);
        const { log, meter, clock, ports, run, model, commits } = session;
        for (const round of given.rounds) {
          const omit = before(log, round);
          const size = meter.tokens();
          const untouched = record(session);
          const last = log.projection.items.findLast(({ entryId }) => !omit.includes(entryId));
          const made = commits.length;
          const outcome = await withTime(clock, run({ reason: round.reason, omit }));
          statuses.set(outcome.status, (statuses.get(outcome.status) ?? 0) + 1);
          expect(outcome.tokensBefore).toBe(size);
          if (outcome.status !== "done") {
            expect(record(session)).toBe(untouched);
            continue;
          }
          expect(commits).toHaveLength(made + 1);
          const { items } = log.projection;
          expect(strayResults(log.projection.messages())).toEqual([]);
          expect(items.some(({ entryId }) => omit.includes(entryId))).toBe(false);
          expect(items.at(-1)?.entryId).toBe(last?.entryId);
          expect(outcome.tokensAfter).toBe(new ContextMeter(log.projection, { overheadTokens: () => given.overhead }).tokens());
          const threshold = compactionThreshold(given.contextWindow, given.reserveTokens);
          expect(madeProgress(size + given.pendingTokens, outcome.tokensAfter + given.pendingTokens, threshold)).toBe(true);
          const omissions = commits.at(-1)?.filter((draft) => draft.type === "context_edit" && draft.replacement === null) ?? [];
          expect(omissions.map((draft) => (draft.type === "context_edit" ? draft.targetId : ""))).toEqual(omit);
          expect(commits.at(-1)?.[0]).toMatchObject(
            outcome.result.details === undefined ? { type: "context_edit" } : { type: "compaction" },
          );
        }
        for (const request of model.requests) expect(requestTokens(request)).toBeLessThanOrEqual(ports.contextWindow ?? 128_000);
      }),
      { numRuns: 150 },
    );
    // The cases do get that far.
    expect(Math.min(statuses.get("done") ?? 0, statuses.get("no_progress") ?? 0, statuses.get("nothing") ?? 0)).toBeGreaterThan(
      0,
    );
  });

  test("that is aborted, at whatever moment, leaves the log as it was, and sends no further request", async () => {
    const statuses = new Map<CompactionOutcome["status"], number>();
    // How a compaction gets on: by a turn of the microtask queue, by time that passes, or by all that needs no time.
    const step = fc.constantFrom("microtask", "microtask", "time", "quiet");
    await fc.assert(
      fc.asyncProperty(cases, fc.array(step, { maxLength: 40 }), async (given, steps) => {
        const session = start(given);
        const { log, clock, abort, run, model, events } = session;
        const omit = given.rounds.flatMap((round) => before(log, round));
        const untouched = record(session);
        const promise = run({ reason: "overflow", omit });
        const progress = { over: false };
        const finish = (): void => {
          progress.over = true;
        };
        promise.then(finish, finish);
        for (const way of steps) {
          if (way === "time") clock.runNext();
          else await (way === "quiet" ? quiet() : Promise.resolve());
        }
        // In a quiet moment a compaction waits: for an answer, or for the time of a retry.
        const waiting = steps.at(-1) === "quiet" && !progress.over;
        abort.abort();
        const atAbort = record(session);
        const requests = model.requestCount;
        const { status } = await withTime(clock, promise);
        expect(model.requestCount).toBe(requests);
        expect(record(session)).toBe(atAbort);
        expect(status === "done").toBe(atAbort !== untouched);
        if (waiting) expect(status).toBe("aborted");
        expect(clock.pending).toBe(0);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const waits = events.filter(({ type }) => type === "summarization_retry_scheduled").length;
        const finished = events.filter(({ type }) => type === "summarization_retry_finished").length;
        expect(finished).toBeLessThanOrEqual(waits);
        expect(finished > 0).toBe(waits > 0);
      }),
      { numRuns: 200 },
    );
    expect(Math.min(statuses.get("done") ?? 0, statuses.get("aborted") ?? 0)).toBeGreaterThan(0);
  });

  test("makes a context fit that was refused, though its text has four times the tokens it was thought to have", async () => {
    const truly = (messages: readonly Message[]): number =>
      messages.reduce((total, message) => total + 4 * estimateTokens(message), 0);
    await fc.assert(
      fc.asyncProperty(conversations(300, 20), fc.double({ min: 0.7, max: 0.99, noNaN: true }), async (said, share) => {
        const messages = [...said, user("And now?")];
        const contextWindow = Math.floor(truly(messages) * share);
        fc.pre(contextWindow >= 12_000);
        const { run, log } = harness(messages, { contextWindow, reserveTokens: 2000, modelWindow: 200_000 });
        expect(await run({ reason: "overflow" })).toMatchObject({ status: "done" });
        expect(truly(log.projection.messages())).toBeLessThan(contextWindow);
      }),
      { numRuns: 100 },
    );
  });
});
