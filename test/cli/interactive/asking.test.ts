import { describe, expect, test } from "vitest";
import { heldModel } from "../../../src/testing/held-model.ts";
import { ALT_ENTER, ENTER, ESCAPE, paste, talk, UP } from "./talk.ts";

const overloaded = { failure: { status: 529, message: "Overloaded" } };

describe("a question", () => {
  test("is answered above the prompt, the thinking set apart, and the prompt stays", async () => {
    const { type, text, terminal } = await talk({ model: [{ thinking: "Let me see.", text: "It scatters." }] });
    await type(`why is the sky blue?${ENTER}`);
    expect(await text()).toContain("❯ why is the sky blue?\n\n│ Let me see.\n\nIt scatters.\n");
    expect((await terminal.screen()).at(-2)).toBe("❯");
  });

  test("shows use of the context and cost in the status line", async () => {
    const usage = { input: 25_000, output: 100, cost: { input: 0.02, output: 0.01, cacheRead: 0, cacheWrite: 0, total: 0.03 } };
    const { type, terminal } = await talk({ model: [{ text: "Hello.", usage }] });
    await type(`hi${ENTER}`);
    expect((await terminal.screen()).at(-1)).toContain("test/model · 25% of 100k · $0.0300");
  });

  test("a paste of several lines is one question, and a long one is shown as a mark", async () => {
    const model = heldModel();
    const { type, text } = await talk({ model });
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join("\r\n");
    await type(`what is this: ${paste(lines)}`);
    expect(await text()).toContain("❯ what is this: [pasted 30 lines, 230 characters]");
    expect(model.waiting).toHaveLength(0);
    await type(ENTER);
    expect(model.waiting[0]?.request.messages.at(-1)?.content).toBe(`what is this: ${lines.replaceAll("\r", "")}`);
  });

  test("goes over several lines with Ctrl-J, with a backslash, and at rest with Alt-Enter", async () => {
    const model = heldModel();
    const { type } = await talk({ model });
    await type(`one\ntwo\\${ENTER}three${ALT_ENTER}four${ENTER}`);
    expect(model.waiting[0]?.request.messages.at(-1)?.content).toBe("one\ntwo\nthree\nfour");
  });
});

describe("while an answer streams", () => {
  test("what is being typed stays as it is", async () => {
    const model = heldModel();
    const { type, terminal, clock } = await talk({ model });
    await type(`first${ENTER}`);
    await type("half a thou");
    model.waiting[0]?.answer({ deltas: Array.from({ length: 200 }, (_, index) => `word${index} `) });
    terminal.type("ght");
    await terminal.drawn();
    clock.advance(30);
    expect((await terminal.screen()).at(-2)).toBe("❯ half a thought");
    expect(await terminal.text()).toContain("word199");
    expect(await terminal.cursor()).toMatchObject({ column: 16 });
  });

  test("a long answer scrolls away whole, each of its lines once", async () => {
    const sentences = Array.from({ length: 60 }, (_, index) => `Sentence number ${index + 1} of a long answer.\n`);
    const { type, text } = await talk({ model: [{ deltas: sentences }], rows: 12 });
    await type(`go on${ENTER}`);
    const shown = (await text()).split("\n").filter((line) => line.startsWith("Sentence"));
    expect(shown).toEqual(sentences.map((sentence) => sentence.trim()));
  });

  test("something else that is said meanwhile costs nothing of it", async () => {
    const words = Array.from({ length: 300 }, (_, index) => `word${index} `);
    const { text, type, context, terminal, clock } = await talk({ model: [{ deltas: words }], rows: 12 });
    let deltas = 0;
    context.session.subscribe((event) => {
      if (event.type !== "message_update") return;
      deltas++;
      if (deltas % 10 === 0) clock.advance(30);
      if (deltas === 20 || deltas === 200) context.io.stderr.write(`a tool says ${deltas}\n`);
    });
    await type(`go on${ENTER}`);
    await terminal.drawn();
    const shown = await text();
    expect(shown.match(/word\d+/g)).toEqual(words.map((word) => word.trim()));
    expect(shown).toContain("a tool says 20\n");
    expect(shown).toContain("\n\na tool says 200\n\n");
  });

  test("Esc stops it, and what came of it stays", async () => {
    const { type, text, pass } = await talk({ model: [{ text: "As far as I", hang: true }] });
    await type(`tell me${ENTER}`);
    expect(await text()).toContain("Esc stops");
    await type(ESCAPE);
    await pass(100);
    expect(await text()).toContain("As far as I\n\naborted\n");
    expect(await text()).not.toContain("Esc stops");
  });

  test("Enter steers and Alt-Enter follows up: both are shown waiting, and delivered in their turn", async () => {
    const model = heldModel();
    const { type, text } = await talk({ model });
    await type(`first${ENTER}`);
    await type(`afterwards${ALT_ENTER}`);
    await type(`rather this${ENTER}`);
    expect(await text()).toContain("» steering: rather this\n» later: afterwards\n");
    model.waiting[0]?.answer("One.");
    await type("");
    expect(await text()).toMatch(/One\.\n\n❯ rather this\n/);
    expect(await text()).toContain("» later: afterwards");
    model.waiting[0]?.answer("Two.");
    await type("");
    expect(await text()).toMatch(/Two\.\n\n❯ afterwards\n/);
    expect(await text()).not.toContain("later:");
  });

  test("Alt-Up takes what is queued back into the line, also after an abort left it there", async () => {
    const model = heldModel();
    const { type, text, terminal, pass } = await talk({ model });
    await type(`first${ENTER}`);
    await type(`second${ENTER}`);
    await type(ESCAPE);
    await pass(100);
    expect(await text()).toContain("1 message stays queued. /retry goes on, Alt-Up takes back.");
    await type("\u001b[1;3A");
    expect((await terminal.screen()).at(-2)).toBe("❯ second");
    expect(await text()).not.toContain("steering:");
  });
});

