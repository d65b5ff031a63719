import type { Prices } from "../../model/types.ts";
import type { ModelEntry } from "../settings/command-settings.ts";

/** Prompt caching costs the same share of the input price with every Claude model: reads a tenth, writes of 5 minutes 1.25. */
function claude(input: number, output: number): Prices {
  return { input, output, cacheRead: input / 10, cacheWrite: input * 1.25 };
}

const adaptive = { contextWindow: 1_000_000, maxOutputTokens: 128_000, thinking: "adaptive" } as const;
const budget = { contextWindow: 200_000, maxOutputTokens: 64_000, thinking: "budget" } as const;
// Of these windows of 1,050,000 and 400,000 tokens the output takes its part beforehand: what stands here is the most input.
const gpt6 = { contextWindow: 922_000, maxOutputTokens: 128_000 };
const gpt5 = { contextWindow: 272_000, maxOutputTokens: 128_000 };

/**
 * Windows and limits of well-known models, as of November 2026; each can be overridden in the settings (`models`).
 * Sources: platform.claude.com/docs (models and pricing) and developers.openai.com/api/docs/models.
 * No prices where they depend on the size of a request: a figure that may be wrong is worse than none.
 */
export const knownModels: Readonly<Record<string, ModelEntry>> = {
  "anthropic/claude-fable-5-1": { ...adaptive, prices: claude(10, 50) },
  "anthropic/claude-opus-5-5": { ...adaptive, prices: claude(4, 20) },
  "anthropic/claude-opus-5": { ...adaptive, prices: claude(5, 25) },
  "anthropic/claude-opus-4-8": adaptive,
  "anthropic/claude-opus-4-7": adaptive,
  "anthropic/claude-opus-4-6": { ...adaptive, prices: claude(5, 25) },
  "anthropic/claude-opus-4-5": { ...budget, prices: claude(5, 25) },
  "anthropic/claude-sonnet-5-5": { ...adaptive, prices: claude(2, 10) },
  "anthropic/claude-sonnet-5": { ...adaptive, prices: claude(2, 10) },
  "anthropic/claude-sonnet-4-6": adaptive,
  "anthropic/claude-sonnet-4-5": { ...budget, prices: claude(3, 15) },
  "anthropic/claude-haiku-5-5": adaptive,
  "anthropic/claude-haiku-4-5": { ...budget, prices: claude(1, 5) },

  "openai/gpt-6.2-sol": gpt6,
  "openai/gpt-6.1-sol": gpt6,
  "openai/gpt-6.1-terra": gpt6,
  "openai/gpt-6-sol": gpt6,
  "openai/gpt-5.6-sol": gpt6,
  "openai/gpt-5.6-terra": gpt6,
  "openai/gpt-5.1": gpt5,
  "openai/gpt-5": gpt5,
  "openai/gpt-5-mini": gpt5,
  "openai/gpt-4.1": { contextWindow: 1_047_576, maxOutputTokens: 32_768, prices: { input: 2, output: 8, cacheRead: 0.5 } },
  "openai/gpt-4o": { contextWindow: 128_000, maxOutputTokens: 16_384, prices: { input: 2.5, output: 10, cacheRead: 1.25 } },
};
