import { createServer } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { FailureAction, FailureKind } from "../../src/errors/types.ts";
import { ask, callsOf, read, terminalEvents, textOf } from "./helpers.ts";
import { FORMATS, HALF_TEXT, type WireFormatSample } from "./wire-formats.ts";
import { body, breakAfter, hangUp, json, reset, stall, stream, WireServer, type Answer } from "./wire-server.ts";

/** Long enough for a busy machine, short enough for a test. */
const LIMITS = { firstEventMs: 400, idleMs: 400 };
const PAGE = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Sign in to go on</body></html>";

interface Fault {
  name: string;
  answer: (format: WireFormatSample) => Answer;
  kind: FailureKind;
  action: FailureAction;
  /** The text that had come by then; default none. */
  text?: string;
  says?: string;
  status?: number;
  retryAfterMs?: number;
}

const half = (format: WireFormatSample) => format.begin;
const halfTool = (format: WireFormatSample) => format.tool.slice(0, -1);
const broken = { kind: "stream_interrupted", action: "retry" } as const;

const FAULTS: readonly Fault[] = [
  // Refused requests.
  {
    name: "401",
    answer: (format) => json(401, format.errorBody("authentication_error", "invalid x-api-key")),
    kind: "auth",
    action: "stop",
    status: 401,
    says: "invalid x-api-key",
  },
  {
    name: "400",
    answer: (format) => json(400, format.errorBody("invalid_request_error", "messages: at least one message is required")),
    kind: "invalid_request",
    action: "stop",
    status: 400,
  },
  {
    name: "429 with Retry-After",
    answer: (format) =>
      json(429, format.errorBody("rate_limit_error", "Rate limit reached for requests"), { "retry-after": "7" }),
    ...{ kind: "rate_limited", action: "retry", status: 429, retryAfterMs: 7000 },
  },
  {
    name: "429 quota",
    answer: (format) =>
      json(
        429,
        format.errorBody("insufficient_quota", "You exceeded your current quota, please check your plan and billing details."),
      ),
    kind: "quota_exhausted",
    action: "stop",
    status: 429,
  },
  {
    name: "529",
    answer: (format) => json(529, format.errorBody("overloaded_error", "Overloaded")),
    kind: "overloaded",
    action: "retry",
    status: 529,
    says: "Overloaded",
  },
  { name: "500 without a body", answer: () => body("", "text/plain", 500), kind: "server_error", action: "retry", status: 500 },
  {
    name: "502 with a page",
    answer: () => body("<html><head><title>502 Bad Gateway</title></head></html>", "text/html", 502),
    kind: "server_error",
    action: "retry",
    status: 502,
  },
  {
    name: "context overflow",
    answer: (format) =>
      json(400, format.errorBody("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")),
    kind: "context_overflow",
    action: "compact",
    status: 400,
  },
  {
    name: "404 model",
    answer: (format) => json(404, format.errorBody("not_found_error", "model: m does not exist")),
    kind: "model_not_found",
    action: "stop",
    status: 404,
  },

  // Connections that break.
  { name: "reset before the headers", answer: () => reset, kind: "network", action: "retry" },
  { name: "closed before the headers", answer: () => hangUp, kind: "network", action: "retry" },
  { name: "clean end in the middle", answer: (format) => stream(...half(format)), ...broken, text: HALF_TEXT },
  {
    name: "clean end after all the text",
    answer: (format) => stream(...half(format), ...format.more),
    ...broken,
    text: "I will delete the old files now.",
  },
  {
    name: "clean end with a stop reason, before the terminal event",
    answer: (format) => stream(...half(format), ...format.more, ...format.end.slice(0, -1)),
    ...broken,
    text: "I will delete the old files now.",
  },
  {
    name: "clean end in the middle of an event",
    answer: (format) => stream([...half(format), ...format.more].join("").slice(0, -20)),
    ...broken,
  },
  { name: "reset in the middle", answer: (format) => breakAfter(half(format), reset), ...broken, text: HALF_TEXT },
  { name: "hung up in the middle", answer: (format) => breakAfter(half(format), hangUp), ...broken, text: HALF_TEXT },
  { name: "hung up right after the headers", answer: () => breakAfter([": hello\n\n"], hangUp), ...broken },
  {
    name: "a body shorter than it says",
    answer: (format) => (response) =>
      response
        .writeHead(200, { "content-type": "text/event-stream", "content-length": "5000" })
        .write(half(format).join(""), () => setTimeout(hangUp, 5, response)),
    ...broken,
    text: HALF_TEXT,
  },
  {
    name: "broken chunking",
    answer: (format) => (response) =>
      response.socket?.end(
        `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${Buffer.byteLength(half(format).join("")).toString(16)}\r\n${half(format).join("")}\r\nZZZ\r\n`,
      ),
    ...broken,
    text: HALF_TEXT,
  },
  {
    name: "truncated gzip",
    answer: (format) => (response) =>
      response
        .writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" })
        .end(gzipSync(half(format).join("").repeat(50)).subarray(0, 120)),
    ...broken,
  },
  {
    name: "gzip that is none",
    answer: () => (response) =>
      response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" }).end("no gzip at all"),
    ...broken,
  },

  // Streams that stall.
  { name: "headers that never come", answer: () => stall, kind: "timeout", action: "retry" },
  { name: "stall after the headers", answer: () => breakAfter([": hello\n\n"], stall), kind: "timeout", action: "retry" },
  {
    name: "stall in the middle",
    answer: (format) => breakAfter(half(format), stall),
    kind: "timeout",
    action: "retry",
    text: HALF_TEXT,
  },
  {
    name: "nothing but keep-alives after the middle",
    answer: (format) =>
      breakAfter(half(format), (response) => {
        const beat = setInterval(() => response.write(": keep-alive\n\n"), 20);
        response.on("close", () => clearInterval(beat));
      }),
    ...{ kind: "timeout", action: "retry", text: HALF_TEXT },
  },

  // What is no stream, under a good status.
  { name: "a page", answer: () => body(PAGE, "text/html"), kind: "config", action: "stop", says: "Sign in" },
  { name: "a page that calls itself a stream", answer: () => body(PAGE, "text/event-stream"), kind: "config", action: "stop" },
  {
    name: "a redirect to a page",
    answer:
      () =>
      (response, { path }) =>
        path === "/login"
          ? body(PAGE, "text/html")(response, { path, headers: {}, body: undefined })
          : response.writeHead(303, { location: "/login" }).end(),
    kind: "config",
    action: "stop",
  },
  {
    name: "a JSON error",
    answer: (format) => json(200, format.errorBody("rate_limit_error", "Rate limit reached, please slow down")),
    kind: "rate_limited",
    action: "retry",
    says: "slow down",
  },
  {
    name: "a whole JSON completion",
    answer: () => json(200, { id: "x", choices: [{ message: { role: "assistant", content: "All of it." } }] }),
    kind: "server_error",
    action: "retry",
  },
  { name: "half a JSON body", answer: () => body('{"id": "x", "choi', "application/json"), ...broken },
  { name: "null", answer: () => body("null", "application/json"), kind: "server_error", action: "retry" },
  {
    name: "plain text of a gateway",
    answer: () =>
      body("upstream connect error or disconnect/reset before headers. reset reason: connection failure", "text/plain"),
    kind: "network",
    action: "retry",
  },
  { name: "an empty body", answer: () => body("", "application/json"), kind: "server_error", action: "retry" },
  { name: "an empty event stream", answer: () => body("", "text/event-stream"), ...broken },
  { name: "only comments", answer: () => stream(": one\n\n", ": two\n\n"), ...broken },
  { name: "no content", answer: () => (response) => response.writeHead(204).end(), kind: "server_error", action: "retry" },

  // Errors and garbage in the stream.
  {
    name: "an error event in the middle",
    answer: (format) => stream(...half(format), format.error("overloaded_error", "Overloaded")),
    kind: "overloaded",
    action: "retry",
    text: HALF_TEXT,
  },
  {
    name: "an error event first",
    answer: (format) => stream(format.error("overloaded_error", "Overloaded")),
    kind: "overloaded",
    action: "retry",
  },
  {
    name: "an error event without a name",
    answer: (format) => stream(...half(format), format.unnamedError("overloaded_error", "Overloaded")),
    kind: "overloaded",
    action: "retry",
    text: HALF_TEXT,
  },
  {
    name: "an error event of plain text",
    answer: (format) => stream(...half(format), "event: error\ndata: upstream request timeout\n\n"),
    kind: "timeout",
    action: "retry",
    text: HALF_TEXT,
  },
  {
    name: "an error in a field of its own, as llama.cpp reports one",
    answer: (format) => stream(...half(format), 'error: {"code":503,"message":"Loading model","type":"unavailable_error"}\n\n'),
    kind: "overloaded",
    action: "retry",
    text: HALF_TEXT,
  },
  {
    name: "an error event about the context",
    answer: (format) =>
      stream(...half(format), format.error("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")),
    kind: "context_overflow",
    action: "compact",
    text: HALF_TEXT,
  },
  {
    name: "an error event after the stop reason",
    answer: (format) =>
      stream(...half(format), ...format.more, ...format.end.slice(0, -1), format.error("api_error", "Internal server error")),
    kind: "server_error",
    action: "retry",
  },
  { name: "a page in the middle", answer: (format) => stream(...half(format), PAGE), ...broken, text: HALF_TEXT },
  {
    name: "half an event and a blank line",
    answer: (format) => stream(...half(format), 'data: {"type":"content_blo\n\n', ...format.more, ...format.end),
    ...broken,
    text: HALF_TEXT,
  },
  {
    name: "bytes that are no UTF-8",
    answer: (format) => (response) =>
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .end(Buffer.concat([Buffer.from(half(format).join("")), Buffer.from([0x64, 0xff, 0xfe, 0x0a, 0x0a])])),
    ...broken,
  },
];

