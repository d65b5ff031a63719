import { describe, expect, test } from "vitest";
import { createMemoryLog } from "../../src/log/index.ts";
import type { EntryDraft, SessionLog } from "../../src/log/index.ts";
import { compaction, omit, replace, reply, result, user } from "./drafts.ts";

function logWith(...drafts: EntryDraft[]): SessionLog {
  const log = createMemoryLog({ id: "s", cwd: "/project", now: () => 0 });
  log.appendAll(drafts);
  return log;
}

function shown(log: SessionLog): string[] {
  return log.projection.items.map(({ message }) => {
    if (typeof message.content === "string") return message.content;
    return message.content.map((block) => (block.type === "text" ? block.text : block.type)).join("+");
  });
}

describe("what the model is shown", () => {
  test("messages, in their order, and none of an application's own data", () => {
    const log = logWith(user("a"), { type: "custom", customType: "app/x", data: 1 }, reply("b"), {
      type: "session_info",
      name: "n",
    });
    expect(shown(log)).toEqual(["a", "b"]);
    expect(log.projection.messages()).toEqual(log.projection.items.map((item) => item.message));
  });

  test("a failed or aborted reply never, not even when an edit replaces it", () => {
    const log = logWith(
      user("a"),
      reply("half", { stopReason: "error", id: "e" }),
      reply("cut", { stopReason: "aborted", id: "x" }),
    );
    const { generation } = log.projection;
    log.appendAll([replace("e", "whole"), omit("x")]);
    expect(shown(log)).toEqual(["a"]);
    expect(log.projection.generation).toBe(generation);
    expect(log.projection.trustedFrom).toBe(0);
  });

  test("an application's message as the user's, and an edit of it", () => {
    const log = logWith({ type: "custom_message", id: "c", customType: "app/note", content: "note", display: true });
    expect(log.projection.items[0]?.message.role).toBe("user");
    log.append(replace("c", "other"));
    expect(shown(log)).toEqual(["other"]);
  });

  test("the summary of another branch, in summary tags", () => {
    const log = logWith(user("a", "a"), { type: "branch_summary", fromId: "a", summary: "tried b" });
    expect(shown(log)[1]).toMatch(/^\S.*\n\n<summary>\ntried b\n<\/summary>$/);
  });
});

describe("an edit", () => {
  test("with null leaves its target out, with content replaces it; the latest wins", () => {
    const log = logWith(user("a", "a"), reply("b", { id: "b" }), user("c"));
    log.append(omit("b"));
    expect(shown(log)).toEqual(["a", "c"]);
    log.append(replace("b", "B"));
    expect(shown(log)).toEqual(["a", "B", "c"]);
    log.append(omit("a"));
    expect(shown(log)).toEqual(["B", "c"]);
  });

  test("of a reply hides the results of its calls with it", () => {
    const log = logWith(user("a"), reply("b", { calls: ["1", "2"], id: "b" }), result("1", "r1"), result("2", "r2"), user("c"));
    expect(shown(log)).toEqual(["a", "b+toolCall+toolCall", "r1", "r2", "c"]);
    log.append(omit("b"));
    expect(shown(log)).toEqual(["a", "c"]);
  });

  test("that replaces a reply takes its calls, and so their results are not shown", () => {
    const log = logWith(reply("b", { calls: ["1"], id: "b" }), result("1", "r1"));
    log.append(replace("b", "B"));
    expect(shown(log)).toEqual(["B"]);
  });

  test("keeps the rest of the message and the entry itself", () => {
    const log = logWith(reply("b", { calls: ["1"] }), result("1", "long", "r"));
    log.append(replace("r", "short"));
    expect(log.projection.items[1]?.message).toMatchObject({
      role: "toolResult",
      toolCallId: "1",
      content: [{ type: "text", text: "short" }],
    });
    expect(log.entry("r")).toMatchObject({ message: { content: [{ type: "text", text: "long" }] } });
  });

  test("changes nothing the model is shown when its target is on another branch", () => {
    const log = logWith(user("a", "a"), user("b", "b"));
    log.moveTo("a");
    log.appendAll([user("c"), omit("b")]);
    expect(shown(log)).toEqual(["a", "c"]);
    log.moveTo("b");
    expect(shown(log)).toEqual(["a", "b"]);
  });
});

