import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bindings } from "../../../src/cli/interactive/bindings.ts";
import { Editor } from "../../../src/cli/interactive/editor.ts";
import { layoutEditor } from "../../../src/cli/interactive/editor-layout.ts";
import { History, historyPath } from "../../../src/cli/interactive/history.ts";
import { KeyDecoder, type KeyInput } from "../../../src/cli/interactive/keys.ts";
import { fit, textWidth, wrapLine, wrapText } from "../../../src/cli/interactive/text-width.ts";
import { temporaryFolder } from "../harness.ts";

const wideText = fc.string({ unit: fc.constantFrom("a", "b", " ", "日", "本", "👍", "👨‍👩‍👧", "é", "e\u0301", "-"), maxLength: 60 });

describe("keys", () => {
  const named = (text: string): string[] =>
    new KeyDecoder().push(text).map((input) => (input.type === "key" ? input.name : `${input.type} ${input.text}`));

  test("of xterm, of kitty and of modifyOtherKeys have the same names", () => {
    expect(named("\u001b[A\u001bOA\u001b[1;5D\u001b[1;3A\u001b[3~\u001b[H\u001b[4~")).toEqual([
      "up",
      "up",
      "ctrl+left",
      "alt+up",
      "delete",
      "home",
      "end",
    ]);
    expect(named("\u001b\r\u001b[13;3u\u001b[27;3;13~\u001b[13;2u")).toEqual([
      "alt+enter",
      "alt+enter",
      "alt+enter",
      "shift+enter",
    ]);
    expect(named("\u0001\u000b\u007f\b\u001b\u007f\u001bb\u001b[97;5u")).toEqual([
      "ctrl+a",
      "ctrl+k",
      "backspace",
      "backspace",
      "alt+backspace",
      "alt+b",
      "ctrl+a",
    ]);
  });

  test("nobody knows are passed over, and what follows is not lost", () => {
    expect(named("\u001b[99~a\u001b[<0;3;4Mb\u001b[Ic\u001b[[Ad")).toEqual(["text a", "text b", "text c", "text d"]);
  });

  test("come out the same, however the line cuts them", () => {
    const piece = fc.constantFrom(
      "a",
      "日本",
      "\r",
      "\u001b[A",
      "\u001b[1;5C",
      "\u001b\r",
      "\u0003",
      "\u001b[200~x\r\ny\u001b[A\u001b[201~",
      "\u001b[13;2u",
      "\u001bOB",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(8), { maxLength: 60 }), (pieces, cuts) => {
        const all = pieces.join("");
        const whole = new KeyDecoder().push(all);
        const decoder = new KeyDecoder();
        const inParts: KeyInput[] = [];
        let at = 0;
        for (const size of cuts) {
          inParts.push(...decoder.push(all.slice(at, at + size)));
          at += size;
        }
        inParts.push(...decoder.push(all.slice(at)));
        expect(joined(inParts)).toEqual(joined(whole));
      }),
    );
  });
});

/** Typed characters next to each other as one text. */
function joined(inputs: readonly KeyInput[]): KeyInput[] {
  const result: KeyInput[] = [];
  for (const input of inputs) {
    const last = result.at(-1);
    if (input.type === "text" && last?.type === "text")
      result[result.length - 1] = { type: "text", text: last.text + input.text };
    else result.push(input);
  }
  return result;
}

