import type { Model, Prices } from "./types.ts";

/** What every adapter takes. */
export interface ModelOptions {
  /** The model's id, as the provider knows it. */
  model: string;
  /** Name in messages and failures; default the adapter's own. */
  provider?: string;
  /** Tokens; unknown by default: no compaction threshold then, until an overflow error tells. */
  contextWindow?: number;
  /** Tokens of output the model can give at most; unknown by default. */
  maxOutputTokens?: number;
  /** US dollars per million tokens, for `usage.cost`. */
  prices?: Prices;
  /** What the model takes; default text and images. */
  input?: readonly ("text" | "image")[];
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** The model goes on from a last message that is its own; default false. See `continuationOf`. */
  prefill?: boolean;
  /** Sends the requests; default the global `fetch`. */
  fetch?: typeof fetch;
}

/**
 * What a model states of itself, from the options it was made with.
 * @throws TypeError for an id that is no text, RangeError for numbers that make no sense.
 */
export function modelFacts(options: ModelOptions): Omit<Model, "api" | "provider" | "stream"> {
  const { contextWindow, maxOutputTokens, prices, prefill } = options;
  const id: unknown = options.model;
  if (typeof id !== "string" || id.trim() === "")
    throw new TypeError(`model is ${shown(id)}; it takes the id of a model, as its provider knows it`);
  checkTokens("contextWindow", contextWindow);
  checkTokens("maxOutputTokens", maxOutputTokens);
  for (const [name, price] of Object.entries(prices ?? {})) {
    if (!Number.isFinite(price) || price < 0)
      throw new RangeError(`prices.${name} is ${price}; it takes dollars per million tokens, from 0`);
  }
  return {
    id: options.model,
    input: options.input ?? ["text", "image"],
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(prices === undefined ? {} : { prices }),
    ...(prefill === undefined ? {} : { prefill }),
  };
}

function checkTokens(name: string, tokens: number | undefined): void {
  if (tokens !== undefined && (!Number.isSafeInteger(tokens) || tokens < 1)) {
    throw new RangeError(`${name} is ${tokens}; it takes a whole number of tokens from 1, or nothing when it is not known`);
  }
}

const shown = (value: unknown): string => (typeof value === "string" ? `"${value}"` : typeof value);

/** What both official clients take: no retries of their own, and what the options say of the server. */
export function clientOptions(options: ModelOptions, baseURL: string | undefined) {
  return {
    maxRetries: 0,
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(options.headers === undefined ? {} : { defaultHeaders: options.headers }),
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  };
}
