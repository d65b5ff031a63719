import type { Prices, Usage } from "./types.ts";

type Counts = Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite">;

const PER_MILLION = 1_000_000;

/** Usage from its four counts, with the total, and with the cost where prices are known. Cache prices default to input's. */
export function usageOf(counts: Counts, prices?: Prices): Usage {
  const { input, output, cacheRead, cacheWrite } = counts;
  const usage: Usage = { input, output, cacheRead, cacheWrite, totalTokens: input + output + cacheRead + cacheWrite };
  if (prices === undefined) return usage;
  const cost = {
    input: (input * prices.input) / PER_MILLION,
    output: (output * prices.output) / PER_MILLION,
    cacheRead: (cacheRead * (prices.cacheRead ?? prices.input)) / PER_MILLION,
    cacheWrite: (cacheWrite * (prices.cacheWrite ?? prices.input)) / PER_MILLION,
  };
  return { ...usage, cost: { ...cost, total: cost.input + cost.output + cost.cacheRead + cost.cacheWrite } };
}

/** The sum of two usages; costs are added as far as they are known. */
export function addUsage(left: Usage, right: Usage): Usage {
  const sum: Usage = {
    input: left.input + right.input,
    output: left.output + right.output,
    cacheRead: left.cacheRead + right.cacheRead,
    cacheWrite: left.cacheWrite + right.cacheWrite,
    totalTokens: left.totalTokens + right.totalTokens,
  };
  const costs = [left.cost, right.cost].filter((cost) => cost !== undefined);
  if (costs.length > 0) {
    const total = (part: keyof (typeof costs)[number]): number => costs.reduce((so, cost) => so + cost[part], 0);
    sum.cost = {
      input: total("input"),
      output: total("output"),
      cacheRead: total("cacheRead"),
      cacheWrite: total("cacheWrite"),
      total: total("total"),
    };
  }
  return sum;
}
