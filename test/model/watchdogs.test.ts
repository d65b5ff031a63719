import { describe, expect, test } from "vitest";
import type { StreamLimits } from "../../src/model/read-reply.ts";
import { emptyReply } from "../../src/model/reply.ts";
import type { Model, ModelEvent } from "../../src/model/types.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { ask, read, settled, terminalEvents, textOf, type Read } from "./helpers.ts";

/** A model that says what it is told, when it is told. */
function pushModel() {
  const waiting: ((event: ModelEvent) => void)[] = [];
  const queue: ModelEvent[] = [];
  const message = emptyReply({ api: "push", provider: "push", id: "m" }, 0);
  message.content.push({ type: "text", text: "some" });
  const model: Model = {
    api: "push",
    provider: "push",
    id: "m",
    stream: () => ({
      [Symbol.asyncIterator]: () => ({
        next: async () => ({
          done: false,
          value: queue.shift() ?? (await new Promise<ModelEvent>((resolve) => waiting.push(resolve))),
        }),
      }),
    }),
  };
  const say = async (event: ModelEvent): Promise<void> => {
    const next = waiting.shift();
    if (next === undefined) queue.push(event);
    else next(event);
    await settled();
  };
  const delta = () => say({ type: "text_delta", index: 0, delta: "x" });
  return { model, say, delta, start: () => say({ type: "start", message }), done: () => say({ type: "done", message }) };
}

function watch(limits: StreamLimits) {
  const clock = new ManualClock();
  let ahead = 0;
  const wallClock = { now: () => clock.now() - ahead, after: clock.after.bind(clock) };
  const pushed = pushModel();
  let done: Read | undefined;
  void read(pushed.model, ask("x"), { clock: wallClock, limits }).then((value) => (done = value));
  const pass = async (milliseconds: number): Promise<void> => {
    await settled();
    clock.advance(milliseconds);
    await settled();
  };
  const setBack = (milliseconds: number): void => void (ahead += milliseconds);
  return { clock, ...pushed, pass, setBack, result: () => done };
}

type Watched = ReturnType<typeof watch>;

const failureOf = (done: Read | undefined) => done?.message.failure;

describe("the time to the first event", () => {
  test("is limited, and counts as a timeout that may be tried again", async () => {
    const watched = watch({ firstEventMs: 1000 });
    await watched.pass(999);
    expect(watched.result()).toBeUndefined();
    await watched.pass(1);
    expect(failureOf(watched.result())).toMatchObject({ kind: "timeout", action: "retry", rule: "stream.firstEventMs" });
    expect(watched.result()?.message.stopReason).toBe("error");
    expect(terminalEvents(watched.result()?.events ?? [])).toEqual(["error"]);
  });

  test("does not limit what comes after it", async () => {
    const watched = watch({ firstEventMs: 1000 });
    await watched.start();
    await watched.pass(100_000);
    expect(watched.result()).toBeUndefined();
    expect(watched.clock.pending).toBe(0);
  });

  test("begins when the wait of a request-level retry is over", async () => {
    const watched = watch({ firstEventMs: 1000 });
    await watched.say({ type: "provider_retry", attempt: 1, maxAttempts: 2, delayMs: 30_000, errorMessage: "Overloaded" });
    await watched.pass(30_999);
    expect(watched.result()).toBeUndefined();
    await watched.pass(1);
    expect(failureOf(watched.result())?.rule).toBe("stream.firstEventMs");
  });
});

describe("the time between events", () => {
  test("is limited from the first event on, also when it is shorter than the time to the first", async () => {
    const watched = watch({ firstEventMs: 60_000, idleMs: 100 });
    await watched.pass(50_000);
    await watched.start();
    await watched.pass(99);
    expect(watched.result()).toBeUndefined();
    await watched.pass(1);
    expect(failureOf(watched.result())).toMatchObject({ kind: "timeout", rule: "stream.idleMs" });
    expect(textOf(watched.result()!.message)).toBe("some");
  });

  test("starts anew with each event, with a single timer all the while", async () => {
    const watched = watch({ idleMs: 100 });
    await watched.start();
    for (let second = 0; second < 20; second++) {
      await watched.pass(99);
      await watched.delta();
      expect(watched.clock.pending).toBe(1);
    }
    expect(watched.result()).toBeUndefined();
    await watched.pass(100);
    expect(failureOf(watched.result())?.rule).toBe("stream.idleMs");
  });
});

describe("the total time", () => {
  test("ends a stream that never pauses", async () => {
    const watched = watch({ idleMs: 100, totalMs: 250 });
    await watched.start();
    for (const step of [90, 90]) {
      await watched.pass(step);
      await watched.delta();
    }
    expect(watched.result()).toBeUndefined();
    await watched.pass(70);
    expect(failureOf(watched.result())).toMatchObject({ kind: "timeout", rule: "stream.totalMs" });
  });
});

test("a stream within its limits is an answer, and leaves no timer", async () => {
  const watched = watch({ firstEventMs: 100, idleMs: 100, totalMs: 1000 });
  await watched.start();
  await watched.delta();
  await watched.done();
  expect([watched.result()?.message.stopReason, watched.clock.pending]).toEqual(["stop", 0]);
});

test("a deadline aborts the model's signal, and does not wait for a model that ignores it", async () => {
  const clock = new ManualClock();
  const model = scriptedModel([{ text: "half", hang: "ignore-signal" }]);
  const reading = read(model, ask("x"), { clock, limits: { idleMs: 100 } });
  await settled();
  clock.advance(100);
  const { message } = await reading;
  expect([message.failure?.kind, textOf(message)]).toEqual(["timeout", "half"]);
});

test("an abort of the user after a deadline changes nothing", async () => {
  const clock = new ManualClock();
  const abort = new AbortController();
  const reading = read(scriptedModel([{ hang: true, text: "half" }]), ask("x"), {
    clock,
    signal: abort.signal,
    limits: { idleMs: 100 },
  });
  await settled();
  clock.advance(100);
  abort.abort();
  const { message, events } = await reading;
  expect([message.stopReason, terminalEvents(events)]).toEqual(["error", ["error"]]);
});

test.each([
  ["before anything came", async () => {}, "stream.firstEventMs"],
  ["between two events", (watched: Watched) => watched.start(), "stream.idleMs"],
])("a clock that is set back %s makes no wait longer", async (_, begin, rule) => {
  const watched = watch({ firstEventMs: 1000, idleMs: 1000 });
  await settled();
  await begin(watched);
  watched.setBack(3_600_000);
  await watched.pass(1000);
  expect(failureOf(watched.result())).toMatchObject({ kind: "timeout", rule });
});

test("a clock that is set back in a stream that goes on costs one more limit at most", async () => {
  const watched = watch({ idleMs: 1000 });
  await watched.start();
  await watched.pass(500);
  await watched.delta();
  watched.setBack(3_600_000);
  await watched.pass(500);
  expect(watched.result()).toBeUndefined();
  await watched.pass(1000);
  expect(failureOf(watched.result())).toMatchObject({ kind: "timeout", rule: "stream.idleMs" });
});
