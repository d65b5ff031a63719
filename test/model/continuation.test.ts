import { describe, expect, test } from "vitest";
import { continuationOf } from "../../src/model/continuation.ts";
import type { Model } from "../../src/model/types.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { ask, read, textOf, user } from "./helpers.ts";
import { ANTHROPIC, HALF_TEXT, WHOLE_TEXT } from "./wire-formats.ts";
import { stream, WireServer } from "./wire-server.ts";

const prefills = (model: Model): Model => ({ ...model, prefill: true });

async function broken(reply: Parameters<typeof scriptedModel>[0] & object) {
  const model = scriptedModel(reply);
  return { model, message: (await read(model)).message };
}

describe("a reply that was cut in its text", () => {
  test("is shown to the model with the request to go on", async () => {
    const { model, message } = await broken([{ deltas: ["I will ", "delete"], cut: 1 }]);
    expect(continuationOf(message, model)?.messages).toMatchObject([
      { role: "assistant", content: [{ type: "text", text: "I will " }], stopReason: "stop" },
      { role: "user", content: expect.stringContaining("Go on exactly where it stopped") },
    ]);
  });

  test("is a prefill for a model that takes one, unless it ends in white space", async () => {
    const { model, message } = await broken([{ deltas: ["I will", " delete"], cut: 1 }]);
    expect(continuationOf(message, prefills(model))?.messages).toHaveLength(1);
    const spaced = await broken([{ deltas: ["I will ", "delete"], cut: 1 }]);
    expect(continuationOf(spaced.message, prefills(model))?.messages).toHaveLength(2);
    expect(spaced.message.stopReason).toBe("error");
  });

  test("is sent so, although failed replies are not, and the reply is the whole", async () => {
    const rest = [...ANTHROPIC.begin.slice(0, 2), ...ANTHROPIC.more, ...ANTHROPIC.end];
    await using server = await WireServer.start(stream(...ANTHROPIC.begin), stream(...rest));
    const model = ANTHROPIC.make(server.url, { cache: false });
    const cut = (await read(model)).message;
    const { message, events } = await read(model, { messages: [user("x"), cut] }, { continues: cut });
    expect(server.requests[1]?.body).toMatchObject({
      messages: [{ role: "user" }, { role: "assistant", content: [{ type: "text", text: HALF_TEXT }] }, { role: "user" }],
    });
    expect([message.stopReason, textOf(message)]).toEqual(["stop", WHOLE_TEXT]);
    // What the user has seen is not shown again.
    expect(events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : [])).join("")).toBe("files now.");
  });

  test("may be cut again, and is gone on with from there", async () => {
    const model = scriptedModel([{ deltas: ["one ", "two"], cut: 1 }, { deltas: ["two ", "three"], cut: 1 }, "three"]);
    const first = (await read(model)).message;
    const second = (await read(model, ask("x"), { continues: first })).message;
    expect([second.stopReason, textOf(second)]).toEqual(["error", "one two "]);
    expect(textOf((await read(model, ask("x"), { continues: second })).message)).toBe("one two three");
  });

  test("may have been whole already, may go on to a tool call, or be aborted", async () => {
    const model = scriptedModel([
      { text: "All of it.", cut: 1 },
      {},
      { toolCalls: [{ name: "run" }] },
      { text: " More", hang: true },
    ]);
    const cut = (await read(model)).message;
    const continued = async (signal = new AbortController()) =>
      (
        await read(model, ask("x"), {
          continues: cut,
          signal: signal.signal,
          onEvent: ({ type }) => type === "text_end" && signal.abort(),
        })
      ).message;
    expect(await continued()).toMatchObject({ stopReason: "stop", content: [{ text: "All of it." }] });
    expect(await continued()).toMatchObject({ stopReason: "toolUse", content: [{ text: "All of it." }, { type: "toolCall" }] });
    expect(await continued()).toMatchObject({ stopReason: "aborted", content: [{ text: "All of it. More" }] });
  });
});

describe("a reply cannot be continued when", () => {
  test.each<[string, Parameters<typeof scriptedModel>[0] & object]>([
    ["nothing had come", [{ text: "x", cut: 0 }]],
    ["only white space had come", [{ deltas: ["  ", "x"], cut: 1 }]],
    ["a tool call had begun", [{ text: "Let me see.", toolCalls: [{ name: "run" }], cut: 1 }]],
    ["it had thought", [{ thinking: "hm", text: "Yes", cut: 2 }]],
    ["it was refused", [{ text: "half", failure: { status: 400, message: "invalid" } }]],
    ["it is complete", ["Yes."]],
  ])("%s", async (_, replies) => {
    const { model, message } = await broken(replies);
    expect(continuationOf(message, model)).toBeUndefined();
    await read(model, ask("x"), { continues: message });
    expect(model.requests[1]?.messages).toHaveLength(1);
  });

  test("the user aborted it", async () => {
    const model = scriptedModel([{ text: "half", hang: true }]);
    const abort = new AbortController();
    const { message } = await read(model, ask("x"), {
      signal: abort.signal,
      onEvent: ({ type }) => type === "text_end" && abort.abort(),
    });
    expect(continuationOf(message, model)).toBeUndefined();
  });
});
