import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ContextMeter } from "../../src/compaction/context-meter.ts";
import { estimateOverheadTokens, estimateTokens } from "../../src/compaction/estimate.ts";
import { createMemoryLog } from "../../src/log/memory-log.ts";
import type { SessionLog } from "../../src/log/types.ts";
import type { AssistantMessage, Message } from "../../src/model/types.ts";
import { assistant, calling, counted, result, say, textOf, user } from "./conversation.ts";

function meterOf(log: SessionLog, overhead = 0) {
  const asked: Message[] = [];
  const meter = new ContextMeter(log.projection, {
    overheadTokens: () => overhead,
    estimate: (message) => {
      asked.push(message);
      return estimateTokens(message);
    },
  });
  return { meter, asked };
}

const withUsage = (stopReason: AssistantMessage["stopReason"], totalTokens: number): AssistantMessage => ({
  ...counted("answer", totalTokens),
  stopReason,
});

describe("the estimate of a message", () => {
  test("is a token for each four characters of text", () => {
    expect(estimateTokens(user("12345678"))).toBe(2);
    expect(estimateTokens(user("123456789"))).toBe(3);
    expect(estimateTokens(user(""))).toBe(0);
  });
  test("counts a tool call by its name and arguments, an image as 1200", () => {
    expect(estimateTokens(calling(["a", "read", { path: "x" }]))).toBe(Math.ceil(("read".length + '{"path":"x"}'.length) / 4));
    expect(
      estimateTokens({
        role: "user",
        timestamp: 0,
        content: [{ type: "image", data: "A".repeat(100_000), mimeType: "image/png" }],
      }),
    ).toBe(1200);
  });
  test("counts reasoning by its text, and encrypted reasoning by what travels", () => {
    expect(estimateTokens(assistant([{ type: "thinking", thinking: textOf(5), signature: textOf(100) }]))).toBe(5);
    expect(estimateTokens(assistant([{ type: "thinking", thinking: "", signature: textOf(100), redacted: true }]))).toBe(100);
  });
  test("of the overhead counts system prompt and tools", () => {
    expect(estimateOverheadTokens(undefined, undefined)).toBe(0);
    expect(estimateOverheadTokens("1234", [{ name: "read", description: "1234", parameters: { a: 1 } }])).toBe(5);
  });
});

