import { describe, expect, test } from "vitest";
import { continuationOf } from "../../src/model/continuation.ts";
import type { Model } from "../../src/model/types.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { ask, read, user } from "./helpers.ts";
import { ANTHROPIC, HALF_TEXT } from "./wire-formats.ts";
import { json, stream, WireServer } from "./wire-server.ts";

const prefills = (model: Model): Model => ({ ...model, prefill: true });

async function broken(reply: Parameters<typeof scriptedModel>[0] & object) {
  const model = scriptedModel(reply);
  return { model, message: (await read(model)).message };
}

describe("a reply that was cut in its text", () => {
  test("is shown to the model with the request to go on", async () => {
    const { model, message } = await broken([{ deltas: ["I will ", "delete"], cut: 1 }]);
    expect(continuationOf(message, model)).toMatchObject([
      { role: "assistant", content: [{ type: "text", text: "I will " }], stopReason: "stop" },
      { role: "user", content: expect.stringContaining("Go on exactly where it stopped") },
    ]);
  });

  test("is a prefill for a model that takes one, unless it ends in white space", async () => {
    const { model, message } = await broken([{ deltas: ["I will", " delete"], cut: 1 }]);
    expect(continuationOf(message, prefills(model))).toHaveLength(1);
    const spaced = await broken([{ deltas: ["I will ", "delete"], cut: 1 }]);
    expect(continuationOf(spaced.message, prefills(model))).toHaveLength(2);
    expect(spaced.message.stopReason).toBe("error");
  });

  test("is sent so, although failed replies are not", async () => {
    await using server = await WireServer.start(stream(...ANTHROPIC.begin), json(500, {}));
    const model = ANTHROPIC.make(server.url, { cache: false });
    const { message } = await read(model);
    await read(model, { messages: [user("x"), message, ...(continuationOf(message, model) ?? [])] });
    expect(server.requests[1]?.body).toMatchObject({
      messages: [{ role: "user" }, { role: "assistant", content: [{ type: "text", text: HALF_TEXT }] }, { role: "user" }],
    });
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
