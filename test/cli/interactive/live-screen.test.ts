import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LiveScreen } from "../../../src/cli/interactive/live-screen.ts";
import { TerminalDouble } from "./terminal-double.ts";

const row = fc.stringMatching(/^[a-z ]{0,18}$/).map((text) => text.trimEnd());
const step = fc.record({
  rows: fc.array(row, { minLength: 1, maxLength: 7 }),
  finished: fc.array(row, { maxLength: 12 }),
  /** Rows at the top of the last frame that become finished, as those of streamed text do. */
  adopted: fc.nat(3),
  cursor: fc.record({ row: fc.nat(6), column: fc.nat(18) }),
});

function inside(rows: readonly string[], { row: at, column }: { row: number; column: number }): { row: number; column: number } {
  return { row: Math.min(at, rows.length - 1), column };
}

function withoutBlankEnd(rows: readonly string[]): string[] {
  return rows.slice(0, rows.findLastIndex((text) => text !== "") + 1);
}

describe("the live screen", () => {
  test("shows all that is finished, and below it the last frame, whatever was drawn before", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const terminal = new TerminalDouble({ columns: 20, rows: 10 });
        const screen = new LiveScreen((text) => terminal.io.stdout.write(text));
        const above: string[] = [];
        let last: readonly string[] = [];
        for (const { rows, finished, adopted, cursor } of steps) {
          const now = adopted > 0 && adopted < last.length ? last.slice(0, adopted) : finished;
          above.push(...now);
          screen.draw({ rows, cursor: inside(rows, cursor) }, now, { columns: 20, rows: 10 });
          last = rows;
          expect(await terminal.lines()).toEqual(withoutBlankEnd([...above, ...rows]));
          const at = inside(rows, cursor);
          expect(await terminal.cursor()).toEqual({ row: above.length + at.row, column: at.column });
        }
      }),
      { numRuns: 60 },
    );
  });

  test("after a resize, stands where it stood, and nothing of the old frame is left", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 4 }),
        fc.nat(3),
        fc.integer({ min: 10, max: 30 }),
        async (rows, at, columns) => {
          const terminal = new TerminalDouble({ columns: 20, rows: 12 });
          const screen = new LiveScreen((text) => terminal.io.stdout.write(text));
          const cursor = inside(rows, { row: at, column: 0 });
          screen.draw({ rows, cursor }, ["above"], { columns: 20, rows: 12 });
          await terminal.drawn();
          terminal.resize(columns);
          const narrow = rows.map((text) => text.slice(0, 9));
          screen.draw({ rows: narrow, cursor }, [], { columns, rows: 12 });
          expect((await terminal.lines()).map((text) => text.trimEnd())).toEqual(
            withoutBlankEnd(["above", ...narrow.map((text) => text.trimEnd())]),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  test("writes only rows that changed, in one write", async () => {
    const terminal = new TerminalDouble();
    const screen = new LiveScreen((text) => terminal.io.stdout.write(text));
    const cursor = { row: 1, column: 2 };
    screen.draw({ rows: ["first row", "> "], cursor }, [], { columns: 80, rows: 24 });
    terminal.writes.length = 0;
    screen.draw({ rows: ["first row", "> "], cursor }, [], { columns: 80, rows: 24 });
    expect(terminal.writes).toEqual([]);
    screen.draw({ rows: ["first row", "> typed"], cursor: { row: 1, column: 7 } }, [], { columns: 80, rows: 24 });
    expect(terminal.writes).toHaveLength(1);
    expect(terminal.writes[0]).not.toContain("first");
  });

  test("a row that is wider than it was thought to be is cut at the edge, and shifts nothing", async () => {
    const terminal = new TerminalDouble({ columns: 20 });
    const screen = new LiveScreen((text) => terminal.io.stdout.write(text));
    screen.draw({ rows: ["x".repeat(30), "> "], cursor: { row: 1, column: 2 } }, [], { columns: 20, rows: 24 });
    screen.draw({ rows: ["short", "> "], cursor: { row: 1, column: 2 } }, [], { columns: 20, rows: 24 });
    expect(await terminal.lines()).toEqual(["short", ">"]);
  });
});
