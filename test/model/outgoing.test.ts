import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { outgoingMessages, type OutgoingMessage } from "../../src/model/adapter/outgoing.ts";
import { IdShaper, ToolNames } from "../../src/model/adapter/shapes.ts";
import type { AssistantContent, Message, Model } from "../../src/model/types.ts";
import { assistant, call, result, user } from "./helpers.ts";

const MODEL: Model = {
  api: "test",
  provider: "here",
  id: "m",
  stream: () => {
    throw new Error("not called");
  },
};
const LIMITS = { callId: { foreign: /[^A-Za-z0-9_-]/g, maxLength: 20 } };
const build = (messages: readonly Message[], model = MODEL): OutgoingMessage[] => outgoingMessages(messages, model, LIMITS);
const said = (text: string, more = {}): Message => assistant(MODEL, [{ type: "text", text }], more);
const calls = (...ids: string[]): Message =>
  assistant(
    MODEL,
    ids.map((id) => call(id)),
  );
const shape = (messages: OutgoingMessage[]): string[] =>
  messages.map((message) =>
    message.role === "toolResult"
      ? `result ${message.toolCallId}`
      : message.role === "assistant"
        ? `assistant ${message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : [])).join(" ")}`.trim()
        : "user",
  );

describe("tool calls and results", () => {
  test("that belong together are left as they are", () => {
    expect(shape(build([user("a"), calls("1", "2"), result("1", "x"), result("2", "y"), said("b")]))).toEqual([
      "user",
      "assistant 1 2",
      "result 1",
      "result 2",
      "assistant",
    ]);
  });

  test("a call without a result gets one that says so, before what follows", () => {
    const built = build([user("a"), calls("1", "2"), result("2", "y"), user("b")]);
    expect(shape(built)).toEqual(["user", "assistant 1 2", "result 2", "result 1", "user"]);
    expect(built[3]).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("No result was recorded") }] });
  });

  test("a call at the very end gets one too", () => {
    expect(shape(build([user("a"), calls("1")]))).toEqual(["user", "assistant 1", "result 1"]);
  });

  test("a result without a call, or behind another turn's call, is left out", () => {
    expect(
      shape(
        build([result("9", "x"), user("a"), calls("1"), result("2", "y"), result("1", "z"), said("b"), result("1", "again")]),
      ),
    ).toEqual(["user", "assistant 1", "result 1", "assistant"]);
  });

  test("a second result of the same call is left out", () => {
    const built = build([user("a"), calls("1"), result("1", "first"), result("1", "second")]);
    expect(built.filter(({ role }) => role === "toolResult")).toMatchObject([{ content: [{ text: "first" }] }]);
  });

  test("a result stands right behind its call, before what the user said meanwhile", () => {
    expect(shape(build([user("a"), calls("1"), user("hurry"), result("1", "x")]))).toEqual([
      "user",
      "assistant 1",
      "result 1",
      "user",
    ]);
  });

  test("ids that repeat across turns are made unique, each with its own result", () => {
    const built = build([user("a"), calls("1"), result("1", "first"), calls("1"), result("1", "second")]);
    expect(shape(built)).toEqual(["user", "assistant 1", "result 1", "assistant 1_2", "result 1_2"]);
    expect(built.filter(({ role }) => role === "toolResult")).toMatchObject([
      { content: [{ text: "first" }] },
      { content: [{ text: "second" }] },
    ]);
  });

  test("ids that repeat within a turn are made unique, results taken in order", () => {
    const built = build([user("a"), calls("1", "1"), result("1", "first"), result("1", "second")]);
    expect(shape(built)).toEqual(["user", "assistant 1 1_2", "result 1", "result 1_2"]);
    expect(built.slice(2)).toMatchObject([{ content: [{ text: "first" }] }, { content: [{ text: "second" }] }]);
  });

  test("ids of a foreign shape are shaped, on both sides", () => {
    expect(shape(build([user("a"), calls("call:1|fc.2", ""), result("call:1|fc.2", "x"), result("", "y")]))).toEqual([
      "user",
      "assistant call_1_fc_2 call",
      "result call_1_fc_2",
      "result call",
    ]);
  });

  test("of a failed reply are not shown, nor their results", () => {
    expect(
      shape(
        build([
          user("a"),
          assistant(MODEL, [call("1")], { stopReason: "error" }),
          result("1", "x"),
          assistant(MODEL, [call("2")], { stopReason: "aborted" }),
        ]),
      ),
    ).toEqual(["user"]);
  });
});

