import stringWidth from "string-width";

/** What a person sees as one character. */
export interface Cluster {
  text: string;
  /** Terminal columns: 0, 1 or 2. */
  width: number;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Columns the text takes in a terminal; it must not hold escape sequences. */
export function textWidth(text: string): number {
  return stringWidth(text);
}

export function clusters(text: string): Cluster[] {
  if (/^[ -~]*$/.test(text)) return Array.from(text, (character) => ({ text: character, width: 1 }));
  return Array.from(segmenter.segment(text), ({ segment }) => ({ text: segment, width: stringWidth(segment) }));
}

/** The text in at most so many columns; what is cut is told by an ellipsis. */
export function fit(text: string, columns: number, ellipsis = "…"): string {
  if (textWidth(text) <= columns) return text;
  const room = columns - textWidth(ellipsis);
  if (room < 0) return "";
  let width = 0;
  let kept = "";
  for (const cluster of clusters(text)) {
    width += cluster.width;
    if (width > room) break;
    kept += cluster.text;
  }
  return kept + ellipsis;
}

/** A row of a wrapped line. */
export interface Row {
  text: string;
  /** Where in the line the next row begins. */
  end: number;
}

/** A line cut into rows of at most so many columns, at spaces where there are any. A line without text is one empty row. */
export function wrapLine(line: string, columns: number): Row[] {
  const rows: Row[] = [];
  let row = "";
  let width = 0;
  let offset = 0;
  const endRow = (): void => {
    rows.push({ text: row, end: offset });
    [row, width] = ["", 0];
  };
  const add = (text: string, columnsOfText: number): void => {
    row += text;
    width += columnsOfText;
    offset += text.length;
  };
  for (const word of words(line)) {
    if (width + word.width <= columns) {
      add(word.text, word.width);
    } else if (word.isSpace) {
      // Spaces at the end of a row are left out, as if they stood beyond its edge.
      offset += word.text.length;
      endRow();
    } else {
      row = row.trimEnd();
      if (row !== "") endRow();
      for (const cluster of clusters(word.text)) {
        if (width + cluster.width > columns && row !== "") endRow();
        add(cluster.text, cluster.width);
      }
    }
  }
  if (row !== "" || rows.length === 0) endRow();
  return rows;
}

/** Lines cut into rows; tabs become spaces, for their width depends on where they stand. */
export function wrapText(text: string, columns: number): string[] {
  return withoutTabs(text)
    .split("\n")
    .flatMap((line) => wrapLine(line, columns).map((row) => row.text));
}

export function withoutTabs(text: string): string {
  return text.replaceAll("\t", "    ");
}

interface Word {
  text: string;
  width: number;
  isSpace: boolean;
}

/** Words and the spaces between them. Ideographs may be parted anywhere: each is a word. */
function words(line: string): Word[] {
  return (line.match(/ +|[^ \u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]+|./gu) ?? []).map((text) => ({
    text,
    width: textWidth(text),
    isSpace: text.startsWith(" "),
  }));
}
