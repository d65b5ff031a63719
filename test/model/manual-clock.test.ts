import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sleep } from "../../src/retry/clock.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

describe("a manual clock", () => {
  test("stands still until it is told to go on", () => {
    const clock = new ManualClock(1000);
    let fired = 0;
    clock.after(10, () => fired++);
    expect([clock.now(), clock.pending, fired]).toEqual([1000, 1, 0]);
    clock.advance(9);
    expect([clock.now(), fired]).toEqual([1009, 0]);
    clock.advance(1);
    expect([clock.now(), clock.pending, fired]).toEqual([1010, 0, 1]);
  });

  test("fires timers in the order they are due, and shows each its own time", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100), { maxLength: 30 }), (delays) => {
        const clock = new ManualClock();
        const fired: [delay: number, place: number, at: number][] = [];
        delays.forEach((delay, place) => clock.after(delay, () => fired.push([delay, place, clock.now()])));
        clock.advance(100);
        const expected = delays
          .map((delay, place): [number, number, number] => [delay, place, delay])
          .toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
        expect(fired).toEqual(expected);
        expect(clock.now()).toBe(100);
      }),
    );
  });

  test("fires timers that are set while firing, when they are due within the same advance", () => {
    const clock = new ManualClock();
    const at: number[] = [];
    const again = (): void => {
      at.push(clock.now());
      clock.after(10, again);
    };
    clock.after(10, again);
    clock.advance(35);
    expect(at).toEqual([10, 20, 30]);
    expect([clock.now(), clock.pending, clock.nextDue]).toEqual([35, 1, 40]);
  });

  test("a cancelled timer does not fire, and cancelling twice is nothing", () => {
    const clock = new ManualClock();
    let fired = false;
    const cancel = clock.after(5, () => (fired = true));
    cancel();
    cancel();
    clock.advance(10);
    expect([fired, clock.pending]).toEqual([false, 0]);
  });

  test("runNext goes on to the earliest timer, and says when there is none", () => {
    const clock = new ManualClock();
    clock.after(50, () => undefined);
    expect(clock.runNext()).toBe(true);
    expect(clock.now()).toBe(50);
    expect(clock.runNext()).toBe(false);
  });

  test("drives sleep", async () => {
    const clock = new ManualClock();
    const slept = sleep(clock, 1000);
    clock.advance(1000);
    await expect(slept).resolves.toBeUndefined();
  });

  test("refuses to go back or to go on for ever", () => {
    expect(() => new ManualClock().advance(-1)).toThrow(RangeError);
    expect(() => new ManualClock().advance(Infinity)).toThrow("got Infinity");
  });
});
