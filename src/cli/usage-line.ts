import type { PromptOutcome } from "../session/events.ts";

/** What a prompt took: requests, retries, tokens and, where prices are known, its cost. */
export function usageLine({ requests, retries, usage }: PromptOutcome): string {
  const { input, output, cacheRead, cacheWrite, cost } = usage;
  const cached = cacheRead + cacheWrite === 0 ? "" : `, cache ${cacheRead} read, ${cacheWrite} written`;
  const price = cost === undefined ? "" : `, $${cost.total.toFixed(4)}`;
  return `${plural(requests, "request")}, ${plural(retries, "retry", "retries")}, tokens: ${input} in, ${output} out${cached}${price}`;
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