describe.each(FORMATS)("$name", (format) => {
  test.each(FAULTS)("$name", async (fault) => {
    await using server = await WireServer.start(fault.answer(format));
    const { message, events } = await read(format.make(server.url), ask("hello"), { limits: LIMITS });
    expect(message.failure).toMatchObject({ kind: fault.kind, action: fault.action });
    expect(message.stopReason).toBe("error");
    expect(terminalEvents(events)).toEqual(["error"]);
    if (fault.text !== undefined) expect(textOf(message)).toBe(fault.text);
    if (fault.says !== undefined) expect(message.errorMessage).toContain(fault.says);
    if (fault.status !== undefined) expect(message.failure?.status).toBe(fault.status);
    if (fault.retryAfterMs !== undefined) expect(message.failure?.retryAfterMs).toBe(fault.retryAfterMs);
    // A redirect is one request more; nothing here is sent twice.
    expect(server.requests.filter(({ path }) => path !== "/login")).toHaveLength(1);
    await expect.poll(() => server.active, { timeout: 1000, interval: 5 }).toBe(0);
  });

  test.each<[string, (format: WireFormatSample) => Answer]>([
    ["ends cleanly", (tool) => stream(...halfTool(tool))],
    ["is reset", (tool) => breakAfter(halfTool(tool), reset)],
    ["ends cleanly after whole arguments", (tool) => stream(...tool.tool)],
    ["stalls", (tool) => breakAfter(halfTool(tool), stall)],
  ])("a stream that %s inside a tool call is a failed reply, and the call is none to run", async (_, answer) => {
    await using server = await WireServer.start(answer(format));
    const { message } = await read(format.make(server.url), ask("x"), { limits: LIMITS });
    expect(message.stopReason).toBe("error");
    expect(message.failure?.action).toBe("retry");
    for (const call of callsOf(message))
      expect(call.argumentsError !== undefined || call.arguments["command"] === "rm old").toBe(true);
  });

  test("a refused connection is a network failure that names the cause", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const address = closed.address();
    await new Promise((resolve) => closed.close(resolve));
    const port = typeof address === "object" ? address?.port : 0;
    const { message } = await read(format.make(`http://127.0.0.1:${port}`));
    expect(message).toMatchObject({ stopReason: "error", failure: { kind: "network", action: "retry" } });
    expect(message.errorMessage).toContain("ECONNREFUSED");
  });

  test("an abort before the headers, and in the middle, is aborted at once, and the connection is given up", async () => {
    for (const answer of [stall, breakAfter(format.begin, stall)]) {
      await using server = await WireServer.start(answer);
      const abort = new AbortController();
      const reading = read(format.make(server.url), ask("x"), {
        signal: abort.signal,
        onEvent: (event) => event.type === "text_delta" && abort.abort(),
      });
      if (answer === stall) setTimeout(() => abort.abort(new Error("enough")), 30);
      const { message } = await reading;
      expect([message.stopReason, message.failure]).toEqual(["aborted", undefined]);
      expect(textOf(message)).toBe(answer === stall ? "" : HALF_TEXT);
      await expect.poll(() => server.sockets.size, { timeout: 1000, interval: 5 }).toBe(0);
    }
  });
});
