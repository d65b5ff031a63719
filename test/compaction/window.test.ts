import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compactionThreshold, keepTokens, madeProgress } from "../../machines/window.ts";

describe("the threshold", () => {
  test("is the window less the reserve", () => {
    expect(compactionThreshold(200_000, 16_384)).toBe(183_616);
  });
  test("of a window smaller than four reserves leaves a quarter of it free", () => {
    expect(compactionThreshold(4 * 16_384, 16_384)).toBe(3 * 16_384);
    expect(compactionThreshold(4 * 16_384 - 4, 16_384)).toBe(3 * 16_384 - 3);
    expect(compactionThreshold(8000, 16_384)).toBe(6000);
    expect(compactionThreshold(8001, 16_384)).toBe(6000);
  });
  test("does not exist for an unknown window", () => {
    expect(compactionThreshold(undefined, 16_384)).toBeUndefined();
  });
  test("is positive, and under the window whenever there is a reserve", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 2_000_000 }), fc.integer({ min: 1, max: 2_000_000 }), (window, reserve) => {
        const threshold = compactionThreshold(window, reserve) ?? NaN;
        expect(threshold).toBeGreaterThan(0);
        expect(threshold).toBeLessThan(window);
      }),
    );
  });
});

describe("what is kept", () => {
  test("is what was asked for, and at most half of the window", () => {
    expect(keepTokens(200_000, 20_000)).toBe(20_000);
    expect(keepTokens(8000, 20_000)).toBe(4000);
    expect(keepTokens(8000, 100)).toBe(100);
    expect(keepTokens(undefined, 20_000)).toBe(20_000);
  });
});

describe("progress", () => {
  test("is being under the threshold afterwards", () => {
    expect(madeProgress(200, 99, 100)).toBe(true);
    expect(madeProgress(200, 100, 100)).toBe(false);
  });
  test("without a threshold is being under nine tenths of before", () => {
    expect(madeProgress(1000, 899, undefined)).toBe(true);
    expect(madeProgress(1000, 900, undefined)).toBe(false);
  });
});
