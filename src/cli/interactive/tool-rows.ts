import type { ToolResult } from "../../agent/types.ts";
import { durationText } from "../../errors/index.ts";
import { contentText, oneLine, printable } from "../sessions/describe.ts";
import type { Look } from "./look.ts";
import { fit, withoutTabs } from "./text-width.ts";

/** A call that runs. */
export interface RunningTool {
  name: string;
  args: Record<string, unknown>;
  startedAt: number;
  /** The last line of its progress. */
  progress: string;
}

/** Rows of a result that are shown. */
const RESULT_ROWS = 4;

const ARGUMENT_CHARACTERS = 400;

/** `name {arguments}`, in one row. */
export function callText(name: string, args: Record<string, unknown>): string {
  const json = JSON.stringify(args);
  return `${oneLine(name)}${json === "{}" ? "" : ` ${oneLine(json, ARGUMENT_CHARACTERS)}`}`;
}

export function runningRows(tool: RunningTool, look: Look, turn: string, now: number, columns: number): string[] {
  const seconds = ` ${Math.floor((now - tool.startedAt) / 1000)} s`;
  const call = fit(callText(tool.name, tool.args), columns - 2 - seconds.length, look.signs.ellipsis);
  const rows = [`${look.style("cyan", turn)} ${call}${look.style("dim", seconds)}`];
  if (tool.progress !== "")
    rows.push(look.style("dim", `  ${look.signs.result} ${fit(tool.progress, columns - 4, look.signs.ellipsis)}`));
  return rows;
}

/** A call that is over: its arguments, how long it took, and the beginning of what it gave. */
export function finishedRows(
  tool: Pick<RunningTool, "name" | "args">,
  end: { result: ToolResult; isError: boolean; durationMs?: number },
  look: Look,
  columns: number,
): string[] {
  const { style, signs } = look;
  const took = end.durationMs === undefined ? "" : ` ${durationText(Math.round(end.durationMs))}`;
  const outcome = `${end.isError ? " failed" : ""}${took}`;
  const call = fit(callText(tool.name, tool.args), columns - 2 - outcome.length, signs.ellipsis);
  const sign = end.isError ? style("red", signs.failed) : style("green", signs.ok);
  return [`${sign} ${call}${style(end.isError ? "red" : "dim", outcome)}`, ...resultRows(end.result, look, columns)];
}

export function lastLine({ content }: ToolResult): string {
  return oneLine(contentText(content).trimEnd().split("\n").at(-1) ?? "", ARGUMENT_CHARACTERS);
}

function resultRows({ content }: ToolResult, { style, signs }: Look, columns: number): string[] {
  const lines = withoutTabs(printable(contentText(content)))
    .trimEnd()
    .split("\n");
  if (lines.length === 1 && lines[0] === "") return [];
  const shown = lines.length > RESULT_ROWS + 1 ? lines.slice(0, RESULT_ROWS) : lines;
  const rows = shown.map((line, index) => `  ${index === 0 ? signs.result : " "} ${fit(line, columns - 4, signs.ellipsis)}`);
  if (shown.length < lines.length) rows.push(`    ${signs.ellipsis} ${lines.length - shown.length} more lines`);
  return rows.map((row) => style("dim", row.trimEnd()));
}
