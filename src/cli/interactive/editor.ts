import { PasteMarks, withoutMarks } from "./paste-marks.ts";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Clusters are found by looking so far around the cursor: no character a person types is longer. */
const REACH = 64;

/** A paste of more lines is shown as one mark. */
const LINES_SHOWN = 8;
const CHARACTERS_SHOWN = 2_000;

/** A longer text is a mark also when it comes out of the history. */
const CHARACTERS_EDITED = 20_000;

/** The text being typed, and the cursor in it. Long pastes are in it as one character each. */
export class Editor {
  #text = "";
  #cursor = 0;
  #killed = "";
  readonly #pastes = new PasteMarks();

  /** As shown: a long paste is a mark, which `labelOf` names. */
  get text(): string {
    return this.#text;
  }

  /** Offset into `text`. */
  get cursor(): number {
    return this.#cursor;
  }

  get isEmpty(): boolean {
    return this.#text === "";
  }

  /** The whole text, pastes in full. */
  get fullText(): string {
    return this.#pastes.expand(this.#text);
  }

  /** What a mark is shown as; undefined for any other character. */
  labelOf(character: string): string | undefined {
    return this.#pastes.labelOf(character);
  }

  set(text: string): void {
    this.#text = "";
    this.#cursor = 0;
    this.#pastes.clear();
    if (text.length > CHARACTERS_EDITED) this.paste(text);
    else this.insert(text);
  }

  insert(text: string): void {
    this.#insert(clean(text));
  }

  /** A paste: line ends become `\n`, what would steer a terminal is dropped. */
  paste(text: string): void {
    const pasted = clean(text.replaceAll(/\r\n?/g, "\n"));
    const long = pasted.length > CHARACTERS_SHOWN || pasted.split("\n").length > LINES_SHOWN;
    this.#insert(long ? this.#pastes.add(pasted) : pasted);
  }

  /** Takes a backslash before the cursor as "go on in a new line". False when there is none. */
  continueLine(): boolean {
    if (this.#text[this.#cursor - 1] !== "\\") return false;
    this.#replace(this.#cursor - 1, this.#cursor, "\n");
    return true;
  }

  left(): void {
    this.#cursor = this.#before(this.#cursor);
  }

  right(): void {
    this.#cursor = this.#after(this.#cursor);
  }

  wordLeft(): void {
    this.#cursor = this.#wordStart(isLetter);
  }

  wordRight(): void {
    this.#cursor = this.#wordEnd();
  }

  lineStart(): void {
    this.#cursor = this.#lineStart(this.#cursor);
  }

  lineEnd(): void {
    this.#cursor = this.#lineEnd(this.#cursor);
  }

  /** To the same column of the line above. False when there is none. */
  up(): boolean {
    const start = this.#lineStart(this.#cursor);
    if (start === 0) return false;
    this.#moveTo(this.#lineStart(start - 1), start - 1, this.#cursor - start);
    return true;
  }

  /** To the same column of the line below. False when there is none. */
  down(): boolean {
    const start = this.#lineStart(this.#cursor);
    const end = this.#lineEnd(this.#cursor);
    if (end === this.#text.length) return false;
    this.#moveTo(end + 1, this.#lineEnd(end + 1), this.#cursor - start);
    return true;
  }

  backspace(): void {
    this.#replace(this.#before(this.#cursor), this.#cursor, "");
  }

  delete(): void {
    this.#replace(this.#cursor, this.#after(this.#cursor), "");
  }

  killToLineEnd(): void {
    const end = this.#lineEnd(this.#cursor);
    this.#kill(this.#cursor, end === this.#cursor ? this.#after(end) : end);
  }

  killToLineStart(): void {
    const start = this.#lineStart(this.#cursor);
    this.#kill(start === this.#cursor ? this.#before(start) : start, this.#cursor);
  }

  /** To the space before (Ctrl-W of a shell). */
  killArgument(): void {
    this.#kill(this.#wordStart(isNoSpace), this.#cursor);
  }

  killWordLeft(): void {
    this.#kill(this.#wordStart(isLetter), this.#cursor);
  }

  killWordRight(): void {
    this.#kill(this.#cursor, this.#wordEnd());
  }

  /** Puts back what was killed last. */
  yank(): void {
    this.paste(this.#killed);
  }

  #insert(text: string): void {
    this.#replace(this.#cursor, this.#cursor, text);
  }

  #replace(from: number, to: number, by: string): void {
    this.#text = this.#text.slice(0, from) + by + this.#text.slice(to);
    this.#cursor = from + by.length;
  }

  #kill(from: number, to: number): void {
    if (from === to) return;
    // In full: a mark says nothing once the line it was in is gone.
    this.#killed = this.#pastes.expand(this.#text.slice(from, to));
    this.#replace(from, to, "");
  }

  #before(offset: number): number {
    const near = this.#text.slice(Math.max(0, offset - REACH), offset);
    return offset - (Array.from(segmenter.segment(near)).at(-1)?.segment.length ?? 0);
  }

  #after(offset: number): number {
    const [next] = segmenter.segment(this.#text.slice(offset, offset + REACH));
    return offset + (next?.segment.length ?? 0);
  }

  #lineStart(offset: number): number {
    return offset === 0 ? 0 : this.#text.lastIndexOf("\n", offset - 1) + 1;
  }

  #lineEnd(offset: number): number {
    const end = this.#text.indexOf("\n", offset);
    return end === -1 ? this.#text.length : end;
  }

  #wordStart(isWord: (character: string) => boolean): number {
    let offset = this.#cursor;
    let inWord = false;
    while (offset > 0) {
      const before = this.#before(offset);
      const word = isWord(this.#text.slice(before, offset));
      if (inWord && !word) break;
      inWord = word;
      offset = before;
    }
    return offset;
  }

  #wordEnd(): number {
    let offset = this.#cursor;
    let inWord = false;
    while (offset < this.#text.length) {
      const after = this.#after(offset);
      const word = isLetter(this.#text.slice(offset, after));
      if (inWord && !word) break;
      inWord = word;
      offset = after;
    }
    return offset;
  }

  /** To so many code units into the line, or to its end; never into the middle of a character. */
  #moveTo(start: number, end: number, column: number): void {
    let offset = start;
    for (const { segment } of segmenter.segment(this.#text.slice(start, end))) {
      if (offset + segment.length - start > column) break;
      offset += segment.length;
    }
    this.#cursor = offset;
  }
}

function isLetter(character: string): boolean {
  return /^[\p{L}\p{N}_]/u.test(character);
}

function isNoSpace(character: string): boolean {
  return !/^\s/u.test(character);
}

/** Without control characters but line breaks and tabs, and without characters that are marks here. */
function clean(text: string): string {
  return withoutMarks(text.replaceAll(/[^\P{Cc}\n\t]/gu, ""));
}
