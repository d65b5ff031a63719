import { describe, expect, test } from "vitest";
import { heldModel } from "../../../src/testing/held-model.ts";
import { CTRL_C, CTRL_D, ENTER, ESCAPE, paste, talk } from "./talk.ts";

describe("leaving", () => {
  test("Ctrl-C twice leaves, with the terminal as it was", async () => {
    const { type, text, ended, terminal, clock } = await talk();
    expect(terminal).toMatchObject({ raw: true, bracketedPaste: true });
    await type(CTRL_C);
    expect(await text()).toContain("Ctrl-C again leaves");
    await type(CTRL_C);
    expect(await ended).toBe(0);
    expect(clock.pending).toBe(0);
    await terminal.drawn();
    expect(terminal).toMatchObject({ raw: false, bracketedPaste: false, wraps: true });
    expect(await text()).not.toContain("❯");
  });

  test("one Ctrl-C empties the line, and is forgotten after a while", async () => {
    const { type, text, pass, terminal } = await talk();
    await type("half a");
    await type(CTRL_C);
    expect((await terminal.screen()).at(-2)).toBe("❯");
    await pass(2_500);
    expect(await text()).not.toContain("Ctrl-C again leaves");
    await type(CTRL_C);
    await type("x");
    expect((await terminal.screen()).at(-2)).toBe("❯ x");
  });

  test("one Ctrl-C stops what runs", async () => {
    const model = heldModel();
    const { type, text, pass } = await talk({ model });
    await type(`hello${ENTER}`);
    await type(CTRL_C);
    await pass(100);
    expect(await text()).toContain("aborted");
  });

  test("Ctrl-D leaves on an empty line only", async () => {
    const { type, ended, terminal } = await talk();
    await type(`ab\u001b[D${CTRL_D}`);
    expect((await terminal.screen()).at(-2)).toBe("❯ a");
    await type("\u0015");
    await type(CTRL_D);
    expect(await ended).toBe(0);
  });

  test("a signal ends it with its number, while a request is under way too", async () => {
    const model = heldModel();
    const { type, ended, terminal } = await talk({ model });
    await type(`hello${ENTER}`);
    terminal.signal("SIGTERM");
    expect(await ended).toBe(143);
    expect(terminal.raw).toBe(false);
    expect(model.waiting).toHaveLength(0);
  });

  test("waits for what ignores that it should stop, says so, and a third Ctrl-C does not wait", async () => {
    const deaf = {
      name: "deaf",
      description: "Never ends.",
      parameters: { type: "object" } as const,
      execute: () => new Promise<string>(() => undefined),
    };
    const { type, text, ended, terminal, clock, until } = await talk({
      model: [{ toolCalls: [{ name: "deaf" }] }],
      tools: [deaf],
    });
    await type(`hello${ENTER}`);
    await until("deaf 0 s");
    await type(CTRL_C + CTRL_C);
    expect(await text()).toContain("stopping what runs (Ctrl-C leaves at once)");
    // The terminal makes a signal of it, for it is no longer ours.
    terminal.signal("SIGINT");
    expect(terminal.exits).toEqual([130]);
    clock.advance(5_000);
    expect(await ended).toBe(0);
  });

  test("a terminal that is gone ends it", async () => {
    const { ended, terminal } = await talk();
    terminal.stdin.push(null);
    expect(await ended).toBe(1);
  });

  test("what scrolled past stays when it leaves, an unfinished answer included", async () => {
    const { type, text, ended } = await talk({ model: [{ text: "As far as I", hang: true }] });
    await type(`hello${ENTER}`);
    await type("/quit");
    await type(ENTER);
    await ended;
    expect(await text()).toContain("❯ hello\n\n❯ /quit\n\nAs far as I");
  });
});

