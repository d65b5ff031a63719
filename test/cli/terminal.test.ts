import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { command, provider, asking, Run } from "./harness.ts";

const CLEAR = "\r\u001b[2K";

/** What a terminal shows of a stream: carriage returns and cleared lines applied, colours left out. */
function shown(stream: string): string[] {
  return stream
    .split("\n")
    .map((line) => stripVTControlCharacters(line.split(CLEAR).at(-1) ?? ""))
    .filter((line) => line !== "");
}

describe("on a terminal", () => {
  test("the seconds of a wait run down in place, and one line of it stays", async () => {
    const server = await provider(["status:529"]);
    const clock = new ManualClock(1_000_000);
    const running = new Run(["hi", "--set", "retry.baseDelayMs=3000"], { ...asking(server), terminal: ["stderr"], clock });
    await running.says("retrying in 3 s (1/3): 529");
    clock.advance(1_000);
    await running.says("retrying in 2 s (1/3): 529");
    clock.advance(1_000);
    await running.says("retrying in 1 s (1/3): 529");
    clock.advance(1_000);
    expect(await running.exit).toBe(0);
    expect(shown(running.err)).toEqual([expect.stringMatching(/^retry after 3 s \(1\/3\): 529 /)]);
  });

  test("an aborted wait leaves no timer and no live line behind", async () => {
    const server = await provider(["status:529"]);
    const clock = new ManualClock(1_000_000);
    const running = new Run(["hi", "--set", "retry.baseDelayMs=60000"], { ...asking(server), terminal: ["stderr"], clock });
    await running.says("retrying in 60 s");
    running.signal("SIGINT");
    expect(await running.exit).toBe(130);
    expect(clock.pending).toBe(0);
    expect(shown(running.err)).toEqual([
      "aborting… (Ctrl-C again leaves at once)",
      expect.stringMatching(/^retry given up \(1\/3\): 529 /),
      "aborted",
    ]);
  });

  test("text streams as it comes; a part that breaks off is said to be void, on a line of its own", async () => {
    const server = await provider(["cut:half:fin", "reply:whole"], { reply: { text: "one two three four five six" } });
    const { out, err, code } = await command(["hi"], { ...asking(server), terminal: ["stdout", "stderr"] });
    expect(out).toMatch(/^one.*\nwhole\n$/);
    expect(shown(err)).toContain("the text above broke off and is void; it is asked for again");
    expect(code).toBe(0);
  });

  test("a live line fits the terminal, however narrow", async () => {
    const server = await provider(["status:529"]);
    const { err } = await command(["hi"], { ...asking(server), terminal: ["stderr"], columns: 20 });
    for (const line of err.split(CLEAR)) {
      if (!line.includes("\n")) expect(stripVTControlCharacters(line).length).toBeLessThan(20);
    }
  });

  test("escape sequences in an answer do not reach it", async () => {
    const server = await provider([{ reply: { text: "\u001b]0;title\u0007\u001b[31mred" } }]);
    const { out } = await command(["hi"], { ...asking(server), terminal: ["stdout"] });
    expect(out).not.toContain("\u001b");
    expect(out).toContain("red");
  });

  test.each([
    [{ NO_COLOR: "1" }, false],
    [{ TERM: "dumb" }, false],
    [{}, true],
  ])("with %j colours are %s", async (env, coloured) => {
    const server = await provider(["status:529"]);
    const setting = asking(server);
    const { err } = await command(["hi"], { env: { ...setting.env, ...env }, terminal: ["stderr"] });
    expect(err.replaceAll(CLEAR, "").includes("\u001b[")).toBe(coloured);
  });
});

describe("in a pipe or a file", () => {
  test("there are no colours, no live lines, and nothing of an answer that broke off", async () => {
    const server = await provider(["cut:half:fin", "status:529", "reply:whole"]);
    const { out, err } = await command(["hi"], asking(server));
    expect(out).toBe("whole\n");
    expect(err).not.toContain("\u001b");
    expect(err).not.toContain("\r");
  });

  test("only the last message is the answer; tools are told on stderr", async () => {
    const server = await provider([
      { reply: { text: "Let me look.", toolCalls: [{ name: "nothing", arguments: {} }] } },
      "reply:the answer",
    ]);
    const { out, err } = await command(["hi"], asking(server));
    expect(out).toBe("the answer\n");
    expect(err).toContain("tool nothing failed: ");
  });

  test("an answer goes there as it is", async () => {
    const server = await provider([{ reply: { text: "\u001b[31mred\u2028" } }]);
    expect((await command(["hi"], asking(server))).out).toBe("\u001b[31mred\u2028\n");
  });

  test("a reader that leaves ends the run, and not with success", async () => {
    const server = await provider(["reply:one", "stall:half"]);
    const running = new Run(["first", "second"], asking(server));
    await new Promise((resolve) => running.stdout.once("data", resolve));
    running.stdout.destroy(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    expect(await running.exit).toBe(1);
    expect(running.err).toContain("aborting: nobody reads stdout any more");
  });
});
