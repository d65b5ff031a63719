import { describe, expect, test } from "vitest";
import type { FailureAction, FailureKind } from "../../src/errors/types.ts";
import type { AssistantMessage, ToolCallBlock } from "../../src/model/types.ts";
import { wireFormats } from "../../src/testing/fault-server/formats/index.ts";
import { words } from "../../src/testing/fault-server/reply.ts";
import { adapters } from "./adapters.ts";
import type { Adapter } from "./adapters.ts";
import type { Case, Mode } from "./cases.ts";
import { casesOf, modes, RETRIED } from "./cases.ts";
import type { Observed } from "./observe.ts";
import { connectionsAllowed, observe } from "./observe.ts";

/** Longest time a case may take: none has to wait for more than one short time limit. */
const ENDS_WITHIN_MS = 5000;

function actionFor(kind: FailureKind): FailureAction {
  if (RETRIED.has(kind)) return "retry";
  return kind === "context_overflow" ? "compact" : "stop";
}

describe.each(adapters)("$name", (adapter) => {
  describe.each(modes)("$name", (mode) => {
    test.concurrent.each(casesOf(adapter, mode))("$step", async (played) => {
      const observed = await observe(played);
      const { message } = observed;
      if (message.stopReason === "error") expectFailure(message, played);
      else expectAnswer(message, played);
      expectPartialContent(message, played);
      expectNothingLeft(observed, played);
    });

    test("however many of its events come: without the last one it is no answer", async () => {
      const events = wireFormats[adapter.format].events(mode.reply, { n: 1, model: "m", includeUsage: true });
      // What is told of the end: the terminal event, or for an adapter that is not told of it, the stop reason.
      const end = adapter.means?.(CUT_BEFORE_TERMINAL)?.includes("answer") ? "finish" : "terminal";
      const steps = Array.from({ length: events.findIndex(({ part }) => part === end) }, (_, count) => `cut:${count}:clean`);
      const observed = await Promise.all(steps.map((step) => observe(stepCase(adapter, mode, step))));
      expect(observed.map(({ message }) => message.failure?.kind)).toEqual(steps.map(() => "stream_interrupted"));
    });

    test.each([
      ["retry-after=7", 7000],
      ["retry-after=1.5", 1500],
      ["retry-after-ms=1500", 1500],
    ])("%s is a demanded wait of %i ms", async (header, milliseconds) => {
      for (const step of [`status:429:${header}`, `status:503:${header}`, `error:overloaded:${header}`]) {
        const { message } = await observe(stepCase(adapter, mode, step));
        expect([step, message.failure?.retryAfterMs]).toEqual([step, milliseconds]);
      }
    });

    test("a demanded wait can be a date", async () => {
      const { message } = await observe(stepCase(adapter, mode, "status:429:retry-after-date=60"));
      expect(message.failure?.retryAfterMs).toBeGreaterThan(50_000);
      expect(message.failure?.retryAfterMs).toBeLessThanOrEqual(61_000);
    });
  });
});

const CUT_BEFORE_TERMINAL = { step: "cut:finish:clean", means: ["stream_interrupted"] } as const;

function stepCase(adapter: Adapter, mode: Mode, step: string): Case {
  const means = ["stream_interrupted"] as const;
  return { adapter, mode, step, means, example: { step, means } };
}

function expectFailure(message: AssistantMessage, { means }: Case): void {
  const { failure } = message;
  expect(means, `took it for ${failure?.kind}: ${failure?.message} (${failure?.rule})`).toContain(failure?.kind);
  expect(failure?.action).toBe(actionFor(failure?.kind ?? "unknown"));
  expect(message.errorMessage).toBe(failure?.message);
  expect(message.errorMessage).toMatch(/\S/u);
  expect(failure?.hint).toMatch(/\S/u);
}

function expectAnswer(message: AssistantMessage, { means, mode, step }: Case): void {
  const meaning = message.stopReason === "length" ? "cut" : "answer";
  expect(means, `took it for an answer, ${message.stopReason}: ${JSON.stringify(message.content)}`).toContain(meaning);
  expect(message).not.toHaveProperty("failure");
  expect(message).not.toHaveProperty("errorMessage");
  if (meaning === "cut" || step === "tool-call" || step === "invalid-utf8") return;
  const { text, thinking, toolCalls = [] } = mode.reply;
  expect(message.stopReason).toBe(toolCalls.length > 0 ? "toolUse" : "stop");
  expect(textOf(message, "text")).toBe(text);
  expect(textOf(message, "thinking")).toBe(thinking ?? "");
  expect(callsOf(message)).toMatchObject(toolCalls);
  expect(message.usage).toMatchObject({ input: 12, output: 7 });
}

/** Steps that break a reply at a point, and which of their words that point is; others break it in the middle. */
const POINT_PLACES: Readonly<Record<string, number>> = {
  cut: 0,
  stall: 0,
  "keep-alive": 0,
  ping: 0,
  "short-body": 0,
  "broken-chunking": 0,
  garbage: 0,
  "error-event": 1,
  "response-failed": 1,
};
const BROKEN_IN_THE_MIDDLE: ReadonlySet<string> = new Set(["html-in-stream", "error-text", "half-event"]);

/** What had come before a fault is there, and nothing that had not. */
function expectPartialContent(message: AssistantMessage, { mode, step, means }: Case): void {
  const { text = "", thinking = "", toolCalls = [] } = mode.reply;
  const [name = "", ...places] = step.split(":");
  if (message.stopReason === "error") {
    expect(text.startsWith(textOf(message, "text"))).toBe(true);
    expect(thinking.startsWith(textOf(message, "thinking"))).toBe(true);
  }
  const place = POINT_PLACES[name];
  const point = BROKEN_IN_THE_MIDDLE.has(name) ? "half" : place === undefined ? undefined : (places[place] ?? "half");
  if (mode.name === "raw" && point !== undefined && !means.includes("answer"))
    expect(textOf(message, "text")).toBe(textBefore(point, text));
  // Arguments that only happen to parse are not whole: whoever looks at the call alone has to see that it is not to be run.
  for (const call of callsOf(message)) {
    if (call.argumentsError === undefined && message.stopReason !== "length" && toolCalls[0] !== undefined)
      expect(call.arguments).toEqual(toolCalls[0].arguments);
  }
}

function textBefore(point: string, text: string): string {
  if (point === "start") return "";
  const all = words(text);
  return point === "half" ? all.slice(0, Math.ceil(all.length / 2)).join("") : text;
}

function expectNothingLeft({ events, elapsedMs, timersLeft, connectionsLeft, message }: Observed, played: Case): void {
  expect(events.filter((event) => event === "done" || event === "error")).toHaveLength(1);
  expect(events.at(-1)).toBe(message.stopReason === "error" ? "error" : "done");
  expect(elapsedMs).toBeLessThan(ENDS_WITHIN_MS);
  expect(timersLeft).toBe(0);
  expect(connectionsLeft).toBeLessThanOrEqual(connectionsAllowed(played));
}

function textOf(message: AssistantMessage, type: "text" | "thinking"): string {
  return message.content
    .map((block) =>
      block.type !== type ? "" : block.type === "text" ? block.text : block.type === "thinking" ? block.thinking : "",
    )
    .join("");
}

function callsOf(message: AssistantMessage): ToolCallBlock[] {
  return message.content.flatMap((block) => (block.type === "toolCall" ? [block] : []));
}
