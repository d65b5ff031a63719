import { expect, test } from "vitest";
import { startExample } from "../../docs/examples/inspect.ts";
import { listen, recordsOf } from "./requests.ts";

test("the example of the guide lives through a retry and an overflow, in sight of its page", async () => {
  await using example = await startExample(1);
  expect([await example.prompt(), await example.prompt(), await example.prompt()]).toEqual([
    "completed",
    "completed",
    "completed",
  ]);
  const events = await listen(`${example.url}events`, (seen) => seen.length >= 2);
  const told = recordsOf(events, "1").flatMap((record) => (record.kind === "event" ? [record.event.type] : []));
  expect(told.filter((type) => type === "auto_retry_start")).toHaveLength(2);
  expect(told).toContain("compaction_end");
});
