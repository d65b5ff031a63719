import { describe, expect, test } from "vitest";
import { commandInTerminal } from "./command.ts";
import type { Tmux } from "./tmux.ts";

const ANSWER =
  "The sky is blue because air scatters short waves of light more than long ones. Near the horizon there is more air in between, and so the evening is red: the blue is gone before the light is here.";

describe.each([
  { columns: 80, rows: 24 },
  { columns: 40, rows: 20 },
])("at $columns columns", ({ columns, rows }) => {
  const start = async (plays: Parameters<typeof commandInTerminal>[0], args = "") => {
    const play = await commandInTerminal(plays, { columns, rows, args });
    play.terminal.line("agent");
    await play.terminal.shows("❯");
    return play;
  };

  test("a question is asked, its failure counted down, and answered", async () => {
    const { terminal } = await start(
      [{ step: "status:529" }, { reply: { thinking: "Rayleigh, of course.", text: ANSWER, usage: { input: 1_200 } } }],
      "--context-window 200000",
    );
    terminal.keep(`${columns}-1-start`);
    terminal.line("Why is the sky blue?");
    await terminal.shows("retry 1 of 3 in 2 s");
    terminal.keep(`${columns}-2-countdown`);
    await terminal.shows("retry 1 of 3 in 1 s");
    await terminal.shows("Esc stops");
    terminal.type("and the sea");
    terminal.keep(`${columns}-3-streaming`);
    await terminal.shows(/light\s+is\s+here\./);
    const screen = await terminal.losesSight("Esc stops");
    terminal.keep(`${columns}-4-answered`);
    expect(screen).toContain("│ Rayleigh, of course.");
    expect(screen).toContain("❯ and the sea");
    expect(screen).toMatch(/local · \d+% of 200k/);
    expect(terminal.cursor().column).toBe("❯ and the sea".length);
    expect(terminal.everything().match(/Why is the sky blue\?/g)).toHaveLength(1);
  });

  test("Esc gives up the wait for a retry, and /retry asks again", async () => {
    const { terminal } = await start([{ step: "status:529" }, { reply: { text: "Here." } }]);
    terminal.line("hello");
    await terminal.shows("Esc gives up");
    terminal.press("Escape");
    await terminal.shows("Retry cancelled.");
    await terminal.losesSight("Esc gives up");
    terminal.keep(`${columns}-5-given-up`);
    terminal.line("/retry");
    await terminal.shows("Here.");
  });

  test("while a tool runs it can be steered, and told what to do afterwards", async () => {
    const { terminal, server } = await start([
      { reply: { text: "I look.", toolCalls: [{ name: "search", arguments: { pattern: "needle in a haystack" } }] } },
      { reply: { text: "Only in the documentation, then: docs/guide.md." } },
      { reply: { text: "You are welcome." } },
    ]);
    terminal.line("Where is the needle?");
    await terminal.shows("searching");
    terminal.line("only in docs, please");
    await terminal.shows("steering: only in docs");
    terminal.type("thanks");
    terminal.press("M-Enter");
    await terminal.shows("later: thanks");
    terminal.keep(`${columns}-6-tool`);
    await terminal.shows("You are welcome.");
    const screen = await terminal.losesSight("Esc stops");
    terminal.keep(`${columns}-7-steered`);
    expect(screen).toContain("└ README.md:12: needle in a haystack");
    expect(screen.indexOf("❯ only in docs, please")).toBeGreaterThan(screen.indexOf("● search"));
    expect(screen.indexOf("❯ thanks")).toBeGreaterThan(screen.indexOf("docs/guide.md."));
    expect(server.requests).toHaveLength(3);
  });

  test("a full context is compacted, a bar shows it, and the talk goes on", async () => {
    const long = "A long explanation of everything there is to say about it. ".repeat(12);
    const { terminal } = await start(
      [
        { step: "reply", reply: { text: long, usage: { input: 1_000 } } },
        { step: "reply", reply: { text: long, usage: { input: 9_000 } } },
        { step: "drip:150", reply: { text: "A summary of what was said about it." } },
        { reply: { text: "And on it goes." } },
      ],
      "--context-window 8000 --set compaction.keepRecentTokens=200",
    );
    terminal.line("Explain it.");
    await terminal.shows(/local · \d+% of 8\.0k/);
    await terminal.losesSight("Esc stops");
    terminal.line("Explain it again.");
    await terminal.shows(/[█░]{12} compacting/);
    terminal.keep(`${columns}-8-compacting`);
    await terminal.shows("Compacted: about");
    terminal.keep(`${columns}-9-compacted`);
    terminal.line("Go on.");
    await terminal.shows("And on it goes.");
  });

  test("after a kill -9 the session is offered again, and goes on", async () => {
    const { terminal } = await start([
      { step: "stall:half", reply: { text: ANSWER } },
      { reply: { text: "Where were we? Ah yes." } },
    ]);
    terminal.line("Tell me about the sky.");
    await terminal.shows("The sky is blue");
    terminal.kill("SIGKILL");
    await terminal.shows("Killed");
    terminal.line("stty sane; clear; agent --continue");
    await terminal.shows("❯ Tell me about the sky.");
    await terminal.shows("interrupted");
    terminal.keep(`${columns}-10-resume`);
    terminal.press("Enter");
    await terminal.shows("Ah yes.");
  });

  test("after a kill -9 in the wait for a retry, the wait goes on with what is left of it", async () => {
    const { terminal } = await start(
      [{ step: "status:529" }, { reply: { text: "Here at last." } }],
      "--set retry.baseDelayMs=8000",
    );
    terminal.line("hello");
    await terminal.shows("retry 1 of 3 in 7 s");
    terminal.kill("SIGKILL");
    await terminal.shows("Killed");
    terminal.line("stty sane; clear; agent --continue");
    await terminal.shows("interrupted");
    terminal.press("Enter");
    await terminal.shows(/retry 1 of 3 in [1-6] s/);
    terminal.keep(`${columns}-12-resumed-wait`);
    await terminal.shows("Here at last.");
  });

  test("a paste is one question, a resize loses nothing, and the terminal is given back as it was", async () => {
    const { terminal, server } = await start([{ reply: { text: "日本語の絵文字も👍です。" } }]);
    terminal.type("Translate: ");
    terminal.paste("one\ntwo\nthree");
    await terminal.shows("three");
    terminal.resize(columns === 80 ? 50 : 70, rows);
    await terminal.shows(/❯ Translate: one\n {2}two\n {2}three\n/);
    terminal.resize(columns, rows);
    await terminal.shows("─".repeat(columns - 1));
    expect(terminal.everything().match(/Translate: one/g)).toHaveLength(1);
    terminal.press("Enter");
    await terminal.shows("日本語の絵文字も👍です。");
    expect(server.requests).toHaveLength(1);
    terminal.press("C-c");
    await terminal.shows("Ctrl-C again leaves");
    terminal.press("C-c");
    await terminal.shows("agent-session --continue goes on");
    await givenBack(terminal);
    terminal.keep(`${columns}-11-left`);
  });

  test("Ctrl-Z gives the terminal to the shell, and fg brings all back, the typed line too", async () => {
    const { terminal } = await start([{ reply: { text: "Awake." } }]);
    terminal.type("half a thought");
    await terminal.shows("❯ half a thought");
    terminal.press("C-z");
    await terminal.shows("Stopped");
    await givenBack(terminal);
    terminal.line("clear; fg");
    await terminal.shows("❯ half a thought");
    terminal.press("Enter");
    await terminal.shows("Awake.");
  });
});

