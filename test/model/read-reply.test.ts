import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emptyReply } from "../../src/model/reply.ts";
import type { Model, ModelCallOptions, ModelEvent } from "../../src/model/types.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { scriptedModel, type ScriptedReply } from "../../src/testing/scripted-model.ts";
import { ask, callsOf, read, result, settled, terminalEvents, textOf, user } from "./helpers.ts";

/** A model whose stream is written by hand, good or bad. */
function modelOf(stream: (model: Model, options: ModelCallOptions) => AsyncIterable<ModelEvent>): Model {
  const model: Model = { api: "hand", provider: "hand", id: "m", stream: (_, options) => stream(model, options) };
  return model;
}

const finished = (model: Model, stopReason: string): ModelEvent => ({
  type: "done",
  message: { ...emptyReply(model, 0), content: [{ type: "text", text: "x" }], stopReason: stopReason as "stop" },
});

describe("a good reply", () => {
  test("is passed on event by event, and resolves with the final message", async () => {
    const { message, events } = await read(scriptedModel([{ text: "Hello there", deltas: 2 }]));
    expect(events.map(({ type }) => type)).toEqual(["start", "text_start", "text_delta", "text_delta", "text_end", "done"]);
    expect(textOf(message)).toBe("Hello there");
    expect(message.stopReason).toBe("stop");
  });

  test("may be cut at its length without any text: what to do about that is the session's matter", async () => {
    const { message } = await read(scriptedModel([{ thinking: "long", stopReason: "length" }]));
    expect(message.stopReason).toBe("length");
  });

  test("may be empty directly after tool results", async () => {
    const { message } = await read(scriptedModel([{ stopReason: "stop" }]), { messages: [user("go"), result("1", "done")] });
    expect([message.stopReason, message.content]).toEqual(["stop", []]);
  });
});

describe("a stream that broke", () => {
  const cases: [name: string, reply: ScriptedReply][] = [
    ["in the middle of its text", { text: "I will delete the old files", deltas: 5, cut: 2 }],
    ["before any event that matters", { text: "x", cut: 0 }],
    ["in the middle of a tool call", { toolCalls: [{ name: "run", arguments: { command: "rm" } }], cut: 0 }],
    ["after all of its content, without the terminal event", { text: "All of it.", toolCalls: [{ name: "run" }], cut: 99 }],
  ];
  test.each(cases)("%s is an error that keeps what had come", async (_, reply) => {
    const { message, events } = await read(scriptedModel([reply]));
    expect(message).toMatchObject({ stopReason: "error", failure: { kind: "stream_interrupted", action: "retry" } });
    expect(message.errorMessage).toBe(message.failure?.message);
    expect(terminalEvents(events)).toEqual(["error"]);
  });

  test("keeps the partial text", async () => {
    const { message } = await read(scriptedModel([{ deltas: ["I will ", "delete ", "nothing"], cut: 2 }]));
    expect(textOf(message)).toBe("I will delete ");
  });

  test("marks a tool call whose arguments are not complete", async () => {
    const { message } = await read(scriptedModel([{ toolCalls: [{ name: "run", arguments: { a: 1 } }], cut: 0 }]));
    expect(callsOf(message)).toEqual([
      expect.objectContaining({
        name: "run",
        arguments: {},
        argumentsError: expect.stringContaining("before the arguments were complete"),
      }),
    ]);
  });

  test("by throwing is an error too, described as what was thrown", async () => {
    const model = modelOf(async function* (self) {
      yield { type: "start", message: emptyReply(self, 0) };
      throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    });
    const { message, events } = await read(model);
    expect(message).toMatchObject({ stopReason: "error", failure: { action: "retry" } });
    expect(message.errorMessage).toContain("ECONNRESET");
    expect(terminalEvents(events)).toEqual(["error"]);
  });

  test("by a model that throws instead of streaming is an error too", async () => {
    const model = modelOf(() => {
      throw new Error("no such thing");
    });
    expect((await read(model)).message.errorMessage).toContain("no such thing");
  });
});

