import { PassThrough } from "node:stream";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readPrompts } from "../../src/cli/prompts.ts";
import type { Io } from "../../src/cli/io.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { asking, command, provider, temporaryFolder } from "./harness.ts";

const PIXEL = Buffer.from("iVBORw0KGgo=", "base64");

function folder(files: Record<string, string | Buffer>): string {
  const path = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
  return path;
}

function given(stdin: string | undefined, cwd = temporaryFolder()): Io {
  const input = new PassThrough();
  input.end(stdin ?? "");
  return {
    stdin: input,
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
    cwd,
    hasPipedInput: stdin !== undefined,
    clock: new ManualClock(),
    onSignal: () => () => undefined,
    exit: () => undefined,
  };
}

const text = (content: string) => ({ type: "text", text: content });
const image = (mimeType: string) => ({ type: "image", data: PIXEL.toString("base64"), mimeType });

describe("what is asked", () => {
  test("each word is a prompt", async () => {
    expect(await readPrompts(["one", "two"], [], given(undefined))).toEqual([[text("one")], [text("two")]]);
  });

  test("what is piped in is the prompt", async () => {
    expect(await readPrompts([], [], given("from a pipe\n"))).toEqual([[text("from a pipe\n")]]);
  });

  test("with a question, what is piped in stands before it", async () => {
    expect(await readPrompts(["Summarise", "Translate"], [], given("a long text"))).toEqual([
      [text("a long text"), text("Summarise")],
      [text("Translate")],
    ]);
  });

  test("an empty pipe is no prompt", async () => {
    expect(await readPrompts([], [], given("  \n"))).toEqual([]);
    expect(await readPrompts(["hi"], [], given(""))).toEqual([[text("hi")]]);
  });

  test("a file alone is the prompt, word for word", async () => {
    expect(await readPrompts(["@q.md"], [], given(undefined, folder({ "q.md": "What is this?" })))).toEqual([
      [text("What is this?")],
    ]);
  });

  test("files beside a question are named, wherever they stand", async () => {
    const cwd = folder({ "a.ts": "const a = 1;", "b.ts": "const b = 2;" });
    const files = [text('<file path="a.ts">\nconst a = 1;\n</file>'), text('<file path="b.ts">\nconst b = 2;\n</file>')];
    expect(await readPrompts(["@a.ts", "Compare", "@b.ts"], [], given(undefined, cwd))).toEqual([[...files, text("Compare")]]);
  });

  test("images belong to the first prompt, as an option or as a file", async () => {
    const cwd = folder({ "a.png": PIXEL, "b.JPG": PIXEL });
    expect(await readPrompts(["What is it?", "Sure?"], ["a.png"], given(undefined, cwd))).toEqual([
      [image("image/png"), text("What is it?")],
      [text("Sure?")],
    ]);
    expect(await readPrompts(["@b.JPG", "What is it?"], [], given(undefined, cwd))).toEqual([
      [image("image/jpeg"), text("What is it?")],
    ]);
  });

  test.each([
    [["@missing.md"], [], /@missing\.md cannot be read \(ENOENT\)\. A prompt that begins with @ needs a space before it\./],
    [["@empty.md"], [], /The file @empty\.md is empty\./],
    [["@binary.bin"], [], /@binary\.bin is no text file\./],
    [[""], [], /The prompt is empty: an argument is ""/],
    [["hi"], ["missing.png"], /The image missing\.png cannot be read \(ENOENT\)/],
    [["hi"], ["a.bmp"], /The image a\.bmp is of no known type\. Images are png, jpeg, gif and webp\./],
    [["hi"], ["empty.png"], /The image empty\.png is empty/],
  ])("%j with images %j is refused", async (words, images, message) => {
    const cwd = folder({ "empty.md": " \n", "binary.bin": Buffer.from([1, 0, 2]), "empty.png": "", "a.bmp": PIXEL });
    await expect(readPrompts(words, images, given(undefined, cwd))).rejects.toThrow(message);
  });

  test("a pipe that does not end is waited for, and the person is told", async () => {
    const io = { ...given("x"), stdin: new PassThrough() };
    const reading = readPrompts(["hi"], [], io);
    await new Promise((resolve) => setImmediate(resolve));
    (io.clock as ManualClock).advance(2_000);
    expect(String((io.stderr as PassThrough).read())).toContain("waiting for the end of stdin");
    io.stdin.end("late");
    expect(await reading).toEqual([[text("late"), text("hi")]]);
    expect((io.clock as ManualClock).pending).toBe(0);
  });
});

describe("no prompt", () => {
  test.each([[[]], [["-p"]], [["--mode", "json"]]])("%j without a terminal is wrong use", async (args) => {
    const { code, err, out } = await command([...args, "--demo"]);
    expect(err).toContain('There is no prompt: give one as an argument ("question"), in a file (@file), or on stdin.');
    expect(out).toBe("");
    expect(code).toBe(2);
  });

  test("-p with an earlier session goes on with what is unfinished in it", async () => {
    const server = await provider(["status:401", "reply:at last"]);
    const cwd = temporaryFolder();
    expect((await command(["question"], { ...asking(server), cwd })).code).toBe(1);
    const { code, out } = await command(["-p", "--continue"], { ...asking(server), cwd });
    expect(out).toBe("at last\n");
    expect(code).toBe(0);
    const again = await command(["-p", "--continue"], { ...asking(server), cwd });
    expect(again.err).toContain("There is nothing to continue");
    expect(again.code).toBe(2);
  });
});

describe("sessions", () => {
  test("are kept by default, and gone on with", async () => {
    const server = await provider(["reply:one", "reply:two"]);
    const cwd = temporaryFolder();
    await command(["first question"], { ...asking(server), cwd });
    const { out } = await command(["-c", "second question"], { ...asking(server), cwd });
    expect(out).toBe("two\n");
    expect(JSON.stringify(server.requests[1]?.body)).toContain("first question");
  });

  test("--session names the file, --no-session keeps none", async () => {
    const server = await provider();
    const cwd = temporaryFolder();
    await command(["hi", "--session", "mine.jsonl"], { ...asking(server), cwd });
    await command(["again", "--session", "mine.jsonl"], { ...asking(server), cwd });
    expect(JSON.stringify(server.requests[1]?.body)).toContain('"hi"');
    const other = temporaryFolder();
    await command(["hi", "--no-session"], { ...asking(server), cwd: other });
    expect((await command(["-c", "hi"], { ...asking(server), cwd: other })).err).toMatch(
      /--continue: there is no session in .+ yet\./,
    );
  });

  test("a file that is no session is left as it is", async () => {
    const cwd = folder({ "notes.md": "# Notes\n" });
    const { code, err } = await command(["--demo", "hi", "--session", "notes.md"], { cwd });
    expect(err).toContain("notes.md is not a session file");
    expect(code).toBe(2);
  });

  test("options that exclude each other", async () => {
    expect((await command(["--demo", "hi", "-c", "--no-session"])).err).toContain(
      "--continue and --no-session exclude each other.",
    );
    expect((await command(["--demo", "hi", "-q", "-v"])).err).toContain("--quiet and --verbose exclude each other.");
    expect((await command(["--demo", "hi", "--control"])).err).toContain("--control is for the page of --inspect");
  });
});
