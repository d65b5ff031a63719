import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimateTokens } from "../../src/compaction/estimate.ts";
import { shortenToolResults, SMALLEST_RESULT_TOKENS } from "../../src/compaction/shorten.ts";
import type { Message } from "../../src/model/types.ts";
import { calling, conversations, items, result, textOf, user } from "./conversation.ts";

const shorten = (messages: Message[], budget: number, estimate = estimateTokens) =>
  shortenToolResults(items(messages), estimate, budget);
const size = (messages: readonly { message: Message }[]): number =>
  messages.reduce((total, { message }) => total + estimateTokens(message), 0);

describe("shortening tool results", () => {
  test("leaves everything alone that fits", () => {
    const messages = [user("x"), calling(["a", "read"]), result("a", textOf(1000))];
    expect(shorten(messages, 5000)).toEqual({ items: items(messages), drafts: [] });
  });
  test("keeps head and tail of a giant one, and names its size", () => {
    const text = `BEGIN${textOf(50_000)}END`;
    const { items: shown, drafts } = shorten([user("x"), calling(["a", "read"]), result("a", text)], 1000);
    expect(size(shown)).toBeLessThanOrEqual(1000);
    expect(drafts).toHaveLength(1);
    const edit = drafts[0];
    if (edit?.type !== "context_edit" || edit.replacement === null) throw new Error("no edit");
    expect(edit.targetId).toBe("entry2");
    const [block] = edit.replacement.content;
    expect(block).toMatchObject({
      type: "text",
      text: expect.stringMatching(
        /^BEGIN[^]*xEND\n\[this result had 200008 characters and was shortened to make room\]$/,
      ) as string,
    });
  });
  test("names the size it had at first when it is shortened again", () => {
    const once = shorten([result("a", `BEGIN${textOf(50_000)}END`)], 2000).items;
    const twice = shortenToolResults(once, estimateTokens, 500).items;
    const text = JSON.stringify(twice[0]?.message.content);
    expect(text.match(/this result had \d+ characters/g)).toEqual(["this result had 200008 characters"]);
    expect(text).toMatch(/BEGIN.*xEND/);
    expect(size(twice)).toBeLessThanOrEqual(500);
  });
  test("shortens the largest first and leaves small ones whole", () => {
    const small = result("a", textOf(300));
    const { items: shown } = shorten([small, result("b", textOf(4000)), result("c", textOf(2000))], 2300);
    expect(shown[0]?.message).toBe(small);
    expect(estimateTokens(shown[1]?.message as Message)).toBe(1000);
    expect(estimateTokens(shown[2]?.message as Message)).toBe(1000);
  });
  test("leaves images out of a result that is shortened", () => {
    const screenshot = result("a", textOf(10), {
      content: [
        { type: "text", text: "a screenshot" },
        { type: "image", data: "AAAA", mimeType: "image/png" },
      ],
    });
    const { items: shown } = shorten([screenshot], 500);
    expect(JSON.stringify(shown[0]?.message.content)).toMatch(
      /"a screenshot\\n\[image \(image\/png\) left out\]\\n\[this result had/,
    );
  });
  test("fits the budget of an estimator that finds four tokens in a character", () => {
    const dense = (message: Message): number => estimateTokens(message) * 16;
    const { items: shown } = shorten([result("a", textOf(5000))], 1000, dense);
    expect(dense(shown[0]?.message as Message)).toBeLessThanOrEqual(1000);
  });
  test("fits the budget, or no tool result is larger than the smallest size; other messages stay as they are", () => {
    fc.assert(
      fc.property(conversations(3000), fc.integer({ min: 0, max: 20_000 }), (messages, budget) => {
        const { items: shown, drafts } = shorten(messages, budget);
        const results = shown.filter(({ message }) => message.role === "toolResult");
        const smallest = results.every(({ message }) => estimateTokens(message) <= SMALLEST_RESULT_TOKENS);
        expect(size(shown) <= budget || smallest).toBe(true);
        const edited = new Set(drafts.map((draft) => (draft.type === "context_edit" ? draft.targetId : "")));
        for (const [index, { entryId, message }] of shown.entries()) {
          if (!edited.has(entryId)) expect(message).toBe(messages[index]);
          else expect(message.role).toBe("toolResult");
        }
      }),
    );
  });
});
