import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lookOf } from "../../../src/cli/interactive/look.ts";
import { StreamedAnswer } from "../../../src/cli/interactive/streamed-answer.ts";
import type { ModelEvent } from "../../../src/model/types.ts";
import { TerminalDouble } from "./terminal-double.ts";

const { io } = new TerminalDouble();
const plain = lookOf({ stdout: io.stdout, env: { NO_COLOR: "1" } });
const coloured = lookOf({ stdout: io.stdout, env: { TERM: "xterm" } });

const delta = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "日", "👍", "`", "#", "*"), maxLength: 30 });
const block = fc.record({ kind: fc.constantFrom("text", "thinking"), deltas: fc.array(delta, { maxLength: 8 }) });

function eventsOf(blocks: readonly { kind: string; deltas: readonly string[] }[]): ModelEvent[] {
  return blocks.flatMap(({ kind, deltas }, index): ModelEvent[] =>
    kind === "text"
      ? [{ type: "text_start", index }, ...deltas.map((text) => ({ type: "text_delta", index, delta: text }) as const)]
      : [{ type: "thinking_start", index }, ...deltas.map((text) => ({ type: "thinking_delta", index, delta: text }) as const)],
  );
}

describe("an answer that streams", () => {
  test("reads the same, whatever of it was finished when, and however little room there was", () => {
    fc.assert(
      fc.property(
        fc.array(block, { maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 6 })),
        fc.integer({ min: 8, max: 30 }),
        (blocks, limits, columns) => {
          const events = eventsOf(blocks);
          const whole = new StreamedAnswer(coloured);
          const inParts = new StreamedAnswer(coloured);
          const finished: string[] = [];
          for (const [index, event] of events.entries()) {
            whole.handle(event);
            inParts.handle(event);
            const limit = limits[index % Math.max(1, limits.length)];
            if (limit === undefined) continue;
            finished.push(...inParts.overflow(columns, limit));
            expect(inParts.rows(columns).length).toBeLessThanOrEqual(limit);
          }
          expect([...finished, ...inParts.finish(columns)]).toEqual(whole.finish(columns));
        },
      ),
      { numRuns: 400 },
    );
  });

  test("has its Markdown in colours, and every sign of it in place", () => {
    const answer = new StreamedAnswer(coloured);
    answer.begin([{ type: "text", text: "# Title\nUse `npm test` and **wait**.\n```ts\n# no title\n```\nDone." }]);
    const rows = answer.rows(60);
    expect(rows).toContain("\u001b[1m# Title\u001b[22m");
    expect(rows).toContain("Use \u001b[36m`npm test`\u001b[39m and \u001b[1m**wait**\u001b[22m.");
    expect(rows).toContain("\u001b[36m# no title\u001b[39m");
    const bare = new StreamedAnswer(plain);
    bare.begin([{ type: "text", text: "# Title\nUse `npm test`." }]);
    expect(bare.rows(60)).toEqual(["", "# Title", "Use `npm test`."]);
  });

  test("cannot steer the terminal", () => {
    const answer = new StreamedAnswer(plain);
    answer.begin([{ type: "text", text: "a\u001b[2Jb\tc\r\nd" }]);
    expect(answer.rows(60)).toEqual(["", "a\u{FFFD}[2Jb    c", "d"]);
  });
});
