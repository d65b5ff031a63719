import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readReply } from "../../src/model/read-reply.ts";
import type { AssistantMessage } from "../../src/model/types.ts";
import { systemClock } from "../../src/retry/clock.ts";
import type { FaultReply } from "../../src/testing/fault-server.ts";
import { wireFormats } from "../../src/testing/fault-server/formats/index.ts";
import { frame } from "../../src/testing/fault-server/formats/wire-format.ts";
import { adapters } from "./adapters.ts";
import type { Adapter } from "./adapters.ts";

const REPLY: FaultReply = {
  thinking: "Überlegen 🤔 hilft.",
  text: "Ich lösche die alten Dateien 🗑️ jetzt: „eine nach der anderen“.",
  toolCalls: [{ name: "delete_files", arguments: { path: "bücher/alt 📚", recursive: true, note: 'a "quoted" \\ word\n' } }],
};

/** Adapters that read the bytes themselves. */
const readers = adapters.filter(({ name }) => name !== "aiSdkModel");

function bytesOf({ format }: Adapter): Uint8Array {
  const events = wireFormats[format].events(REPLY, { n: 1, model: "m", includeUsage: true });
  return Buffer.from(events.map(frame).join(""));
}

/** The reply an adapter makes of a body that comes in these chunks and then ends as if it were whole. */
async function replyTo(adapter: Adapter, chunks: readonly Uint8Array[]): Promise<AssistantMessage> {
  const fetch = (): Promise<Response> => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
  };
  const messages = [{ role: "user", content: "Delete the old files.", timestamp: 0 }] as const;
  return await readReply(
    adapter.model("http://127.0.0.1:1", fetch),
    { messages },
    { signal: new AbortController().signal, clock: systemClock },
  );
}

function chopped(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % bytes.length)), bytes.length].toSorted((one, other) => one - other);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)).filter((chunk) => chunk.length > 0);
}

const places = fc.array(fc.nat(), { maxLength: 40 });

describe.each(readers)("$name", (adapter) => {
  const bytes = bytesOf(adapter);
  // The blank line at the end of the last event says nothing.
  const told = bytes.length - 2;

  test("makes the same reply of the same bytes, in whatever chunks they come", async () => {
    const whole = await replyTo(adapter, [bytes]);
    expect(whole).toMatchObject({
      stopReason: "toolUse",
      content: [{ thinking: REPLY.thinking }, { text: REPLY.text }, REPLY.toolCalls?.[0]],
    });
    await fc.assert(
      fc.asyncProperty(places, async (cuts) => {
        const reply = await replyTo(adapter, chopped(bytes, cuts));
        expect({ ...reply, timestamp: 0 }).toEqual({ ...whole, timestamp: 0 });
      }),
      { numRuns: 200 },
    );
  });

  test("makes no answer of a reply that ends at any byte before its terminal event is whole", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: told - 1 }), places, async (end, cuts) => {
        const { failure, stopReason, content } = await replyTo(adapter, chopped(bytes.subarray(0, end), cuts));
        expect([stopReason, failure?.action]).toEqual(["error", "retry"]);
        const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
        expect(REPLY.text?.startsWith(texts.join(""))).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  test("makes no other answer of a reply in which one byte is another", async () => {
    const whole = await replyTo(adapter, [bytes]);
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 0x80, max: 0xff }), async (place, byte) => {
        fc.pre(bytes[place] !== undefined && bytes[place] < 0x80);
        const garbled = Uint8Array.from(bytes, (one, index) => (index === place ? byte : one));
        const reply = await replyTo(adapter, [garbled]);
        expect(reply.stopReason === "error" || JSON.stringify(reply.content) === JSON.stringify(whole.content)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });
});
