import { describe, expect, test } from "vitest";
import { makeFailure } from "../../src/errors/index.ts";
import { failedRequest } from "../../src/model/adapter/request-retry.ts";
import type { ModelEvent, RequestRetrySettings } from "../../src/model/types.ts";
import { sleep } from "../../src/retry/clock.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { ask, read, settled, textOf } from "./helpers.ts";
import { ANTHROPIC, FORMATS, WHOLE_TEXT } from "./wire-formats.ts";
import { hangUp, json, stall, stream, WireServer, type Answer } from "./wire-server.ts";

const retries = (more: Partial<RequestRetrySettings> = {}) => ({
  requestRetry: { maxRetries: 2, maxRetryDelayMs: 60_000, ...more },
  random: () => 0,
});
const overloaded = (headers: Record<string, string> = {}): Answer =>
  json(529, ANTHROPIC.errorBody("overloaded_error", "Overloaded"), headers);
const good = stream(...ANTHROPIC.begin, ...ANTHROPIC.more, ...ANTHROPIC.end);
const waits = (events: readonly ModelEvent[]) => events.filter((event) => event.type === "provider_retry");

/** Reads on a clock that skips every wait. */
async function readFast(url: string, options: object, format = ANTHROPIC) {
  const clock = new ManualClock();
  return read(format.make(url), ask("x"), {
    clock,
    ...options,
    onEvent: (event) => event.type === "provider_retry" && void skip(clock),
  });
}

/** The bare stream, its waits on a clock that stands. */
function streamOn(clock: ManualClock, url: string, signal: AbortSignal): AsyncIterator<ModelEvent> {
  const options = { signal, sleep: (milliseconds: number, ends: AbortSignal) => sleep(clock, milliseconds, ends), ...retries() };
  return ANTHROPIC.make(url).stream(ask("x"), options)[Symbol.asyncIterator]();
}

async function skip(clock: ManualClock): Promise<void> {
  while (!clock.runNext()) await settled();
}

