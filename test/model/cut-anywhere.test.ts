import { describe, expect, test } from "vitest";
import { callsOf, read, textOf } from "./helpers.ts";
import { FORMATS, WHOLE_TEXT } from "./wire-formats.ts";

/** Every place near the end, and of the long way there each thirteenth: enough to meet all of its events at changing places. */
function* cutsOf(length: number): Generator<number> {
  for (let cut = 0; cut <= length; cut += cut < length - 60 ? 13 : 1) yield cut;
}

/** A `fetch` that answers with these bytes, and then ends as if nothing were wrong, or breaks. */
function answering(bytes: Uint8Array, after: "end" | "break"): typeof fetch {
  return async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        if (bytes.length > 0) controller.enqueue(bytes);
        if (after === "end") controller.close();
      },
      pull(controller) {
        controller.error(new TypeError("terminated"));
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

describe.each(FORMATS)("$name", (format) => {
  const text = [...format.begin, ...format.more, ...format.end].join("");
  const tool = [...format.tool, ...format.toolEnd].join("");

  test.each([
    ["an answer", text, "end"],
    ["an answer", text, "break"],
    ["a tool call", tool, "end"],
    ["a tool call", tool, "break"],
  ] as const)(
    "%s cut anywhere is a failed reply that a retry mends, until its terminal event is there",
    async (_, whole, after) => {
      const bytes = new TextEncoder().encode(whole);
      // Where the connection ends properly, the event needs no blank line behind it.
      const complete = after === "end" ? whole.trimEnd().length : whole.length;
      for (const cut of cutsOf(bytes.length)) {
        const model = format.make("http://127.0.0.1:1", { fetch: answering(bytes.subarray(0, cut), after) });
        const { message } = await read(model);
        if (cut < complete) {
          expect({ cut, ...message }).toMatchObject({ stopReason: "error", failure: { action: "retry" } });
          expect(WHOLE_TEXT).toContain(textOf(message));
        } else {
          expect({ cut, ...message }).not.toHaveProperty("failure");
          expect(textOf(message) === WHOLE_TEXT || callsOf(message)[0]?.arguments["command"] === "rm old").toBe(true);
        }
      }
    },
  );
});