describe("a failed request", () => {
  test("is told, and the wait runs down in seconds, until the answer comes", async () => {
    const { type, text, pass } = await talk({ model: [overloaded, "Here."] });
    await type(`hello${ENTER}`);
    expect(await text()).toContain("↻ 529 Overloaded. Retry 1 of 3 in 2 s.");
    expect(await text()).toContain("↻ retry 1 of 3 in 2 s · Esc gives up");
    await pass(1_000);
    expect(await text()).toContain("↻ retry 1 of 3 in 1 s · Esc gives up");
    await pass(1_000);
    expect(await text()).toContain("\nHere.\n");
    expect(await text()).not.toContain("Esc gives up");
  });

  test("with a long wait before it is counted down in minutes", async () => {
    const { type, text, pass } = await talk({
      model: [{ failure: { status: 429, message: "Slow down", headers: { "retry-after": "300" } } }, "Here."],
    });
    await type(`hello${ENTER}`);
    await pass(1_000);
    expect(await text()).toMatch(/retry 1 of 3 in 4 min 5[89] s · Esc gives up/);
  });

  test("retried in vain is told with what to do", async () => {
    const { type, text, pass } = await talk({
      model: [overloaded, overloaded, overloaded],
      settings: { retry: { maxRetries: 2, baseDelayMs: 1_000 } },
    });
    await type(`hello${ENTER}`);
    await pass(1_000);
    await pass(2_000);
    expect(await text()).toContain("Retry failed after 2 attempts: 529 Overloaded");
    expect(await text()).toContain("/retry asks again, /explain says why it failed.");
  });

  test("Esc gives up the wait; /retry asks again", async () => {
    const { type, text, pass } = await talk({ model: [overloaded, "Here at last."] });
    await type(`hello${ENTER}`);
    await type(ESCAPE);
    await pass(100);
    expect(await text()).toContain("Retry cancelled.");
    expect(await text()).not.toContain("Esc gives up");
    await type(`/retry${ENTER}`);
    expect(await text()).toContain("Here at last.");
  });

  test("the beginning of an answer that broke off is taken back", async () => {
    const { type, text, pass } = await talk({ model: [{ deltas: ["A first ", "beginning"], cut: 2 }, "The whole."] });
    await type(`hello${ENTER}`);
    expect(await text()).not.toContain("A first beginning");
    expect(await text()).toContain("its beginning was taken back");
    await pass(2_000);
    expect(await text()).toContain("The whole.");
  });

  test("what of it has scrolled away is marked as void", async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `Line ${index + 1}\n`);
    const { type, text, context, clock } = await talk({ model: [{ deltas: lines, cut: 40 }, "The whole."], rows: 12 });
    context.session.subscribe((event) => {
      // Time for a frame after each.
      if (event.type === "message_update") clock.advance(30);
    });
    await type(`hello${ENTER}`);
    expect(await text()).toContain("Line 1\n");
    expect(await text()).toContain("The text above broke off and is void; it is asked for again.");
  });
});

describe("tools", () => {
  const read = {
    name: "read",
    description: "Reads a file.",
    parameters: { type: "object", properties: { path: { type: "string" } } } as const,
    execute: () => "one\ntwo\nthree\nfour\nfive\nsix\nseven",
  };

  test("a call is shown with its arguments and the beginning of its result", async () => {
    const { type, text, until } = await talk({
      model: [{ toolCalls: [{ name: "read", arguments: { path: "a.txt" } }] }, "Read."],
      tools: [read],
    });
    await type(`read it${ENTER}`);
    await until("Read.");
    expect(await text()).toMatch(
      /● read \{"path":"a\.txt"\} \d+ ms\n {2}└ one\n {4}two\n {4}three\n {4}four\n {4}… 3 more lines\n\nRead\./,
    );
  });

  test("one that runs shows how far it is, and one that fails says so", async () => {
    let finish: (error: Error) => void = () => undefined;
    const slow = {
      ...read,
      execute: (_: unknown, { update }: { update: (partial: string) => void }) => {
        update("step 1\nstep 2");
        return new Promise<string>((_resolve, reject) => (finish = reject));
      },
    };
    const { type, text, pass, until } = await talk({
      model: [{ toolCalls: [{ name: "read", arguments: { path: "a.txt" } }] }, "Sorry."],
      tools: [slow],
    });
    await type(`read it${ENTER}`);
    await until("step 2");
    await pass(3_000);
    expect(await text()).toMatch(/read \{"path":"a\.txt"\} 3 s\n {2}└ step 2\n.*working/);
    finish(new Error("no such file"));
    await until("Sorry.");
    expect(await text()).toMatch(/✗ read \{"path":"a\.txt"\} failed .*\n {2}└ .*no such file/);
  });
});

describe("history", () => {
  test("Up brings back earlier prompts, and Down in the end what was being typed", async () => {
    const { type, terminal } = await talk({ model: ["1", "2"] });
    await type(`first${ENTER}`);
    await type(`second${ENTER}`);
    await type("draft");
    const line = async (): Promise<string | undefined> => (await terminal.screen()).at(-2);
    await type(UP);
    expect(await line()).toBe("❯ second");
    await type(UP);
    expect(await line()).toBe("❯ first");
    await type("\u001b[B\u001b[B");
    expect(await line()).toBe("❯ draft");
  });
});