describe("the meter", () => {
  test("estimates everything, overhead included, as long as no provider has counted", () => {
    const log = createMemoryLog();
    const { meter } = meterOf(log, 1000);
    expect(meter.tokens()).toBe(1000);
    say(log, user(textOf(10)), assistant(textOf(20)));
    expect(meter.tokens()).toBe(1030);
  });
  test("trusts the last real usage and estimates only what follows it", () => {
    const log = createMemoryLog();
    const { meter } = meterOf(log, 1000);
    say(log, user(textOf(10)), counted(textOf(20), 5000), user(textOf(7)));
    expect(meter.tokens()).toBe(5007);
    say(log, counted("ok", 6000));
    expect(meter.tokens()).toBe(6000);
  });
  test.each(["stop", "length", "toolUse"] as const)("trusts the usage of a reply that ended in %s", (stopReason) => {
    const log = createMemoryLog();
    say(log, withUsage(stopReason, 777));
    expect(meterOf(log).meter.tokens()).toBe(777);
  });
  test.each(["error", "aborted"] as const)("never sees the usage of a reply that ended in %s", (stopReason) => {
    const log = createMemoryLog();
    say(log, user(textOf(10)), withUsage(stopReason, 777));
    expect(meterOf(log).meter.tokens()).toBe(10);
  });
  test("estimates a reply whose usage is zero", () => {
    const log = createMemoryLog();
    say(log, user(textOf(10)), assistant(textOf(20)));
    expect(meterOf(log).meter.tokens()).toBe(30);
  });
  test("does not trust a usage older than an edit that changed the context", () => {
    const log = createMemoryLog();
    const { meter } = meterOf(log, 100);
    const [first] = say(log, user(textOf(10)), counted(textOf(20), 5000), user(textOf(7)));
    expect(meter.tokens()).toBe(5007);
    log.append({ type: "context_edit", targetId: first?.id ?? "", replacement: { content: textOf(1) } });
    expect(meter.tokens()).toBe(100 + 1 + 20 + 7);
    say(log, counted("ok", 40));
    expect(meter.tokens()).toBe(40);
  });
  test("does not trust a usage older than the last compaction", () => {
    const log = createMemoryLog();
    const { meter } = meterOf(log, 100);
    const [, , kept] = say(log, user(textOf(10)), counted(textOf(20), 5000), user(textOf(7)), counted(textOf(3), 5050));
    log.append({ type: "compaction", summary: "short", firstKeptEntryId: kept?.id ?? "", tokensBefore: 5050 });
    const summary = log.projection.items[0]?.message as Message;
    expect(meter.tokens()).toBe(100 + estimateTokens(summary) + 10);
  });
  test("asks for the estimate of no message twice, whatever changes around it", () => {
    const log = createMemoryLog();
    const { meter, asked } = meterOf(log);
    const [first] = say(log, user("a"), assistant("b"), user("c"));
    meter.tokens();
    log.append({ type: "context_edit", targetId: first?.id ?? "", replacement: null });
    meter.tokens();
    meter.tokens();
    expect(asked).toHaveLength(3);
  });
  test("looks only at what was appended since it was last asked", () => {
    const log = createMemoryLog();
    const { meter, asked } = meterOf(log);
    for (let index = 0; index < 1000; index += 1) say(log, user("x"));
    meter.tokens();
    asked.length = 0;
    say(log, user("y"));
    meter.tokens();
    expect(asked).toHaveLength(1);
  });
  test("looks only at what follows the last real usage when it meets a long log", () => {
    const log = createMemoryLog();
    for (let index = 0; index < 1000; index += 1) say(log, user("x"));
    say(log, counted("ok", 500), user(textOf(3)));
    const { meter, asked } = meterOf(log);
    expect(meter.tokens()).toBe(503);
    expect(asked).toHaveLength(1);
  });
  test("says at any moment what counting everything anew gives", () => {
    const countAnew = ({ projection: { items, trustedFrom } }: SessionLog): number => {
      const size = (from: number): number => items.slice(from).reduce((total, { message }) => total + estimateTokens(message), 0);
      for (let index = items.length - 1; index >= trustedFrom; index -= 1) {
        const message = items[index]?.message;
        if (message?.role === "assistant" && message.usage.totalTokens > 0) return message.usage.totalTokens + size(index + 1);
      }
      return 100 + size(0);
    };
    const step = fc.oneof(
      fc.nat(50).map((tokens) => (log: SessionLog) => void say(log, user(textOf(tokens)))),
      fc.nat(50).map((tokens) => (log: SessionLog) => void say(log, assistant(textOf(tokens)))),
      fc.integer({ min: 1, max: 5000 }).map((total) => (log: SessionLog) => void say(log, counted("ok", total))),
      fc.constant((log: SessionLog) => void say(log, calling(["a", "read"]), result("a", "text"))),
      fc.constant((log: SessionLog) => void say(log, withUsage("error", 900))),
      fc.nat().map((at) => (log: SessionLog) => {
        const target = log.projection.items[at % Math.max(1, log.projection.items.length)];
        if (target)
          log.append({ type: "context_edit", targetId: target.entryId, replacement: at % 2 ? null : { content: "edited" } });
      }),
      fc.nat().map((at) => (log: SessionLog) => {
        const target = log.projection.items[at % Math.max(1, log.projection.items.length)];
        if (target) log.append({ type: "compaction", summary: "short", firstKeptEntryId: target.entryId, tokensBefore: 0 });
      }),
      fc.nat().map((at) => (log: SessionLog) => {
        const target = log.entries[at % Math.max(1, log.entries.length)];
        if (target) log.moveTo(target.id);
      }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const log = createMemoryLog();
        const { meter } = meterOf(log, 100);
        for (const take of steps) {
          take(log);
          expect(meter.tokens()).toBe(countAnew(log));
        }
      }),
    );
  });
});