describe("the terminal", () => {
  test("is given back when the process crashes", async () => {
    const { terminal } = await talk();
    terminal.crash();
    await terminal.drawn();
    expect(terminal).toMatchObject({ raw: false, bracketedPaste: false, wraps: true });
    expect(await terminal.text()).not.toContain("❯");
  });

  test("is the mode's alone: what a tool prints stands above the prompt, as text", async () => {
    const { type, text, pass, terminal, context } = await talk();
    await type("half a thought");
    context.io.stdout.write("one\n\u001b[2Jtwo");
    context.io.stderr.write("\u001b[31m!\u001b[0m\n");
    await pass(30);
    expect(await text()).toContain("one\ntwo!\n\n─");
    expect((await terminal.screen()).at(-2)).toBe("❯ half a thought");
  });

  test("is given back while the process is stopped, and drawn anew afterwards", async () => {
    const { type, text, terminal } = await talk();
    await type("half a thought");
    await type("\u001a");
    expect(terminal).toMatchObject({ stops: 1, raw: false, bracketedPaste: false });
    expect(await text()).not.toContain("half a thought");
    terminal.wake();
    await terminal.drawn();
    expect(terminal).toMatchObject({ raw: true, bracketedPaste: true });
    expect((await terminal.screen()).at(-2)).toBe("❯ half a thought");
  });

  test("narrower or wider, shows everything in its width", async () => {
    const { type, terminal } = await talk({
      model: ["The sky is blue because air scatters short waves of light more than long ones."],
    });
    await type(`why is the sky blue?${ENTER}`);
    await type("a question that is longer than forty columns are wide");
    terminal.resize(40);
    await terminal.drawn();
    expect((await terminal.screen()).slice(-4)).toEqual([
      "─".repeat(39),
      "❯ a question that is longer than forty",
      "  columns are wide",
      "test/model · 0% of 100k · /help",
    ]);
    terminal.resize(100);
    await terminal.drawn();
    expect((await terminal.screen()).at(-2)).toBe("❯ a question that is longer than forty columns are wide");
    expect((await terminal.lines()).filter((row) => row.startsWith("❯ a question"))).toHaveLength(1);
  });

  test("at 40 columns no row is wider, and words stay whole", async () => {
    const { type, terminal } = await talk({
      columns: 40,
      model: ["The sky is blue because air scatters short waves of light more than long ones."],
    });
    await type(`why?${ENTER}`);
    expect(await terminal.text()).toContain("The sky is blue because air scatters\nshort waves of light more than long\nones.");
  });

  test("wide characters stand where they should, in the answer and in the line", async () => {
    const { type, terminal } = await talk({
      columns: 40,
      model: ["日本語の文章は、空白がなくても折り返されます。絵文字も👍です。"],
    });
    await type(`読んで${ENTER}`);
    expect(await terminal.text()).toContain("❯ 読んで\n\n日本語の文章は、空白がなくても折り返さ\nれます。絵文字も👍です。");
    await type("日本👍");
    expect(await terminal.cursor()).toMatchObject({ column: 8 });
    await type("\u001b[D\u007f");
    expect((await terminal.screen()).at(-2)).toBe("❯ 日👍");
    expect(await terminal.cursor()).toMatchObject({ column: 4 });
  });

  test("Ctrl-L draws the screen anew, the line as it was", async () => {
    const { type, terminal } = await talk();
    await type("half a thought");
    terminal.noise("\r\nnoise of another program\r\n");
    await type("\u000c");
    expect(await terminal.screen()).toEqual(["", "─".repeat(79), "❯ half a thought", "test/model · 0% of 100k · /help"]);
  });

  test("that takes no more for now gets fewer frames, and in the end the last", async () => {
    const { type, terminal } = await talk({ model: ["unused"] });
    terminal.stalled = true;
    await type(paste("x".repeat(1_200)));
    const before = terminal.writes.length;
    for (const key of "abcdefghij") await type(key);
    expect(terminal.writes.length - before).toBeLessThan(3);
    terminal.flow();
    await terminal.drawn();
    expect(await terminal.text()).toContain("abcdefghij");
  });

  test("without colours gets none, and without Unicode plain signs", async () => {
    const { type, terminal } = await talk({ env: { NO_COLOR: "1", LANG: "C" }, model: ["Hello."] });
    await type(`hi${ENTER}`);
    expect(
      terminal.writes
        .join("")
        .split("\u001b[")
        .filter((sequence) => /^[0-9;]*m/.test(sequence)),
    ).toEqual([]);
    expect((await terminal.screen()).slice(-3)).toEqual(["-".repeat(79), ">", "test/model - 0% of 100k - /help"]);
  });

  test("with colours has the thinking dimmed", async () => {
    const { type, terminal } = await talk({ env: { NO_COLOR: "" }, model: [{ thinking: "Let me see.", text: "Hello." }] });
    await type(`hi${ENTER}`);
    expect(terminal.writes.join("")).toContain("\u001b[2m│ Let me see.\u001b[22m");
  });

  test("that cannot move its cursor is told what to do instead", async () => {
    const { ended } = await talk({ env: { TERM: "dumb" } });
    await expect(ended).rejects.toThrow('Ask with a prompt instead: agent-session "question".');
  });
});

test("Esc alone waits a moment for what could follow it, and is a key then", async () => {
  const { type, text, pass } = await talk({ model: [{ text: "On and on", hang: true }] });
  await type(`hello${ENTER}`);
  await type(ESCAPE);
  await type("[A");
  expect(await text()).toContain("Esc stops");
  await type(ESCAPE);
  await pass(100);
  expect(await text()).not.toContain("Esc stops");
});
