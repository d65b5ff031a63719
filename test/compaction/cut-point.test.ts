import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findCutPoint } from "../../src/compaction/cut-point.ts";
import { estimateTokens } from "../../src/compaction/estimate.ts";
import type { Message } from "../../src/model/types.ts";
import { assistant, calling, conversations, result, strayResults, textOf, user } from "./conversation.ts";

const cut = (messages: Message[], keep: number) => findCutPoint(messages, estimateTokens, keep);

describe("the cut point", () => {
  test("keeps the newest messages until they reach what is to be kept", () => {
    const messages = [user(textOf(10)), assistant(textOf(10)), user(textOf(10)), assistant(textOf(10))];
    expect(cut(messages, 20)).toEqual({ index: 2 });
    expect(cut(messages, 11)).toEqual({ index: 2 });
    expect(cut(messages, 21)).toEqual({ index: 1, turnStart: 0 });
  });
  test("keeps everything where that is not more than what is to be kept", () => {
    expect(cut([user(textOf(10)), assistant(textOf(10))], 100)).toEqual({ index: 0 });
    expect(cut([], 100)).toEqual({ index: 0 });
  });
  test("never stands between a call and its result", () => {
    const messages = [user(textOf(10)), calling(["a", "read"]), result("a", textOf(10)), assistant(textOf(10))];
    expect(cut(messages, 15)).toEqual({ index: 3, turnStart: 0 });
  });
  test("keeps a call with its result where there is no place to cut after them, though that is more", () => {
    const messages = [
      user(textOf(10)),
      calling(["a", "read"], ["b", "read"]),
      result("a", textOf(500)),
      result("b", textOf(500)),
    ];
    expect(cut(messages, 15)).toEqual({ index: 1, turnStart: 0 });
  });
  test("does not part a result from its call by a message that came between them", () => {
    const messages = [user(textOf(10)), calling(["a", "read"]), user(textOf(10)), result("a", textOf(10)), assistant(textOf(10))];
    expect(cut(messages, 25)).toEqual({ index: 4, turnStart: 2 });
  });
  test("tells where the turn began that it splits", () => {
    const messages = [
      user("first"),
      assistant("ok"),
      user("second"),
      calling(["a", "read"]),
      result("a", "text"),
      assistant(textOf(50)),
    ];
    expect(cut(messages, 40)).toEqual({ index: 5, turnStart: 2 });
  });
  test("is later where more would not fit, also where everything is less than what is to be kept", () => {
    const messages = [user(textOf(500)), assistant(textOf(30)), user(textOf(300)), assistant(textOf(10))];
    expect(findCutPoint(messages, estimateTokens, 200, 1000)).toEqual({ index: 2 });
    expect(findCutPoint(messages, estimateTokens, 200, 250)).toEqual({ index: 3, turnStart: 2 });
    expect(findCutPoint(messages, estimateTokens, 600, 1000)).toEqual({ index: 0 });
    expect(findCutPoint(messages, estimateTokens, 600, 600)).toEqual({ index: 1, turnStart: 0 });
    expect(findCutPoint(messages, estimateTokens, 600, 5)).toEqual({ index: 3, turnStart: 2 });
  });
  test("is the first possible place from where the newest messages reach what is to be kept, and fit; else the nearest", () => {
    const limits = fc.tuple(fc.integer({ min: 0, max: 3000 }), fc.option(fc.integer({ min: 0, max: 3000 })));
    fc.assert(
      fc.property(conversations(200), limits, (messages, [keep, excess]) => {
        const most = excess === null ? Infinity : keep + excess;
        const size = (from: number): number =>
          messages.slice(from).reduce((total, message) => total + estimateTokens(message), 0);
        const places = messages.map((_, index) => index).slice(1);
        const possible = places.filter(
          (index) => messages[index]?.role !== "toolResult" && strayResults(messages.slice(index)).length === 0,
        );
        const reached = places.findLast((index) => size(index) >= keep) ?? (size(0) <= most ? undefined : 0);
        const after = possible.filter((index) => index >= (reached ?? 0));
        const expected =
          reached === undefined ? 0 : (after.find((index) => size(index) <= most) ?? after.at(-1) ?? possible.at(-1) ?? 0);
        const { index, turnStart } = findCutPoint(messages, estimateTokens, keep, most);
        expect(index).toBe(expected);
        expect(strayResults(messages.slice(index))).toEqual([]);
        expect(messages[turnStart ?? index]?.role).toBe("user");
      }),
    );
  });
});
