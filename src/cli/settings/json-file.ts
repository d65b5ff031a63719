import { readFileSync } from "node:fs";
import { UsageError } from "../usage-error.ts";
import { jsonPositions } from "./json-positions.ts";
import { isObject, type Layer } from "./layer.ts";

/**
 * Reads a settings file.
 *
 * @returns undefined when there is none.
 * @throws UsageError with file and line when it is no JSON object, or has a key twice.
 */
export function readSettingsFile(path: string): Layer | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  const values = parsed(path, text);
  if (!isObject(values)) throw new UsageError(`${path}:1: a settings file holds one JSON object, { … }.`);
  const { lines, duplicates } = jsonPositions(text);
  for (const { pointer, line } of duplicates) {
    throw new UsageError(`${path}:${line}: ${pointer.slice(1).replaceAll("/", ".")} stands there twice. Take one of them out.`);
  }
  return { values, placeOf: (pointer) => `${path}:${lineOf(lines, pointer)}` };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return undefined;
    throw new UsageError(`The settings file ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const position = /at position (\d+)/.exec(message)?.[1];
    // At an unexpected end the message has no position.
    const before = text.slice(0, position === undefined ? text.length : Number(position));
    const reason = message.replace(/ \(line .*|, "[\s\S]*| at position \d+.*/, "");
    throw new UsageError(
      `${path}:${before.split("\n").length}: this is no JSON: ${reason}. Comments and trailing commas are not JSON either.`,
    );
  }
}

/** The line of what the pointer names, or of what it would be in. */
function lineOf(lines: ReadonlyMap<string, number>, pointer: string): number {
  for (let at = pointer; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    const line = lines.get(at);
    if (line !== undefined) return line;
  }
  return 1;
}
