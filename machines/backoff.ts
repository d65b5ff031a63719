/** The numbers of one backoff. All times are milliseconds. */
export interface BackoffSettings {
  baseDelayMs: number;
  maxDelayMs: number;
  /** Share of the delay that chance may add: 0 adds nothing, 0.5 up to a half; a negative one is taken away instead. */
  jitter: number;
}

/**
 * The one delay formula: `min(baseDelayMs * 2^(attempt-1), maxDelayMs)`, plus up to `jitter` of it.
 *
 * @param attempt The retry that the wait comes before, from 1.
 * @param random A number from 0 up to but not including 1.
 * @param floorMs A wait the provider demanded (Retry-After): never earlier than that.
 * @returns Whole milliseconds.
 */
export function backoffDelayMs(settings: BackoffSettings, attempt: number, random: number, floorMs = 0): number {
  // 2 ** 1023 is the last finite power; the product may still be Infinity, which the cap takes care of.
  const exponential = settings.baseDelayMs * 2 ** Math.min(attempt - 1, 1023);
  const capped = Math.min(exponential, settings.maxDelayMs);
  return Math.max(Math.round(capped * (1 + settings.jitter * random)), Math.ceil(floorMs));
}
