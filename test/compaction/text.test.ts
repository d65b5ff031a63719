import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { headAndTail } from "../../src/compaction/text.ts";

describe("head and tail of a text", () => {
  test("are the text itself where it is short enough", () => {
    expect(headAndTail("short", 5)).toBe("short");
  });
  test("stand around a mark that names the size", () => {
    expect(headAndTail(`BEGIN${"x".repeat(1000)}END`, 200)).toMatch(
      /^BEGINx+\n\[… 1008 characters, shortened to head and tail …\]\nx+END$/,
    );
  });
  test("are never longer than the limit, and never split a character in two", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "😀", "語"), minLength: 1, maxLength: 400 });
    fc.assert(
      fc.property(text, fc.nat(300), (whole, limit) => {
        const short = headAndTail(whole, limit);
        expect(short.length).toBeLessThanOrEqual(Math.max(limit, 0));
        expect(short.isWellFormed()).toBe(true);
        if (whole.length <= limit) expect(short).toBe(whole);
      }),
    );
  });
});
