import type { AssistantContent, ModelEvent } from "../../model/types.ts";
import { printable } from "../sessions/describe.ts";
import type { Look } from "./look.ts";
import { lineKind, styledRow, type LineKind } from "./markdown-row.ts";
import { withoutTabs, wrapLine, type Row } from "./text-width.ts";

interface Piece {
  kind: "text" | "thinking";
  /** What of it is not finished yet. */
  text: string;
  /** It begins a paragraph of its own: a blank row stands before it. */
  fresh: boolean;
  /** It begins inside of a code block. */
  inCode: boolean;
  /** What the line is whose rest it begins with; undefined when it begins with a whole line. */
  restOf: LineKind | undefined;
}

function newPiece(kind: Piece["kind"], text: string): Piece {
  return { kind, text, fresh: true, inCode: false, restOf: undefined };
}

/**
 * The answer that streams: its last rows can still be taken back, so they stand in the part of the screen that is drawn anew. What
 * no longer fits there is finished row by row.
 */
export class StreamedAnswer {
  readonly #look: Look;
  #pieces: Piece[] = [];
  #finishedRows = 0;

  constructor(look: Look) {
    this.#look = look;
  }

  /** Some of it stands on the screen, or did. */
  get begun(): boolean {
    return this.#finishedRows > 0 || this.#pieces.some(({ text }) => text !== "");
  }

  /** Some of it has scrolled away, and cannot be taken back. */
  get scrolled(): boolean {
    return this.#finishedRows > 0;
  }

  /** A reply begins; one that goes on with another brings along what that one had. */
  begin(content: readonly AssistantContent[]): void {
    for (const block of content) {
      if (block.type === "text") this.#pieces.push(newPiece("text", shown(block.text)));
      if (block.type === "thinking") this.#pieces.push(newPiece("thinking", shown(block.thinking)));
    }
  }

  handle(event: ModelEvent): void {
    if (event.type === "text_start" || event.type === "thinking_start") {
      this.#pieces.push(newPiece(event.type === "text_start" ? "text" : "thinking", ""));
    } else if (event.type === "text_delta" || event.type === "thinking_delta") {
      const last = this.#pieces.at(-1);
      if (last) last.text += shown(event.delta);
    }
  }

  /** What is not finished, at this width. */
  rows(columns: number): string[] {
    return this.#pieces.flatMap((piece) => this.#rowsOf(piece, columns));
  }

  /**
   * Finishes what does not fit into so many rows, oldest first. With less than one row left a line that still grows is cut.
   *
   * @returns Its rows
   */
  overflow(columns: number, mostRows: number): string[] {
    const finished: string[] = [];
    let left = this.rows(columns).length;
    while (left > mostRows) {
      const rows = this.#takeRow(columns);
      finished.push(...rows);
      left -= rows.length;
    }
    this.#finishedRows += finished.length;
    return finished;
  }

  /** Finishes all of it. @returns Its last rows */
  finish(columns: number): string[] {
    const rows = this.rows(columns);
    this.clear();
    return rows;
  }

  clear(): void {
    this.#pieces = [];
    this.#finishedRows = 0;
  }

  #rowsOf(piece: Piece, columns: number): string[] {
    const text = visible(piece);
    if (text === "") return [];
    let { inCode, restOf } = piece;
    const rows = text.split("\n").flatMap((line) => {
      const kind = restOf ?? lineKind(line, inCode);
      restOf = undefined;
      if (kind === "fence") inCode = !inCode;
      return this.#wrap(piece, line, columns).map((row) => this.#styled(piece, row.text, kind));
    });
    return piece.fresh ? ["", ...rows] : rows;
  }

  /** Takes the first row off the first piece. */
  #takeRow(columns: number): string[] {
    const [piece] = this.#pieces;
    if (!piece) return [];
    if (visible(piece) === "") {
      this.#pieces.shift();
      return this.#takeRow(columns);
    }
    if (piece.fresh) {
      piece.text = piece.text.replace(BLANK_LINES, "");
      piece.fresh = false;
      return [""];
    }
    const newline = piece.text.indexOf("\n");
    const line = newline === -1 ? piece.text : piece.text.slice(0, newline);
    const kind = piece.restOf ?? lineKind(line, piece.inCode);
    const [row, ...others] = this.#wrap(piece, line, columns);
    if (others.length > 0) {
      piece.text = piece.text.slice(row?.end);
      piece.restOf = kind;
    } else {
      piece.text = piece.text.slice(line.length + 1);
      piece.restOf = undefined;
      if (kind === "fence") piece.inCode = !piece.inCode;
    }
    if (piece.text === "" && this.#pieces.length > 1) this.#pieces.shift();
    return [this.#styled(piece, row?.text ?? "", kind)];
  }

  #wrap({ kind }: Piece, line: string, columns: number): Row[] {
    return wrapLine(line, kind === "thinking" ? columns - 2 : columns);
  }

  #styled({ kind }: Piece, row: string, line: LineKind): string {
    const { style, signs } = this.#look;
    return kind === "text" ? styledRow(row.trimEnd(), line, style) : style("dim", `${signs.thinking} ${row}`.trimEnd());
  }
}

function shown(text: string): string {
  return withoutTabs(printable(text));
}

/** Blank lines at the beginning are left out, and those at the end as long as nothing follows them. */
function visible({ text, fresh }: Piece): string {
  const trimmed = text.trimEnd();
  return fresh ? trimmed.replace(BLANK_LINES, "") : trimmed;
}

const BLANK_LINES = /^(?:[^\S\n]*\n)+/;
