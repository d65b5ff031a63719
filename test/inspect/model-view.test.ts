import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { messageRows } from "../../src/inspect/view/message-rows.ts";
import { modelView } from "../../src/inspect/view/model-view.ts";
import { createMemoryLog } from "../../src/log/index.ts";
import { apply, steps } from "../log/arbitrary-drafts.ts";
import { compaction, omit, replace, reply, result, user } from "../log/drafts.ts";

describe("what the inspector says the model is shown", () => {
  test("is what the log's projection shows, after any appends, edits, compactions and moves", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const log = createMemoryLog();
        for (const step of all) apply(log, step);
        // The entry written last is the leaf of what is looked at.
        log.append(user("the end"));
        const views = modelView(log.entries);
        const shown = log.entries.filter(({ id }) => views.get(id)?.shown).map(({ id }) => id);
        expect(new Set(shown)).toEqual(new Set(log.projection.items.map(({ entryId }) => entryId)));
      }),
      { numRuns: 400 },
    );
  });

  test("and why not: each way a message can be left out has its words", () => {
    const log = createMemoryLog();
    const old = log.append(user("old"));
    const dropped = log.append(reply("dropped", { calls: ["call_0"] }));
    log.append(result("call_0", "42"));
    const shortened = log.append(user("very long"));
    log.append(reply("half", { stopReason: "error" }));
    log.append(reply("quarter", { stopReason: "aborted" }));
    log.append(omit(dropped.id));
    log.append(replace(shortened.id, "short"));
    log.append(compaction("what was said", dropped.id));
    log.append(user("new"));
    expect(messageRows(log.entries).map(({ shown, why }) => `${shown}: ${why}`)).toEqual([
      "false: replaced by the summary of a compaction",
      "false: left out so that the request could be repeated",
      "false: its tool call is left out",
      "true: shown in a shortened form",
      "false: a reply that failed",
      "false: a reply that was aborted",
      "true: shown first, in place of what it sums up",
      "true: ",
    ]);
    log.moveTo(old.id);
    log.append(user("another way"));
    expect(messageRows(log.entries).at(-2)).toMatchObject({ shown: false, why: "on another branch of the session" });
  });

  test("a reply is listed with its thinking, its tool calls and its error", () => {
    const log = createMemoryLog();
    log.append(reply("Looking", { calls: ["call_0"] }));
    const [row] = messageRows(log.entries);
    expect(row).toMatchObject({ who: "assistant", text: "Looking" });
    expect(row?.calls).toHaveLength(1);
  });
});