describe("an answer that is none", () => {
  test.each<[string, ScriptedReply]>([
    ["empty", {}],
    ["of white space only", { text: " \n" }],
    ["of thinking only", { thinking: "hm" }],
    ["that stops to use a tool and names none", { text: "Let me see.", stopReason: "toolUse" }],
  ])("%s is interrupted", async (_, reply) => {
    const { message } = await read(scriptedModel([reply]));
    expect(message).toMatchObject({ stopReason: "error", failure: { kind: "stream_interrupted", action: "retry" } });
  });

  test("empty after tool results is interrupted when it does not say stop", async () => {
    const { message } = await read(scriptedModel([{ stopReason: "toolUse" }]), { messages: [user("go"), result("1", "done")] });
    expect(message.failure?.kind).toBe("stream_interrupted");
  });

  test("with a stop reason nobody knows is a failure", async () => {
    const model = modelOf(async function* (self) {
      yield finished(self, "insufficient_system_resource");
    });
    expect((await read(model)).message).toMatchObject({ stopReason: "error", failure: { rule: "stream.unknown-stop-reason" } });
  });
});

test.each<[string, object]>([
  ["without content", { content: undefined }],
  ["whose content is text", { content: "hello" }],
  ["without usage", { usage: undefined }],
  ["without a count", { usage: {} }],
])("a final message %s is a failure that names the model's code", async (_, odd) => {
  const model = modelOf(async function* (self) {
    yield { type: "done", message: { ...emptyReply(self, 0), content: [{ type: "text", text: "x" }], ...odd } };
  });
  const { message } = await read(model);
  expect(message).toMatchObject({ stopReason: "error", failure: { kind: "internal", rule: "stream.malformed-message" } });
});

describe("only the user's signal makes a reply aborted", () => {
  test("a model that says aborted by itself has failed", async () => {
    const model = modelOf(async function* (self) {
      yield { type: "error", message: { ...emptyReply(self, 0), stopReason: "aborted" } };
    });
    expect((await read(model)).message).toMatchObject({ stopReason: "error", failure: { rule: "stream.aborted-by-nobody" } });
  });

  test("a model that reports an error because of the abort was aborted", async () => {
    const abort = new AbortController();
    const model = modelOf(async function* (self, { signal }) {
      yield { type: "start", message: emptyReply(self, 0) };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw new Error("This operation was aborted");
    });
    const { message, events } = await read(model, ask("x"), {
      signal: abort.signal,
      onEvent: (event) => event.type === "start" && queueMicrotask(() => abort.abort()),
    });
    expect([message.stopReason, message.failure]).toEqual(["aborted", undefined]);
    expect(terminalEvents(events)).toEqual(["error"]);
  });

  test.each([true, "ignore-signal"] as const)(
    "an abort is answered in the same tick, with what had come (hang: %s)",
    async (hang) => {
      const abort = new AbortController();
      const model = scriptedModel([{ text: "half an ans", hang }]);
      const events: string[] = [];
      const reading = read(model, ask("x"), { signal: abort.signal, onEvent: ({ type }) => events.push(type) });
      await settled();
      abort.abort();
      expect(events.at(-1)).toBe("error");
      const { message } = await reading;
      expect(message).toMatchObject({ stopReason: "aborted", content: [{ type: "text", text: "half an ans" }] });
    },
  );

  test("a signal aborted before the call asks no model", async () => {
    const model = scriptedModel(["never"]);
    const { message, events } = await read(model, ask("x"), { signal: AbortSignal.abort() });
    expect([message.stopReason, model.requestCount, terminalEvents(events)]).toEqual(["aborted", 0, ["error"]]);
  });

  test("an aborted message is not changed by a model that goes on", async () => {
    const abort = new AbortController();
    let goOn = (): void => undefined;
    const model = modelOf(async function* (self) {
      const message = emptyReply(self, 0);
      const block = { type: "text" as const, text: "seen" };
      message.content.push(block);
      yield { type: "start", message };
      await new Promise<void>((resolve) => (goOn = resolve));
      block.text += " and unseen";
      yield { type: "done", message };
    });
    const reading = read(model, ask("x"), { signal: abort.signal });
    await settled();
    abort.abort();
    const { message, events } = await reading;
    goOn();
    await settled();
    expect([textOf(message), terminalEvents(events)]).toEqual(["seen", ["error"]]);
  });
});

