/** Private characters that stand for pastes: plane 16 is nobody's script. */
const FIRST_MARK = 0x10_0000;
const MARKS = /[\u{100000}-\u{10fffd}]/gu;

/** Long pastes, each of which is one character in the text that is typed. */
export class PasteMarks {
  readonly #pastes: string[] = [];

  /** @returns The character that stands for it */
  add(paste: string): string {
    this.#pastes.push(paste);
    return String.fromCodePoint(FIRST_MARK + this.#pastes.length - 1);
  }

  clear(): void {
    this.#pastes.length = 0;
  }

  /** The text with all pastes in full. */
  expand(text: string): string {
    return text.replaceAll(MARKS, (mark) => this.#pasteOf(mark) ?? "");
  }

  /** What a mark is shown as; undefined for any other character. */
  labelOf(character: string): string | undefined {
    const paste = this.#pasteOf(character);
    return paste === undefined ? undefined : `[pasted ${paste.split("\n").length} lines, ${paste.length} characters]`;
  }

  #pasteOf(character: string): string | undefined {
    return this.#pastes[(character.codePointAt(0) ?? 0) - FIRST_MARK];
  }
}

/** The text without characters that are marks here. */
export function withoutMarks(text: string): string {
  return text.replaceAll(MARKS, "");
}
