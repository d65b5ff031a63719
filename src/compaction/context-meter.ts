import type { Projection } from "../log/types.ts";
import type { Message } from "../model/types.ts";
import { estimateTokens, type TokenEstimator } from "./estimate.ts";

export interface ContextMeterOptions {
  /** Tokens of one message; default {@link estimateTokens}. It may be slow: it is asked once per message object. */
  estimate?: TokenEstimator;
  /** Tokens of system prompt and tool declarations, counted where no real usage includes them; default none. */
  overheadTokens?: () => number;
}

/** The estimator, asked once per message object. */
function remembering(estimate: TokenEstimator): TokenEstimator {
  const known = new WeakMap<Message, number>();
  return (message) => {
    let tokens = known.get(message);
    if (tokens === undefined) {
      tokens = estimate(message);
      known.set(message, tokens);
    }
    return tokens;
  };
}

/** Tokens of the context up to and with this message, as the provider counted them; undefined where it did not. */
function reportedTokens(message: Message): number | undefined {
  if (message.role !== "assistant" || message.stopReason === "error" || message.stopReason === "aborted") return undefined;
  return message.usage.totalTokens > 0 ? message.usage.totalTokens : undefined;
}

/**
 * Measures how much of the model's window the context takes. Anchored on the last real usage that is newer than the last
 * compaction or edit; what follows it is estimated. Without such an anchor everything is.
 *
 * Asking again after messages were appended costs only those messages.
 */
export class ContextMeter {
  /** Estimated tokens of one message. */
  readonly estimate: TokenEstimator;
  /** Tokens of system prompt and tool declarations. */
  readonly overheadTokens: () => number;
  readonly #projection: Projection;
  /** Items already counted, and the generation of the projection they were counted in. */
  #counted = 0;
  #generation = -1;
  /** The provider's count at the last real usage. */
  #anchor: number | undefined;
  /** Estimated tokens of the items after the anchor, or of all. */
  #estimated = 0;

  constructor(projection: Projection, options: ContextMeterOptions = {}) {
    this.#projection = projection;
    // Remembering takes longer than the default estimator does.
    this.estimate = options.estimate === undefined ? estimateTokens : remembering(options.estimate);
    this.overheadTokens = options.overheadTokens ?? (() => 0);
  }

  /** Tokens of the context as the next request would send it. */
  tokens(): number {
    this.#catchUp();
    return this.#anchor === undefined ? this.#estimated + this.overheadTokens() : this.#anchor + this.#estimated;
  }

  #catchUp(): void {
    const { items, generation, trustedFrom } = this.#projection;
    if (generation !== this.#generation) {
      this.#generation = generation;
      this.#anchor = undefined;
      this.#estimated = 0;
      // Nothing before the last anchor matters: start there.
      this.#counted = this.#lastAnchorIndex();
    }
    for (; this.#counted < items.length; this.#counted += 1) {
      const message = items[this.#counted]?.message;
      if (message === undefined) continue;
      const reported = this.#counted >= trustedFrom ? reportedTokens(message) : undefined;
      if (reported === undefined) {
        this.#estimated += this.estimate(message);
      } else {
        this.#anchor = reported;
        this.#estimated = 0;
      }
    }
  }

  /** Index of the last item with a real usage to trust; 0 when there is none. */
  #lastAnchorIndex(): number {
    const { items, trustedFrom } = this.#projection;
    for (let index = items.length - 1; index >= trustedFrom; index -= 1) {
      const message = items[index]?.message;
      if (message !== undefined && reportedTokens(message) !== undefined) return index;
    }
    return 0;
  }
}