describe("after the terminal event", () => {
  test("nothing that a model still says is heard", async () => {
    let asked = 0;
    const model = modelOf((self) => ({
      [Symbol.asyncIterator]: () => ({
        next: () => {
          asked++;
          return Promise.resolve({ done: false, value: finished(self, "stop") });
        },
      }),
    }));
    const { message, events } = await read(model);
    await settled();
    expect([message.stopReason, events.length, asked]).toEqual(["stop", 1, 1]);
  });

  test("a model is let go, also one whose clean-up fails", async () => {
    let returned = 0;
    const model = modelOf((self) => ({
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve({ done: false, value: finished(self, "stop") }),
        return: () => {
          returned++;
          return Promise.reject(new Error("clean-up failed"));
        },
      }),
    }));
    expect((await read(model)).message.stopReason).toBe("stop");
    await settled();
    expect(returned).toBe(1);
  });

  test("no timer and no listener is left", async () => {
    const clock = new ManualClock();
    const abort = new AbortController();
    let listeners = 0;
    const add = abort.signal.addEventListener.bind(abort.signal);
    const remove = abort.signal.removeEventListener.bind(abort.signal);
    abort.signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args));
    abort.signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args));
    await read(scriptedModel(["answer"]), ask("x"), {
      clock,
      signal: abort.signal,
      limits: { firstEventMs: 10, idleMs: 10, totalMs: 10 },
    });
    expect([clock.pending, listeners]).toEqual([0, 0]);
  });
});

describe("a caller whose onEvent throws", () => {
  test("gets a failed reply, not a rejection", async () => {
    const { message } = await read(scriptedModel(["answer"]), ask("x"), {
      onEvent: (event) => {
        if (event.type === "text_delta") throw new Error("broken display");
      },
    });
    expect(message.stopReason).toBe("error");
    expect(message.errorMessage).toContain("broken display");
  });

  test("gets one also when it throws at the terminal event, and is told of no second one", async () => {
    const { message, events } = await read(scriptedModel(["answer"]), ask("x"), {
      onEvent: (event) => {
        if (event.type === "done") throw new Error("broken log");
      },
    });
    expect([message.stopReason, terminalEvents(events)]).toEqual(["error", ["done"]]);
    expect(message.errorMessage).toContain("broken log");
  });
});

describe("whatever a model streams", () => {
  const replies = fc.record(
    {
      text: fc.string(),
      thinking: fc.string(),
      toolCalls: fc.array(fc.record({ name: fc.string({ minLength: 1 }) }), { maxLength: 2 }),
      deltas: fc.integer({ min: 1, max: 5 }),
      cut: fc.nat(6),
      failure: fc.constantFrom({ status: 529, message: "Overloaded" }, new Error("x"), "text", null),
      stopReason: fc.constantFrom("stop", "length", "toolUse"),
    },
    { requiredKeys: [] },
  );

  test("there is exactly one terminal event, last, and it carries the message that is resolved", async () => {
    await fc.assert(
      fc.asyncProperty(replies, async (reply) => {
        const { message, events } = await read(scriptedModel([reply]));
        const last = events.at(-1);
        expect(terminalEvents(events)).toHaveLength(1);
        expect(last !== undefined && "message" in last && last.message).toBe(message);
        expect(message.failure !== undefined).toBe(message.stopReason === "error");
        expect(last?.type).toBe(message.stopReason === "error" ? "error" : "done");
        if (reply.cut !== undefined) expect(message.stopReason).toBe("error");
      }),
    );
  });
});