describe("content", () => {
  test("lone surrogates are replaced everywhere, whole ones are kept", () => {
    const text = "a\ud800b \ud83d\ude00";
    const built = JSON.stringify(
      build([user(text), assistant(MODEL, [{ type: "text", text }, call("1", "t", { deep: [{ text }] })]), result("1", text)]),
    );
    expect(built).not.toMatch(/\\ud800/);
    expect(built.match(/a\ufffdb \ud83d\ude00/g)).toHaveLength(4);
  });

  test("blank blocks and messages without content are left out", () => {
    const built = build([
      user("  "),
      user("a"),
      assistant(MODEL, [{ type: "text", text: "\n" }]),
      { role: "user", content: [{ type: "text", text: "" }], timestamp: 0 },
      assistant(MODEL, []),
      user("b"),
    ]);
    expect(built).toMatchObject([{ content: [{ text: "a" }] }, { content: [{ text: "b" }] }]);
  });

  test("thinking stays for the very model that thought, and goes with its answer", () => {
    const think = (more = {}): Message =>
      assistant(
        MODEL,
        [
          { type: "thinking", thinking: "hm", signature: "s" },
          { type: "text", text: "x" },
        ],
        more,
      );
    const kinds = (message: Message) => build([message]).flatMap((built) => built.content.map(({ type }) => type));
    expect(kinds(think())).toEqual(["thinking", "text"]);
    for (const other of [{ model: "n" }, { provider: "there" }, { api: "other" }]) expect(kinds(think(other))).toEqual(["text"]);
    expect(kinds(assistant(MODEL, [{ type: "thinking", thinking: "hm" }]))).toEqual([]);
  });

  test("images that cannot be sent are told of", () => {
    const image = { type: "image" as const, data: "aGk=", mimeType: "image/bmp" };
    const shown: Message = { role: "user", content: [image], timestamp: 0 };
    expect(build([shown])).toMatchObject([{ content: [image] }]);
    expect(build([shown], { ...MODEL, input: ["text"] })).toMatchObject([
      { content: [{ type: "text", text: "[An image was left out: this model takes no images.]" }] },
    ]);
    expect(outgoingMessages([shown], MODEL, { ...LIMITS, imageTypes: new Set(["image/png"]) })).toMatchObject([
      { content: [{ text: expect.stringContaining("image/bmp") }] },
    ]);
  });
});

describe("whatever the log holds", () => {
  const id = fc.constantFrom("1", "2", "3", "a|b", "");
  const block: fc.Arbitrary<AssistantContent> = fc.oneof(
    fc.record({ type: fc.constant("text" as const), text: fc.string({ unit: "binary" }) }),
    fc.record({ type: fc.constant("thinking" as const), thinking: fc.string() }),
    id.map((value) => call(value)),
  );
  const message: fc.Arbitrary<Message> = fc.oneof(
    fc.string().map(user),
    fc
      .tuple(fc.array(block, { maxLength: 4 }), fc.constantFrom("stop", "error", "aborted", "toolUse"))
      .map(([content, stopReason]) => assistant(MODEL, content, { stopReason: stopReason as "stop" })),
    fc.tuple(id, fc.string()).map(([toolCallId, text]) => result(toolCallId, text)),
  );

  test("each call that is sent is followed by its one result, ids are unique and well-shaped, and the log is untouched", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
        const before = JSON.stringify(messages);
        const built = build(messages);
        expect(JSON.stringify(messages)).toBe(before);
        const seen = new Set<string>();
        let open: string[] = [];
        for (const one of built) {
          if (one.role === "toolResult") {
            expect(open).toContain(one.toolCallId);
            open = open.filter((other) => other !== one.toolCallId);
            continue;
          }
          expect(open).toEqual([]);
          expect(one.content.length).toBeGreaterThan(0);
          if (one.role !== "assistant") continue;
          open = one.content.flatMap((inner) => (inner.type === "toolCall" ? [inner.id] : []));
          for (const value of open) {
            expect(value).toMatch(/^[A-Za-z0-9_-]{1,20}$/);
            expect(seen.has(value)).toBe(false);
            seen.add(value);
          }
        }
        expect(open).toEqual([]);
      }),
    );
  });

  test("appending to the log does not change what was sent before, so that caches hold", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), (messages) => {
        // Up to the last assistant message everything is settled.
        const closed = [...messages, said("so"), user("more")];
        expect(build([...closed, said("and"), user("on")]).slice(0, build(closed).length)).toEqual(build(closed));
      }),
    );
  });
});

describe("shapes", () => {
  test("tool names are shaped for the wire and come back as they were", () => {
    const names = new ToolNames(["files.read", "files_read", "ok-1"], 12);
    const sent = ["files.read", "files_read", "ok-1"].map((name) => names.sent(name));
    expect(sent).toEqual(["files_read", "files_read_2", "ok-1"]);
    expect(sent.map((name) => names.original(name))).toEqual(["files.read", "files_read", "ok-1"]);
    expect(names.original("made_up")).toBe("made_up");
    expect(names.sent("a-name-that-is-longer-than-allowed")).toHaveLength(12);
  });

  test("ids are unique within their length", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 30 }), (ids) => {
        const shaper = new IdShaper({ foreign: /[^A-Za-z0-9]/g, maxLength: 9, minLength: 9 });
        const shaped = ids.map((one) => shaper.next(one));
        expect(new Set(shaped).size).toBe(ids.length);
        for (const one of shaped) expect(one).toMatch(/^[A-Za-z0-9]{9}$/);
      }),
    );
  });
});