describe("a tool result", () => {
  test("is not shown when its call is in a failed reply, or nowhere", () => {
    const log = logWith(reply("b", { stopReason: "aborted", calls: ["1"] }), result("1", "r1"), result("2", "r2"));
    expect(shown(log)).toEqual([]);
  });

  test("belongs to the latest call of its id: providers use ids again", () => {
    const log = logWith(
      reply("b", { calls: ["0"], id: "b" }),
      result("0", "r1"),
      reply("c", { calls: ["0"], id: "c" }),
      result("0", "r2"),
    );
    log.append(omit("c"));
    expect(shown(log)).toEqual(["b+toolCall", "r1"]);
  });

  test("whose call was compacted away is not shown", () => {
    const log = logWith(reply("b", { calls: ["1"] }), result("1", "r1", "r"), user("c"), compaction("S", "r"));
    expect(shown(log).slice(1)).toEqual(["c"]);
  });
});

describe("a compaction", () => {
  test("shows its summary for what came before, then what it keeps, then what follows", () => {
    const log = logWith(user("a"), reply("b"), user("c", "c"), reply("d"), compaction("S", "c"), user("e"));
    expect(shown(log)[0]).toContain("<summary>\nS\n</summary>");
    expect(shown(log).slice(1)).toEqual(["c", "d", "e"]);
    expect(log.projection.items[0]?.message.role).toBe("user");
  });

  test("that names itself keeps nothing; the latest one counts", () => {
    const log = logWith(user("a", "a"), compaction("S1", "a"), user("b"), compaction("S2", "k", "k"), user("c"));
    expect(shown(log)).toHaveLength(2);
    expect(shown(log)[0]).toContain("S2");
  });

  test("may keep what an earlier one left out, and shows no earlier summary", () => {
    const log = logWith(user("a", "a"), user("b", "b"), compaction("S1", "b"), user("c"), compaction("S2", "a"));
    expect(shown(log).slice(1)).toEqual(["a", "b", "c"]);
  });

  test("keeps the edits of what it keeps", () => {
    const log = logWith(user("a", "a"), user("b", "b"), omit("b"), replace("a", "A"), compaction("S", "a"));
    expect(shown(log).slice(1)).toEqual(["A"]);
  });
});

describe("the usage that can be trusted", () => {
  test("starts after the latest compaction, and after an edit that changed what is shown", () => {
    const log = logWith(user("a", "a"), reply("b"));
    expect(log.projection.trustedFrom).toBe(0);
    log.append(compaction("S", "a"));
    expect(log.projection.trustedFrom).toBe(3);
    log.append(reply("c", { id: "c" }));
    expect(log.projection.trustedFrom).toBe(3);
    log.append(omit("c"));
    expect(log.projection.trustedFrom).toBe(3);
    log.append(replace("a", "A"));
    log.append(reply("d"));
    expect(log.projection.items).toHaveLength(4);
    expect(log.projection.trustedFrom).toBe(3);
  });
});

describe("keeping it up to date", () => {
  test("items are one live array, messages a copy that stays as it was", () => {
    const log = logWith(user("a", "a"));
    const { items } = log.projection;
    const messages = log.projection.messages();
    log.appendAll([user("b"), omit("a")]);
    expect(items).toBe(log.projection.items);
    expect(items).toHaveLength(1);
    expect(messages).toHaveLength(1);
  });

  test("appending leaves the generation; an edit, a compaction and another branch raise it", () => {
    const log = logWith(user("a", "a"));
    const seen = [log.projection.generation];
    const note = (): number => seen.push(log.projection.generation);
    log.appendAll([user("b", "b"), reply("c")]);
    expect(log.projection.generation).toBe(seen[0]);
    log.append(omit("b"));
    note();
    log.append(compaction("S", "a"));
    note();
    log.moveTo("a");
    note();
    expect(new Set(seen).size).toBe(4);
  });
});
