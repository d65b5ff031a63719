import { describe, expect, test } from "vitest";
import { ask, callsOf, read, textOf } from "./helpers.ts";
import { FORMATS, WHOLE_TEXT } from "./wire-formats.ts";
import { breakAfter, stream, stall, reset, WireServer } from "./wire-server.ts";

describe.each(FORMATS)("$name", (format) => {
  test("streams text, usage with cache, stop reason, response id and the model that answered", async () => {
    await using server = await WireServer.start(stream(...format.begin, ...format.more, ...format.end));
    const { message, events } = await read(
      format.make(server.url, { prices: { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 1.25 } }),
    );
    expect(textOf(message)).toBe(WHOLE_TEXT);
    expect(events.map(({ type }) => type)).toEqual(["start", "text_start", "text_delta", "text_delta", "text_end", "done"]);
    expect(message).toMatchObject({
      stopReason: "stop",
      model: "m",
      responseModel: "m-2026",
      responseId: expect.any(String),
      rawStopReason: expect.any(String),
      usage: { input: 10, output: 7, cacheRead: 100, cacheWrite: 20, totalTokens: 137 },
    });
    expect(message.usage.cost?.total).toBeCloseTo((10 + 70 + 10 + 25) / 1e6, 12);
  });

  test("streams a tool call", async () => {
    await using server = await WireServer.start(stream(...format.tool, ...format.toolEnd));
    const { message, events } = await read(format.make(server.url));
    expect(message.stopReason).toBe("toolUse");
    expect(callsOf(message)).toEqual([expect.objectContaining({ name: "run", arguments: { command: "rm old" } })]);
    expect(events.map(({ type }) => type)).toEqual([
      "start",
      "toolcall_start",
      "toolcall_delta",
      "toolcall_delta",
      "toolcall_end",
      "done",
    ]);
  });

  test("understands the same bytes however they are split, with either line ending", async () => {
    for (const text of [
      [...format.begin, ...format.more, ...format.end].join(""),
      [...format.begin, ...format.more, ...format.end].join("").replaceAll("\n", "\r\n"),
    ]) {
      const bytes = Buffer.from(text);
      await using server = await WireServer.start(async (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (let at = 0; at < bytes.length; at += 37) {
          response.write(bytes.subarray(at, at + 37));
          await new Promise((resolve) => setImmediate(resolve));
        }
        response.end();
      });
      expect(textOf((await read(format.make(server.url))).message)).toBe(WHOLE_TEXT);
    }
  });

  test("the live message is never ahead of its events", async () => {
    await using server = await WireServer.start(stream(...format.begin, ...format.more, ...format.end));
    let seen = "";
    await read(format.make(server.url), ask("x"), {
      onEvent(event, message) {
        if (event.type !== "text_delta") return;
        seen += event.delta;
        expect(textOf(message)).toBe(seen);
      },
    });
    expect(seen).toBe(WHOLE_TEXT);
  });

  test("sends one request, with the key", async () => {
    await using server = await WireServer.start(stream(...format.begin, ...format.more, ...format.end));
    await read(format.make(server.url));
    expect(server.requests).toHaveLength(1);
    expect(JSON.stringify(server.requests[0]?.headers)).toContain("sk-test");
  });

  test("is complete with its terminal event, when the connection is reset after it", async () => {
    await using server = await WireServer.start(breakAfter([...format.begin, ...format.more, ...format.end], reset));
    expect((await read(format.make(server.url))).message.stopReason).toBe("stop");
  });

  test("is complete with its terminal event when the connection never closes, and gives it up soon", async () => {
    await using server = await WireServer.start(breakAfter([...format.begin, ...format.more, ...format.end], stall));
    expect((await read(format.make(server.url))).message.stopReason).toBe("stop");
    await expect.poll(() => server.sockets.size, { timeout: 2000, interval: 10 }).toBe(0);
  });

  test("uses a connection again after a complete answer", async () => {
    await using server = await WireServer.start(stream(...format.begin, ...format.more, ...format.end));
    const model = format.make(server.url);
    for (let request = 0; request < 3; request++) {
      await read(model);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect([server.requests.length, server.sockets.size]).toEqual([3, 1]);
  });
});
