import { textWidth, wrapText } from "./text-width.ts";

/** Where the second column of a table begins. */
const SECOND_COLUMN = /^\s*\S.*? {2,}(?=\S)/u;

/** A sign, and spaces. */
const INDENT = /^(?:[^\w\s] )? */u;

/** How far what does not fit beside its first column is indented below it. */
const BELOW = "    ";

/** Rows of a line. Those after the first are indented as far as it is, or as its second column is. */
export function hanging(line: string, columns: number): string[] {
  const table = SECOND_COLUMN.exec(line)?.[0] ?? "";
  if (table !== "" && textWidth(line) > columns && table.length > columns / 2) {
    return [...wrapText(table.trimEnd(), columns), ...indented(line.slice(table.length), BELOW, BELOW, columns)];
  }
  const lead = table === "" ? (INDENT.exec(line)?.[0] ?? "") : table;
  return indented(line.slice(lead.length), lead, " ".repeat(lead.length), columns);
}

function indented(text: string, first: string, others: string, columns: number): string[] {
  return wrapText(text, columns - textWidth(first)).map((row, index) => (index === 0 ? first : others) + row);
}