describe("request-level retry", () => {
  test("is off by default", async () => {
    await using server = await WireServer.start(overloaded());
    expect((await read(ANTHROPIC.make(server.url))).message.failure?.kind).toBe("overloaded");
    expect(server.requests).toHaveLength(1);
  });

  test.each(FORMATS)("sends the request again, with an event for each wait ($name)", async (format) => {
    await using server = await WireServer.start(
      json(503, format.errorBody("api_error", "try later")),
      hangUp,
      stream(...format.begin, ...format.more, ...format.end),
    );
    const { message, events } = await readFast(server.url, retries(), format);
    expect(textOf(message)).toBe(WHOLE_TEXT);
    expect(waits(events)).toMatchObject([
      { attempt: 1, maxAttempts: 2, delayMs: 500, errorMessage: expect.stringContaining("try later") },
      { attempt: 2, maxAttempts: 2, delayMs: 1000 },
    ]);
    expect(server.requests).toHaveLength(3);
  });

  test("gives up after its last retry, with the last failure", async () => {
    await using server = await WireServer.start(overloaded());
    const { message, events } = await readFast(server.url, retries());
    expect(message.failure?.kind).toBe("overloaded");
    expect([server.requests.length, waits(events).length]).toEqual([3, 2]);
  });

  test("waits less by up to a quarter, by chance, and never longer than 8 s", async () => {
    await using server = await WireServer.start(overloaded());
    const { events } = await readFast(server.url, { ...retries({ maxRetries: 6 }), random: () => 0.999_999 });
    expect(waits(events).map((event) => "delayMs" in event && event.delayMs)).toEqual([375, 750, 1500, 3000, 6000, 6000]);
  });

  test.each([
    ["retry-after", "3", 3000],
    ["retry-after-ms", "1200", 1200],
  ])("waits as long as the server demands (%s)", async (name, value, delayMs) => {
    await using server = await WireServer.start(overloaded({ [name]: value }), good);
    const { events } = await readFast(server.url, retries());
    expect(waits(events)).toMatchObject([{ delayMs }]);
  });

  test("never sends again sooner than without a demand", async () => {
    await using server = await WireServer.start(overloaded({ "retry-after-ms": "1" }), overloaded({ "retry-after": "0" }), good);
    const { events } = await readFast(server.url, retries());
    expect(waits(events)).toMatchObject([{ delayMs: 500 }, { delayMs: 1000 }]);
  });

  test("fails at once when the server demands more than is allowed, and leaves the demand to the session", async () => {
    await using server = await WireServer.start(overloaded({ "retry-after": "120" }));
    const { message, events } = await readFast(server.url, retries());
    expect(message.errorMessage).toContain("Server requested 120s retry delay (max: 60s)");
    expect(message.failure).toMatchObject({ action: "retry", kind: "overloaded", retryAfterMs: 120_000 });
    expect([server.requests.length, waits(events).length]).toEqual([1, 0]);
  });

  test("waits for any demand when there is no limit", async () => {
    await using server = await WireServer.start(overloaded({ "retry-after": "120" }), good);
    expect(waits((await readFast(server.url, retries({ maxRetryDelayMs: 0 }))).events)).toMatchObject([{ delayMs: 120_000 }]);
  });

  test("does not touch quota, keys, wrong requests and overflow, whatever the headers say", async () => {
    for (const answer of [
      json(
        429,
        ANTHROPIC.errorBody("insufficient_quota", "You exceeded your current quota, please check your plan and billing details."),
        { "x-should-retry": "true" },
      ),
      json(401, ANTHROPIC.errorBody("authentication_error", "invalid x-api-key"), { "x-should-retry": "true" }),
      json(400, ANTHROPIC.errorBody("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")),
    ]) {
      await using server = await WireServer.start(answer);
      await readFast(server.url, retries());
      expect(server.requests).toHaveLength(1);
    }
  });

  test("obeys x-should-retry", async () => {
    await using no = await WireServer.start(overloaded({ "x-should-retry": "false" }));
    await readFast(no.url, retries());
    expect(no.requests).toHaveLength(1);
    const failure = makeFailure({ action: "stop", kind: "unknown", message: "no reason given", rule: "test" });
    const settings = { maxRetries: 2, maxRetryDelayMs: 0 };
    expect(failedRequest(failure, 0, settings, null)).toMatchObject({ failure, again: false });
    expect(failedRequest(failure, 0, settings, "true")).toMatchObject({ failure, again: true });
  });

  test("does not touch a stream that has begun", async () => {
    await using server = await WireServer.start(stream(...ANTHROPIC.begin));
    const { message } = await readFast(server.url, retries());
    expect([message.failure?.kind, server.requests.length]).toEqual(["stream_interrupted", 1]);
  });

  test("tells of a wait when it begins, not when it is over", async () => {
    await using server = await WireServer.start(overloaded(), good);
    const clock = new ManualClock();
    const stream = streamOn(clock, server.url, new AbortController().signal);
    expect((await stream.next()).value).toMatchObject({ type: "provider_retry", attempt: 1, delayMs: 500 });
    expect([server.requests.length, clock.pending]).toEqual([1, 1]);
    const next = stream.next();
    clock.runNext();
    expect((await next).value).toMatchObject({ type: "start" });
    expect(server.requests).toHaveLength(2);
    await stream.return?.();
  });

  test("a reader that leaves during a wait ends it: no request follows", async () => {
    await using server = await WireServer.start(overloaded());
    const clock = new ManualClock();
    const stream = streamOn(clock, server.url, new AbortController().signal);
    await stream.next();
    await stream.return?.();
    await settled();
    expect([server.requests.length, clock.pending]).toEqual([1, 0]);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  test("an abort between two reads ends the wait too", async () => {
    await using server = await WireServer.start(overloaded());
    const clock = new ManualClock();
    const abort = new AbortController();
    const stream = streamOn(clock, server.url, abort.signal);
    await stream.next();
    abort.abort();
    await settled();
    expect([server.requests.length, clock.pending]).toEqual([1, 0]);
    expect((await stream.next()).value).toMatchObject({ type: "error", message: { stopReason: "aborted" } });
    expect((await stream.next()).done).toBe(true);
  });

  test("an abort ends the wait at once, and no request follows", async () => {
    await using server = await WireServer.start(overloaded());
    const clock = new ManualClock();
    const abort = new AbortController();
    const reading = read(ANTHROPIC.make(server.url), ask("x"), {
      clock,
      signal: abort.signal,
      ...retries(),
      onEvent: (event) => event.type === "provider_retry" && setImmediate(() => abort.abort()),
    });
    expect((await reading).message.stopReason).toBe("aborted");
    await settled();
    expect([server.requests.length, clock.pending]).toEqual([1, 0]);
  });

  test("a request without an answer in time is given up, and sent again", async () => {
    await using server = await WireServer.start(stall, good);
    const { message, events } = await read(ANTHROPIC.make(server.url), ask("x"), {
      ...retries({ timeoutMs: 50 }),
      random: () => 0.99,
    });
    expect(message.stopReason).toBe("stop");
    expect(waits(events)).toMatchObject([{ errorMessage: expect.stringContaining("did not answer within 0.05 s") }]);
    await expect.poll(() => server.active, { timeout: 1000, interval: 5 }).toBe(0);
  });
});
