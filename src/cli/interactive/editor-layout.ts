import type { Editor } from "./editor.ts";
import { clusters } from "./text-width.ts";

export interface Position {
  row: number;
  column: number;
}

export interface EditorLayout {
  /** What is typed, cut into rows at the width; only those around the cursor. */
  rows: string[];
  cursor: Position;
  /** Rows left out above and below. */
  above: number;
  below: number;
}

/** Rows of at most `columns` columns; the cursor may stand behind the last one of a row only where it moves to the next row. */
export function layoutEditor(editor: Editor, columns: number, mostRows: number): EditorLayout {
  const rows: string[] = [];
  let row = "";
  let width = 0;
  let offset = 0;
  let cursor: Position | undefined;
  const endRow = (): void => {
    rows.push(row);
    [row, width] = ["", 0];
  };
  for (const cluster of clusters(editor.text)) {
    if (cluster.text === "\n") {
      if (offset === editor.cursor) cursor = { row: rows.length, column: width };
      endRow();
    } else {
      const label = editor.labelOf(cluster.text);
      const shown = label === undefined ? (cluster.text === "\t" ? spaces : [cluster]) : clusters(label);
      if (label === undefined && width + widthOf(shown) > columns) endRow();
      if (offset === editor.cursor) cursor = { row: rows.length, column: width };
      for (const piece of shown) {
        if (width + piece.width > columns) endRow();
        row += piece.text;
        width += piece.width;
      }
    }
    offset += cluster.text.length;
  }
  if (width >= columns) endRow();
  cursor ??= { row: rows.length, column: width };
  endRow();
  return aroundCursor(rows, cursor, mostRows);
}

const spaces = clusters("    ");

function widthOf(pieces: readonly { width: number }[]): number {
  return pieces.reduce((sum, { width }) => sum + width, 0);
}

function aroundCursor(rows: string[], cursor: Position, mostRows: number): EditorLayout {
  const first = Math.max(0, Math.min(cursor.row - Math.floor(mostRows / 2), rows.length - mostRows));
  const shown = rows.slice(first, first + mostRows);
  return {
    rows: shown,
    cursor: { row: cursor.row - first, column: cursor.column },
    above: first,
    below: rows.length - first - shown.length,
  };
}