test.each(["SIGTERM", "SIGHUP", "SIGINT"] as const)(
  "%s in the middle of an answer leaves the terminal as it was",
  async (signal) => {
    const { terminal } = await commandInTerminal([{ step: "stall:half", reply: { text: ANSWER } }]);
    terminal.line("agent; echo left with $?");
    await terminal.shows("❯");
    terminal.line("Tell me.");
    await terminal.shows("The sky is blue");
    terminal.kill(signal);
    if (signal === "SIGINT") {
      // As Ctrl-C: the first one stops what runs.
      await terminal.shows("Ctrl-C again leaves");
      terminal.kill(signal);
    }
    await terminal.shows(`left with ${{ SIGTERM: 143, SIGHUP: 129, SIGINT: 0 }[signal]}`);
    await givenBack(terminal);
  },
);

test("a crash leaves the terminal as it was, and what it says can be read", async () => {
  const { terminal } = await commandInTerminal([{ reply: { toolCalls: [{ name: "crash", arguments: {} }] } }]);
  terminal.line("agent; echo left with $?");
  await terminal.shows("❯");
  terminal.line("Tell me.");
  await terminal.shows("left with 1");
  terminal.keep("crash");
  expect(terminal.everything()).toContain("Error: a timer of the tool threw");
  await givenBack(terminal);
});

/** The shell's terminal takes whole lines again, and echoes them. */
async function givenBack(terminal: Tmux): Promise<void> {
  terminal.line("clear; stty -a | tr ';' '\\n' | grep -oE -- '-?\\b(icanon|echo)\\b' | tr '\\n' ' '");
  await terminal.shows("icanon echo");
  expect(terminal.screen()).not.toContain("-icanon");
}
