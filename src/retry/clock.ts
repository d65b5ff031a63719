/** Time, as a session sees it. Everything that waits goes through one of these, so that tests can own it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `callback` once, `milliseconds` from now, unless the returned function is called before. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** Longest delay a JavaScript timer takes (2^31 - 1 ms); a longer one would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    let timer: ReturnType<typeof setTimeout>;
    const arm = (left: number): void => {
      const step = Math.min(left, LONGEST_TIMER_MS);
      timer = setTimeout(() => (left > step ? arm(left - step) : callback()), Math.max(0, step));
    };
    arm(milliseconds);
    return () => clearTimeout(timer);
  },
};

/**
 * Resolves after `milliseconds`. Rejects with `signal.reason` at once when the signal aborts; no timer is left behind.
 */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const stop = (): void => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = clock.after(milliseconds, () => {
      signal?.removeEventListener("abort", stop);
      resolve();
    });
    signal?.addEventListener("abort", stop, { once: true });
  });
}
