import type { Position } from "./editor-layout.ts";
import { textWidth } from "./text-width.ts";

const ESC = "\u001b[";

/** Terminals that know synchronised updates show all between the two at once; others pass over them. */
const BEGIN_UPDATE = `${ESC}?2026h`;
const END_UPDATE = `${ESC}?2026l`;
const HIDE_CURSOR = `${ESC}?25l`;
const SHOW_CURSOR = `${ESC}?25h`;
const CLEAR_TO_ROW_END = `${ESC}K`;
const CLEAR_BELOW = `${ESC}J`;

/** Without automatic wrapping a row that is wider than it was thought to be is cut, and does not shift what is below it. */
const NO_WRAP = `${ESC}?7l`;
const WRAP = `${ESC}?7h`;

/** Of a terminal, in characters. */
export interface Size {
  columns: number;
  rows: number;
}

/** What stands at the bottom of the screen until it is drawn anew. */
export interface Frame {
  /** Each narrower than the screen. */
  rows: readonly string[];
  cursor: Position;
}

/**
 * The bottom of the screen, redrawn in place, and what is finished above it, which scrolls away like any output. Only rows that
 * changed are written, all of a change in one write.
 */
export class LiveScreen {
  readonly #output: (text: string) => unknown;
  #drawn: readonly string[] = [];
  #cursor: Position = { row: 0, column: 0 };
  /** The size at which `drawn` was drawn. */
  #size: Size = { columns: 0, rows: 0 };

  /** @param output Writes to the terminal. */
  constructor(output: (text: string) => unknown) {
    this.#output = output;
  }

  /** @param finished Rows that from now on stand above the frame. */
  draw(frame: Frame, finished: readonly string[], size: Size): void {
    const pen = new Pen(this.#cursor);
    const resized = this.#size.columns !== size.columns || this.#size.rows !== size.rows;
    if (resized && this.#drawn.length > 0) this.#clearReflowed(pen, size.columns);
    this.#size = size;
    if (finished.length > 0) this.#drawn = finish(pen, this.#drawn, finished);
    drawChanges(pen, this.#drawn, frame.rows);
    const moved = frame.cursor.row !== pen.at.row || frame.cursor.column !== pen.at.column;
    if (pen.text !== "" || moved) {
      pen.place(frame.cursor);
      this.#write(pen.text);
    }
    this.#drawn = frame.rows;
    this.#cursor = frame.cursor;
  }

  /** Takes the frame away: the cursor stands where it began. */
  clear(): void {
    const pen = new Pen(this.#cursor);
    pen.moveTo({ row: 0, column: 0 });
    pen.write(CLEAR_BELOW);
    this.#write(pen.text);
    this.forget();
  }

  /** The whole screen is emptied; what was scrolled away stays. */
  clearAll(): void {
    this.#write(`${ESC}2J${ESC}H`);
    this.forget();
  }

  /** Nothing of ours is on the screen any more. */
  forget(): void {
    this.#drawn = [];
    this.#cursor = { row: 0, column: 0 };
  }

  #write(text: string): void {
    this.#output(`${BEGIN_UPDATE}${HIDE_CURSOR}${NO_WRAP}${text}${WRAP}${SHOW_CURSOR}${END_UPDATE}`);
  }

  /**
   * A narrower terminal has wrapped each row that does not fit any more, as most do: the frame is taller than it was drawn. What of it
   * has left a lower screen stays above; the rest goes.
   */
  #clearReflowed(pen: Pen, columns: number): void {
    const heightOf = (row: string): number => Math.max(1, Math.ceil(visibleWidth(row) / columns));
    const above = this.#drawn.slice(0, this.#cursor.row).reduce((sum, row) => sum + heightOf(row), 0);
    const within = Math.floor(this.#cursor.column / columns);
    pen.write(`\r${up(above + within)}${CLEAR_BELOW}`);
    pen.at = { row: 0, column: 0 };
    this.#drawn = [];
  }
}

/** Collects what is to be written, and knows where the cursor is. */
class Pen {
  text = "";
  at: Position;

  constructor(at: Position) {
    this.at = at;
  }

  write(text: string): void {
    this.text += text;
  }

  /** To a row that is on the screen. */
  moveTo({ row, column }: Position): void {
    if (row !== this.at.row || column !== this.at.column) this.place({ row, column });
  }

  /** As `moveTo`, also when it should be there already: a terminal may count the columns of a character differently. */
  place({ row, column }: Position): void {
    if (row < this.at.row) this.text += up(this.at.row - row);
    if (row > this.at.row) this.text += `${ESC}${row - this.at.row}B`;
    this.text += column === 0 ? "\r" : `\r${ESC}${column}C`;
    this.at = { row, column };
  }

  /** A row from its first column on; the cursor is behind it then. */
  row(text: string): void {
    this.text += text + CLEAR_TO_ROW_END;
    this.at = { ...this.at, column: visibleWidth(text) };
  }

  newLine(): void {
    this.text += "\r\n";
    this.at = { row: this.at.row + 1, column: 0 };
  }
}

/** Puts rows above the frame. @returns What of the frame is still drawn, below them */
function finish(pen: Pen, drawn: readonly string[], finished: readonly string[]): readonly string[] {
  // Streamed text is finished row by row: what stands at the top of the frame already only changes its owner.
  const same = finished.every((row, index) => drawn[index] === row) ? finished.length : 0;
  if (same > 0 && drawn.length > same) {
    pen.at = { ...pen.at, row: pen.at.row - same };
    return drawn.slice(same);
  }
  pen.moveTo({ row: 0, column: 0 });
  for (const row of finished) {
    pen.row(row);
    pen.newLine();
  }
  pen.at = { row: 0, column: 0 };
  return drawn.slice(finished.length);
}

function drawChanges(pen: Pen, drawn: readonly string[], rows: readonly string[]): void {
  for (const [index, row] of rows.entries()) {
    if (drawn[index] === row) continue;
    const bottom = Math.max(drawn.length, index) - 1;
    if (index > bottom) {
      if (index > 0) {
        pen.moveTo({ row: index - 1, column: 0 });
        pen.newLine();
      } else pen.moveTo({ row: 0, column: 0 });
    } else pen.moveTo({ row: index, column: 0 });
    pen.row(row);
  }
  if (drawn.length > rows.length) {
    pen.moveTo({ row: rows.length, column: 0 });
    pen.write(CLEAR_BELOW);
  }
}

function up(rows: number): string {
  return rows === 0 ? "" : `${ESC}${rows}A`;
}

/** Columns of a row, its colours aside. */
function visibleWidth(row: string): number {
  return textWidth(row);
}
