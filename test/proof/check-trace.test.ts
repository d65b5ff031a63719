import { beforeAll, describe, expect, test } from "vitest";
import { defineTool } from "../../src/agent/tool-set.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { createSession } from "../../src/session/session.ts";
import { checkTrace, ManualClock, scriptedModel, traceInvariants, type ScriptedReply } from "../../src/testing/index.ts";
import { failureOf } from "./failures.ts";

/** A trace with a retry, a recovered overflow, a tool and two prompts. */
let sound: SessionEvent[] = [];

const overloaded: ScriptedReply = { failure: failureOf({ action: "retry", kind: "overloaded", retryAfterMs: 3000 }) };
const overflow: ScriptedReply = { failure: failureOf({ action: "compact", kind: "context_overflow" }) };

beforeAll(async () => {
  const clock = new ManualClock();
  const model = scriptedModel([overloaded, { toolCalls: [{ name: "work" }] }, "done", overflow, "once more"]);
  const work = defineTool({
    name: "work",
    description: "works",
    parameters: { type: "object" },
    execute: () => "worked ".repeat(1000),
  });
  const compaction = { summarize: async () => "what was before" };
  const session = createSession({
    model,
    clock,
    random: () => 0,
    tools: [work],
    compaction,
    settings: { compaction: { keepRecentTokens: 1 } },
  });
  const events: SessionEvent[] = [];
  session.subscribe((event) => events.push(event));
  const first = session.prompt("first");
  while (session.state.state !== "backoff") await new Promise((resolve) => setImmediate(resolve));
  clock.runNext();
  await first;
  await session.prompt("second");
  sound = events;
});

type Type = SessionEvent["type"];
const indexOf = (type: Type, nth = 0): number =>
  sound
    .map((event, index) => (event.type === type ? index : -1))
    .filter((index) => index >= 0)
    .at(nth) ?? -1;
const without = (type: Type, nth = 0): SessionEvent[] => sound.toSpliced(indexOf(type, nth), 1);
const twice = (type: Type, nth = 0): SessionEvent[] =>
  sound.toSpliced(indexOf(type, nth), 0, sound[indexOf(type, nth)] as SessionEvent);
const changed = <T extends Type>(type: T, change: Partial<Extract<SessionEvent, { type: T }>>, nth = 0): SessionEvent[] =>
  sound.map((event, index) => (index === indexOf(type, nth) ? Object.assign({}, event, change) : event));

test("a session that behaved breaks nothing", () => {
  expect(sound.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["auto_retry_end", "compaction_end", "tool_execution_end"]),
  );
  expect(sound).toContainEqual(expect.objectContaining({ type: "compaction_end", willRetry: true }));
  expect(checkTrace(sound)).toEqual([]);
});

describe("each invariant is broken by", () => {
  const broken: [keyof typeof traceInvariants, string, () => SessionEvent[]][] = [
    ["run-order", "a run inside another", () => twice("agent_start")],
    ["run-order", "a turn outside a run", () => without("agent_start")],
    ["settles-once", "a second settling", () => twice("agent_settled")],
    [
      "says-what-follows",
      "an agent_end that hides the retry",
      () => changed("agent_end", { willRetry: false, willContinue: true }),
    ],
    ["says-what-follows", "an agent_end that promises to go on", () => changed("agent_end", { willContinue: true }, 1)],
    ["bounded-retries", "a retry that was not counted", () => changed("auto_retry_start", { attempt: 2 })],
    [
      "retries-only-retryable",
      "a retry of an overflow",
      () => changed("auto_retry_start", { failure: failureOf({ action: "compact", kind: "context_overflow" }) }),
    ],
    [
      "retries-only-retryable",
      "a retry of a refusal",
      () => changed("auto_retry_start", { failure: failureOf({ action: "stop", kind: "auth" }) }),
    ],
    ["waits-as-demanded", "a retry before its time", () => changed("auto_retry_start", { delayMs: 2999 })],
    [
      "one-recovery",
      "a second recovery",
      () => [
        ...sound.slice(0, indexOf("compaction_end") + 1),
        ...sound.slice(indexOf("compaction_start"), indexOf("compaction_end") + 1),
      ],
    ],
    ["streak-closed", "a streak that is left open", () => without("auto_retry_end")],
    ["streak-closed", "an end of no streak", () => twice("auto_retry_end")],
    ["compaction-paired", "an end without a start", () => without("compaction_start")],
    ["compaction-paired", "a start without an end", () => without("compaction_end")],
    [
      "summary-retry-paired",
      "a finish without a wait",
      () => sound.toSpliced(indexOf("compaction_end"), 0, { type: "summarization_retry_finished", success: true }),
    ],
    ["success-is-earned", "an abort that is called a success", () => changed("auto_retry_end", { success: false })],
    ["only-complete-calls-run", "a call that nobody made", () => changed("tool_execution_start", { toolCallId: "other" })],
    [
      "calls-answered",
      "a call without a result",
      () => sound.filter((event) => !("message" in event && event.message.role === "toolResult")),
    ],
    ["second-length-ends", "a third request after two cut replies", thirdAfterTwoCuts],
    ["failure-described", "a failed reply that does not say how", failureNotDescribed],
    ["message-paired", "a message that ends twice", () => twice("message_end")],
    ["message-paired", "an update of nothing", () => without("message_start", 2)],
    ["outcome-agrees", "an abort that is an answer", () => changed("agent_settled", { aborted: true })],
  ];

  test.each(broken)("%s: %s", (invariant, _how, trace) => {
    expect(checkTrace(trace()).map((violation) => violation.invariant)).toContain(invariant);
  });

  test("which are all there are", () => {
    expect(new Set(broken.map(([invariant]) => invariant))).toEqual(new Set(Object.keys(traceInvariants)));
  });
});

function failureNotDescribed(): SessionEvent[] {
  return sound.map((event) =>
    event.type === "message_end" && event.message.role === "assistant" && event.message.stopReason === "error"
      ? { ...event, message: { ...event.message, errorMessage: "something else" } }
      : event,
  );
}

function thirdAfterTwoCuts(): SessionEvent[] {
  const at = indexOf("turn_start", 2);
  const turn = sound
    .slice(at, indexOf("turn_end", 2) + 1)
    .map((event) =>
      (event.type === "message_start" || event.type === "message_end") && event.message.role === "assistant"
        ? { ...event, message: { ...event.message, stopReason: "length" as const } }
        : event,
    );
  return [...sound.slice(0, at), ...turn, ...turn, ...turn];
}
