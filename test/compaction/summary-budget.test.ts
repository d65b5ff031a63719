import fc from "fast-check";
import { expect, test } from "vitest";
import { estimateTextTokens } from "../../src/compaction/estimate.ts";
import { summaryBudget } from "../../src/compaction/summary-budget.ts";
import { SUMMARY_SYSTEM_PROMPT, summaryPrompt } from "../../src/compaction/summary-prompt.ts";

test("a request that uses all of its budget fits the window to the last token", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2000, max: 50_000 }),
      fc.nat(30_000),
      fc.nat(5000),
      fc.boolean(),
      fc.integer({ min: 1, max: 4 }),
      (contextWindow, reserveTokens, instructionsLength, withMemory, density) => {
        fc.pre(contextWindow / density >= 2000);
        const limits = { contextWindow, maxOutputTokens: undefined, reserveTokens, density };
        const budget = summaryBudget(limits, instructionsLength);
        const prompt = summaryPrompt({
          transcript: "t".repeat(withMemory ? budget.transcript - budget.memory : budget.transcript),
          ...(withMemory ? { memory: "m".repeat(budget.memory) } : {}),
          ...(instructionsLength > 0 ? { instructions: "i".repeat(budget.instructions) } : {}),
          openTurn: true,
          abandoned: true,
          words: budget.words,
        });
        const input = density * (estimateTextTokens(SUMMARY_SYSTEM_PROMPT) + estimateTextTokens(prompt));
        expect(input + budget.outputTokens).toBeLessThanOrEqual(contextWindow);
        if (withMemory && instructionsLength > 0)
          expect(input + budget.outputTokens).toBeGreaterThan(contextWindow - 8 * density);
      },
    ),
  );
});

test("a summary leaves room for its prompt: it takes at most a quarter of the window", () => {
  expect(
    summaryBudget({ contextWindow: 8000, maxOutputTokens: undefined, reserveTokens: 16_384, density: 1 }, 0).outputTokens,
  ).toBe(2000);
  expect(
    summaryBudget({ contextWindow: 200_000, maxOutputTokens: undefined, reserveTokens: 16_384, density: 1 }, 0).outputTokens,
  ).toBe(13_107);
  expect(
    summaryBudget({ contextWindow: 200_000, maxOutputTokens: 4096, reserveTokens: 16_384, density: 1 }, 0).outputTokens,
  ).toBe(4096);
});
