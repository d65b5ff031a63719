import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { heldModel } from "../../../src/testing/held-model.ts";
import type { AssistantMessage, Model, ModelEvent } from "../../../src/model/types.ts";
import { CTRL_C, CTRL_D, ENTER, ESCAPE, talk, type Talk } from "./talk.ts";

/** What leaves has tests of its own; here nobody does. */
const LEAVING = [CTRL_C, CTRL_D, "\u001a", "/quit"];

/** A model whose one answer comes word by word, as the test says. */
function dictated(): Model & { say: (text: string) => void; end: () => void } {
  const words: string[] = [];
  const state = { ended: false };
  let wake = (): void => undefined;
  async function* stream(): AsyncGenerator<ModelEvent> {
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };
    const block = { type: "text" as const, text: "" };
    const message: AssistantMessage = {
      role: "assistant",
      content: [],
      api: "test",
      provider: "test",
      model: "dictated",
      usage,
      stopReason: "stop",
      timestamp: 0,
    };
    yield { type: "start", message };
    message.content.push(block);
    yield { type: "text_start", index: 0 };
    while (!state.ended || words.length > 0) {
      const delta = words.shift();
      if (delta === undefined) {
        await new Promise<void>((resolve) => (wake = resolve));
      } else {
        block.text += delta;
        yield { type: "text_delta", index: 0, delta };
      }
    }
    yield { type: "done", message };
  }
  return {
    api: "test",
    provider: "test",
    id: "dictated",
    stream,
    say(text) {
      words.push(text);
      wake();
    },
    end() {
      state.ended = true;
      wake();
    },
  };
}

describe("in rough weather", () => {
  const streamed = async (
    sizes: readonly { columns: number; rows: number }[],
  ): Promise<{ words: string[]; said: string[]; screen: string[] }> => {
    const model = dictated();
    const { type, pass, terminal } = await talk({ model, columns: 40, rows: 24 });
    await type(`go on${ENTER}`);
    const said: string[] = [];
    for (const { columns, rows } of sizes) {
      for (let word = 0; word < 15; word++) {
        said.push(`word${said.length}`);
        model.say(`${said.at(-1)} `);
      }
      await pass(30);
      terminal.resize(columns, rows);
      await pass(30);
    }
    model.end();
    await pass(30);
    return { words: (await terminal.unwrapped()).join("\n").match(/word\d+/g) ?? [], said, screen: await terminal.screen() };
  };
  const size = fc.record({ columns: fc.integer({ min: 40, max: 100 }), rows: fc.integer({ min: 14, max: 30 }) });

  test("an answer that streams while the window grows has each word once, and in order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(size, { minLength: 1, maxLength: 6 }), async (sizes) => {
        const { words, said } = await streamed(
          sizes
            .map(({ columns }) => columns)
            .toSorted((a, b) => a - b)
            .map((columns) => ({ columns, rows: 24 })),
        );
        expect(words).toEqual(said);
      }),
      { numRuns: 12 },
    );
  });

  test("however the window changes, no word is lost, and there is one prompt", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(size, { minLength: 1, maxLength: 6 }), async (sizes) => {
        const { words, said, screen } = await streamed(sizes);
        expect(new Set(words)).toEqual(new Set(said));
        expect(screen.filter((row) => row === "❯")).toHaveLength(1);
      }),
      { numRuns: 12 },
    );
  });

  test("nothing that is typed brings it down, in a window of any size", async () => {
    const typed = fc.oneof(
      fc.string({ unit: "binary", maxLength: 12 }),
      fc.constantFrom(
        ENTER,
        ESCAPE,
        "\u001b\r",
        "\t",
        "\u001b[A",
        "\u001b[B",
        "\u001b[1;3A",
        "/",
        "/help\r",
        "/sessions\r",
        "/model\r",
        "/explain\r",
        "/retry\r",
        "/compact\r",
        "\u001b[200~",
        "\u001b[201~",
        "\u000c",
        "日本👍",
      ),
    );
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ typed }) },
      fc.record({ columns: fc.integer({ min: 1, max: 90 }), rows: fc.integer({ min: 1, max: 30 }) }),
      fc.record({ pass: fc.nat(3_000) }),
      fc.record({ answer: fc.constantFrom("Short.", "Long ".repeat(400)) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const model = heldModel();
        const play: Talk = await talk({ model });
        let left = false;
        play.ended.finally(() => (left = true)).catch(() => undefined);
        for (const one of steps) {
          if ("typed" in one) await play.type(LEAVING.reduce((text, leaving) => text.replaceAll(leaving, ""), one.typed));
          else if ("pass" in one) await play.pass(one.pass);
          else if ("answer" in one) model.waiting[0]?.answer(one.answer);
          else play.terminal.resize(one.columns, one.rows);
        }
        expect(left).toBe(false);
        play.terminal.resize(80, 24);
        await play.type("\u001b[201~");
        await play.pass(100);
        await play.type("\u000b\u0015");
        await play.type(CTRL_C);
        await play.pass(6_000);
        await play.type("still here");
        expect((await play.terminal.screen()).some((row) => row.includes("still here"))).toBe(true);
      }),
      { numRuns: 12 },
    );
  });
});
