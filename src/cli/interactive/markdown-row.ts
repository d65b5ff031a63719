import type { Styler } from "../style.ts";

/** What a line of Markdown is, as far as it shows. */
export type LineKind = "text" | "heading" | "fence" | "code";

/** @param inCode A fence before it is open. */
export function lineKind(line: string, inCode: boolean): LineKind {
  if (/^ {0,3}(?:`{3}|~{3})/.test(line)) return "fence";
  if (inCode) return "code";
  return /^#{1,6}(?: |$)/.test(line) ? "heading" : "text";
}

/** A row of such a line in colours. What it says stays as it is, signs included: it can be copied. */
export function styledRow(row: string, kind: LineKind, style: Styler): string {
  if (row === "") return row;
  if (kind === "fence") return style("dim", row);
  if (kind === "code") return style("cyan", row);
  if (kind === "heading") return style("bold", row);
  return row.replaceAll(/`[^`]+`|\*\*[^*]+\*\*/g, (found) => style(found.startsWith("`") ? "cyan" : "bold", found));
}
