/**
 * The size above which a session compacts, in tokens: the window less a reserve for the reply. The reserve is never more than
 * a quarter of the window, so that a small window (smaller than four reserves) still holds a conversation.
 *
 * @param contextWindow Tokens; undefined when unknown.
 * @returns Undefined for an unknown window: it has no threshold.
 */
export function compactionThreshold(contextWindow: number | undefined, reserveTokens: number): number | undefined {
  if (contextWindow === undefined) return undefined;
  return contextWindow - Math.min(reserveTokens, Math.ceil(contextWindow / 4));
}

/**
 * How many tokens of the newest messages a compaction keeps as they are: `keepRecentTokens`, but never more than half of the
 * window.
 *
 * @param contextWindow Tokens; undefined when unknown.
 */
export function keepTokens(contextWindow: number | undefined, keepRecentTokens: number): number {
  return contextWindow === undefined ? keepRecentTokens : Math.min(keepRecentTokens, Math.floor(contextWindow / 2));
}

/** Without a threshold, a compaction has to bring the context under this share of what it was. */
const PROGRESS_WITHOUT_THRESHOLD = 0.9;

/**
 * What a compaction has to bring the context under, in tokens: the threshold; without one, 0.9 of before.
 *
 * @param before Tokens of the context before.
 * @param threshold See {@link compactionThreshold}.
 */
export function progressLimit(before: number, threshold: number | undefined): number {
  return threshold ?? before * PROGRESS_WITHOUT_THRESHOLD;
}

/** Whether a compaction was worth it: it brought the context under the {@link progressLimit}. */
export function madeProgress(before: number, after: number, threshold: number | undefined): boolean {
  return after < progressLimit(before, threshold);
}
