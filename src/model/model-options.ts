import type { Model, Prices } from "./types.ts";

/** The clients insist on a time limit up to the headers; ours are `stream.firstEventMs` and `retry.provider.timeoutMs`. */
export const NO_CLIENT_TIMEOUT_MS = 2_147_483_647;

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

/** What a model states of itself, from the options it was made with. */
export function modelFacts(options: ModelOptions): Omit<Model, "api" | "provider" | "stream"> {
  const { contextWindow, maxOutputTokens, prices, prefill } = options;
  return {
    id: options.model,
    input: options.input ?? ["text", "image"],
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(prices === undefined ? {} : { prices }),
    ...(prefill === undefined ? {} : { prefill }),
  };
}
