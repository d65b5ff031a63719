import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionLog } from "../log/index.ts";

/**
 * Keeps tool results that are too long for the context, beside the session file: `<file>.results/<number>.txt`, readable by the
 * owner alone. A log in memory has no place for them.
 *
 * @returns What writes a text and says where; undefined for a text that could not be written, which then is only shortened.
 */
export function fullResultsOf(log: SessionLog): ((text: string) => string | undefined) | undefined {
  const { path } = log;
  if (path === undefined) return undefined;
  const directory = `${path}.results`;
  return (text) => {
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      // The number of entries only grows, so that a name is never used twice, not even by a later process.
      for (let number = log.entries.length; ; number++) {
        const file = join(directory, `${number}.txt`);
        if (written(file, text)) return file;
      }
    } catch {
      return undefined;
    }
  };
}

function written(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}
