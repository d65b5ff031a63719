import { readSync } from "node:fs";
import { isEntry } from "./entry-shapes.ts";

/** How an entry with the session's name begins; inside another record it could not follow a line break. */
const START = '\n{"type":"session_info"';
const BLOCK_BYTES = 1 << 20;
const MOST_LINE_BYTES = 1 << 16;

/** The latest name in an open session file, found from its end backwards without parsing the rest. */
export function latestName(descriptor: number, size: number): string | undefined {
  const block = Buffer.alloc(BLOCK_BYTES + START.length);
  for (let end = size; end > 0; end -= BLOCK_BYTES) {
    // The blocks overlap, so that no start is cut in two.
    const from = Math.max(0, end - BLOCK_BYTES);
    const count = readSync(descriptor, block, 0, Math.min(end - from + START.length, size - from), from);
    for (let at = count; (at = block.subarray(0, at).lastIndexOf(START)) >= 0;) {
      const entry = parseEntry(lineAt(descriptor, from + at + 1));
      if (entry !== undefined) return entry.name || undefined;
    }
  }
  return undefined;
}

function lineAt(descriptor: number, position: number): string {
  const buffer = Buffer.alloc(MOST_LINE_BYTES);
  const count = readSync(descriptor, buffer, 0, buffer.length, position);
  const text = buffer.toString("utf8", 0, count);
  return text.slice(0, text.indexOf("\n"));
}

function parseEntry(line: string): { name?: string } | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isEntry(value) && value.type === "session_info" ? value : undefined;
  } catch {
    return undefined;
  }
}
