import { getEventListeners } from "node:events";
import { expect, test, vi } from "vitest";
import { sleep, systemClock } from "../../src/retry/index.ts";
import type { Clock } from "../../src/retry/index.ts";

/** A clock whose only timer is fired by hand. */
function handClock() {
  let due: (() => void) | undefined;
  const clock: Clock = {
    now: () => 0,
    after(_milliseconds, callback) {
      due = callback;
      return () => {
        due = undefined;
      };
    },
  };
  return { clock, fire: () => due?.(), pending: () => due !== undefined };
}

test("a sleep ends when its timer fires", async () => {
  const { clock, fire } = handClock();
  const { signal } = new AbortController();
  const slept = sleep(clock, 1000, signal);
  fire();
  await expect(slept).resolves.toBeUndefined();
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("an abort rejects it with the signal's reason and takes the timer back", async () => {
  const { clock, pending } = handClock();
  const controller = new AbortController();
  const slept = sleep(clock, 1000, controller.signal);
  expect(pending()).toBe(true);
  controller.abort("why");
  await expect(slept).rejects.toBe("why");
  expect(pending()).toBe(false);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});

test("with an aborted signal no timer is made", async () => {
  const { clock, pending } = handClock();
  await expect(sleep(clock, 1000, AbortSignal.abort("why"))).rejects.toBe("why");
  expect(pending()).toBe(false);
});

test("the system's clock calls once, and not at all when it is taken back", async () => {
  const calls: string[] = [];
  systemClock.after(1, () => calls.push("kept"));
  systemClock.after(1, () => calls.push("taken back"))();
  await sleep(systemClock, 15);
  expect(calls).toEqual(["kept"]);
});

test("the system's clock tells the time", () => {
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1000);
});

test("a wait longer than a timer takes is waited to its end", () => {
  vi.useFakeTimers();
  try {
    const calls: string[] = [];
    const longest = 2 ** 31 - 1;
    systemClock.after(longest + 5000, () => calls.push("due"));
    vi.advanceTimersByTime(longest + 4999);
    expect(calls).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(calls).toEqual(["due"]);
  } finally {
    vi.useRealTimers();
  }
});
