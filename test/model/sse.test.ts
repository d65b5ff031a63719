import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SseDecoder, type SseEvent } from "../../src/model/adapter/sse.ts";

function decode(...pieces: string[]): { events: SseEvent[]; foreign: string | undefined } {
  const decoder = new SseDecoder();
  const events = pieces.flatMap((piece) => decoder.push(piece));
  return { events: [...events, ...decoder.end()], foreign: decoder.foreign };
}

const data = (...values: string[]): SseEvent[] => values.map((value) => ({ event: undefined, data: value }));

describe("an event stream", () => {
  test("has events with and without names", () => {
    expect(decode('event: ping\ndata: {"a":1}\n\ndata: two\n\n').events).toEqual([
      { event: "ping", data: '{"a":1}' },
      { event: undefined, data: "two" },
    ]);
  });

  test("joins the lines of one event's data", () => {
    expect(decode("data: {\ndata:\ndata: }\n\n").events).toEqual(data("{\n\n}"));
  });

  test("passes over comments, ids, retry times, and names without data", () => {
    expect(decode(": hello\n\nid: 7\nretry: 100\nevent: nothing\n\ndata: x\n\n")).toEqual({
      events: data("x"),
      foreign: undefined,
    });
  });

  test("passes over unknown fields once it is known to be one", () => {
    expect(decode("data: x\n\nsome-field: y\ndata: z\n\n")).toEqual({ events: data("x", "z"), foreign: undefined });
  });

  test("reports an error in a field of that name, as llama.cpp does", () => {
    expect(decode('data: x\n\nerror: {"code":500}\n\n').events).toEqual([...data("x"), { event: "error", data: '{"code":500}' }]);
    expect(decode("error: out of memory\n\n").events).toEqual([{ event: "error", data: "out of memory" }]);
  });

  test("takes away one space after the colon, not more", () => {
    expect(decode("data:x\n\ndata:  y\n\n").events).toEqual(data("x", " y"));
  });

  test("is complete without the last blank line", () => {
    expect(decode("data: x\n\ndata: [DONE]").events).toEqual(data("x", "[DONE]"));
    expect(decode("data: x\n\ndata: [DONE]\n").events).toEqual(data("x", "[DONE]"));
  });

  test("takes a line of many pieces without looking through it again and again", () => {
    const decoder = new SseDecoder();
    decoder.push("data: ");
    // Looked through again for each piece, this would be 20 thousand million characters.
    for (let piece = 0; piece < 20_000; piece++) decoder.push("x".repeat(100));
    expect(decoder.push("\n\n")[0]?.data).toHaveLength(2_000_000);
  });

  test("reads the same however it is split and whichever line breaks it has", () => {
    const text = 'event: a\ndata: {"x":"\u00e9"}\n\n: beat\n\ndata: one\ndata: two\n\ndata: [DONE]\n\n';
    const expected = decode(text).events;
    fc.assert(
      fc.property(
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.array(fc.nat(text.length * 2), { maxLength: 12 }),
        (lineBreak, cuts) => {
          const written = text.replaceAll("\n", lineBreak);
          const places = [0, ...cuts.filter((cut) => cut < written.length).toSorted((a, b) => a - b), written.length];
          expect(decode(...places.slice(1).map((place, index) => written.slice(places[index], place))).events).toEqual(expected);
        },
      ),
    );
  });
});

describe("what is no event stream", () => {
  test.each([
    "<!DOCTYPE html>\n<html>",
    '{"error": {"message": "no"}}',
    "upstream connect error",
    "note: something went wrong",
    "[]",
  ])("is seen at once, and kept: %s", (text) => {
    expect(decode(text)).toMatchObject({ events: [], foreign: expect.stringContaining(text) });
  });

  test("is seen in the middle, after the events that were whole", () => {
    expect(decode("data: x\n\n<html>\nmore", "\ndata: y\n\n")).toEqual({
      events: data("x"),
      foreign: "<html>\nmore\ndata: y\n\n",
    });
  });
});
