import fc from "fast-check";
import { expect, test } from "vitest";
import { apply, countingLog, steps } from "./arbitrary-drafts.ts";
import { naiveProjection } from "./naive-projection.ts";

test("after any appends, edits, compactions and moves the projection is what its definition says", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const log = countingLog();
      for (const step of all) {
        const before = [...log.projection.items];
        const { generation } = log.projection;
        apply(log, step);

        const { items, trustedFrom } = naiveProjection(log.branch());
        expect(log.projection.items).toEqual(items);
        expect(log.projection.messages()).toEqual(items.map((item) => item.message));
        expect(log.projection.trustedFrom).toBe(trustedFrom);
        if (log.projection.generation === generation) expect(log.projection.items.slice(0, before.length)).toEqual(before);
      }
    }),
    { numRuns: 400 },
  );
});
