import type { Clock } from "../../retry/clock.ts";

const STEP_MS = 1_000;

/** Calls `show` with the whole seconds that are left until `until`, at once and then each second; the returned function ends it. */
export function countdown(clock: Clock, until: number, show: (seconds: number) => void): () => void {
  let cancel = (): void => undefined;
  const tick = (): void => {
    const left = until - clock.now();
    show(Math.max(0, Math.ceil(left / STEP_MS)));
    if (left <= 0) return;
    // To the next whole second, so that no number is skipped.
    cancel = clock.after(left % STEP_MS || STEP_MS, tick);
  };
  tick();
  return () => cancel();
}