describe("the line", () => {
  const typed = (text: string, ...keys: string[]): Editor => {
    const editor = new Editor();
    editor.insert(text);
    for (const key of keys) bindings[key]?.(editor);
    return editor;
  };

  test.each([
    ["ctrl+a", "one two|", "|one two"],
    ["alt+b", "one two|", "one |two"],
    ["ctrl+left", "one, two|", "one, |two"],
    ["alt+f", "|one two", "one| two"],
    ["ctrl+w", "go to a/b-c |", "go to |"],
    ["alt+backspace", "go to a/b-c|", "go to a/b-|"],
    ["ctrl+k", "one| two", "one|"],
    ["ctrl+u", "one| two", "| two"],
    ["ctrl+d", "|日本", "|本"],
    ["backspace", "a👨‍👩‍👧|b", "a|b"],
    ["left", "ae\u0301|", "a|e\u0301"],
    ["home", "one\ntwo|", "one\n|two"],
    ["ctrl+k", "one|\ntwo", "one|two"],
  ])("%s makes of %j %j", (key, before, after) => {
    const editor = new Editor();
    editor.insert(before.replace("|", ""));
    while (editor.cursor > before.indexOf("|")) editor.left();
    bindings[key]?.(editor);
    expect(`${editor.text.slice(0, editor.cursor)}|${editor.text.slice(editor.cursor)}`).toBe(after);
  });

  test("what was killed comes back with Ctrl-Y", () => {
    expect(typed("one two", "ctrl+w", "ctrl+a", "ctrl+y").text).toBe("twoone ");
  });

  test("a long paste is one mark, which goes at once and is whole when it is sent", () => {
    const long = Array.from({ length: 20 }, (_, index) => `line ${index}`).join("\n");
    const editor = typed("see ");
    editor.paste(long);
    editor.insert(" end");
    expect(editor.fullText).toBe(`see ${long} end`);
    for (let times = 0; times < 5; times++) editor.backspace();
    expect(editor.fullText).toBe("see ");
  });

  test("a paste that was killed comes back as it was, whatever was pasted meanwhile", () => {
    const lines = (word: string): string => Array.from({ length: 20 }, (_, index) => `${word} ${index}`).join("\n");
    const editor = new Editor();
    editor.paste(lines("first"));
    bindings["ctrl+u"]?.(editor);
    editor.set("");
    editor.paste(lines("second"));
    bindings["ctrl+y"]?.(editor);
    expect(editor.fullText).toBe(lines("second") + lines("first"));
  });

  test("keeps its cursor between characters, and on the screen where it is drawn", () => {
    const action = fc.oneof(
      fc.record({ insert: wideText }),
      fc.record({ key: fc.constantFrom(...Object.keys(bindings)) }),
      fc.record({ paste: fc.constantFrom("x\ny", "a\r\n".repeat(12), "日".repeat(2_100)) }),
      fc.record({ vertical: fc.constantFrom("up" as const, "down" as const) }),
    );
    fc.assert(
      fc.property(
        fc.array(action, { maxLength: 30 }),
        fc.integer({ min: 4, max: 30 }),
        fc.integer({ min: 1, max: 6 }),
        (actions, columns, most) => {
          const editor = new Editor();
          for (const step of actions) {
            if ("insert" in step) editor.insert(step.insert);
            else if ("paste" in step) editor.paste(step.paste);
            else if ("key" in step) bindings[step.key]?.(editor);
            else editor[step.vertical]();
            const { rows, cursor } = layoutEditor(editor, columns, most);
            expect(rows.length).toBeLessThanOrEqual(most);
            for (const row of rows) expect(textWidth(row)).toBeLessThanOrEqual(columns);
            expect(cursor.row).toBeLessThan(rows.length);
            expect(cursor.column).toBeLessThanOrEqual(textWidth(rows[cursor.row] ?? ""));
            const boundaries = new Set([
              editor.text.length,
              ...Array.from(new Intl.Segmenter().segment(editor.text), ({ index }) => index),
            ]);
            expect(boundaries.has(editor.cursor)).toBe(true);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  test("is drawn without any character lost", () => {
    fc.assert(
      fc.property(wideText, fc.integer({ min: 4, max: 20 }), (text, columns) => {
        const editor = typed(text);
        expect(layoutEditor(editor, columns, 1_000).rows.join("")).toBe(text);
      }),
    );
  });
});

describe("wrapping", () => {
  test("never is wider than it may be, and loses nothing but spaces at the edge", () => {
    fc.assert(
      fc.property(wideText, fc.integer({ min: 2, max: 30 }), (text, columns) => {
        const rows = wrapLine(text, columns);
        for (const row of rows) expect(textWidth(row.text)).toBeLessThanOrEqual(columns);
        expect(
          rows
            .map((row) => row.text)
            .join("")
            .replaceAll(" ", ""),
        ).toBe(text.replaceAll(" ", ""));
        expect(rows.at(-1)?.end).toBe(text.length);
      }),
    );
  });

  test("goes on from where a row ends as if the line began there", () => {
    fc.assert(
      fc.property(wideText, fc.integer({ min: 2, max: 30 }), (text, columns) => {
        const [first, ...others] = wrapLine(text, columns);
        fc.pre(others.length > 0);
        expect(wrapLine(text.slice(first?.end), columns).map((row) => row.text)).toEqual(others.map((row) => row.text));
      }),
    );
  });

  test("breaks at spaces, keeps indentation, and cuts only words that are too long", () => {
    expect(wrapText("  one two three\n\nsupercalifragilistic", 8)).toEqual([
      "  one",
      "two",
      "three",
      "",
      "supercal",
      "ifragili",
      "stic",
    ]);
  });

  test("a text that is cut to fit says so", () => {
    expect(fit("日本語", 5)).toBe("日本…");
    expect(fit("日本", 4)).toBe("日本");
  });
});

describe("the history", () => {
  const path = (): string => historyPath({ HOME: temporaryFolder() });

  test("is kept in the state folder of the person, for nobody else to read", () => {
    const home = temporaryFolder();
    expect(historyPath({ HOME: home, XDG_STATE_HOME: join(home, "state") })).toBe(
      join(home, "state/agent-session/prompt-history.jsonl"),
    );
    const kept = path();
    new History(kept).add("secret");
    expect(statSync(kept).mode & 0o077).toBe(0);
  });

  test("skips what repeats, and what begins with a space", () => {
    const kept = path();
    const history = new History(kept);
    for (const prompt of ["one", "one", " hidden", "two"]) history.add(prompt);
    expect(readFileSync(kept, "utf8")).toBe('"one"\n"two"\n');
  });

  test("passes over lines that are damaged, and is cut when it grows", () => {
    const kept = path();
    mkdirSync(dirname(kept), { recursive: true });
    writeFileSync(kept, `{"torn\n${Array.from({ length: 2_500 }, (_, index) => `"prompt ${index}"\n`).join("")}`);
    expect(new History(kept).back("")).toBe("prompt 2499");
    expect(readFileSync(kept, "utf8").split("\n")).toHaveLength(1_001);
  });

  test("that cannot be written stops nothing", () => {
    const history = new History(join(temporaryFolder(), "nowhere\u0000"));
    history.add("one");
    expect(history.back("")).toBe("one");
  });
});
