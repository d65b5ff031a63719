import { existsSync } from "node:fs";
import { resolve, sep } from "node:path";
import { listSessions } from "../../log/index.ts";
import type { SessionSummary } from "../../log/index.ts";

/** The session somebody means cannot be told. */
export class SessionNotFoundError extends Error {
  override readonly name = "SessionNotFoundError";
}

/**
 * The path of the session that is named by a path, or by its id or the beginning of it.
 *
 * @param directories Where to look for an id, the first one first; folders in them count.
 * @throws SessionNotFoundError when there is none, or more than one
 */
export function findSession(named: string, cwd: string, directories: readonly string[]): string {
  const path = resolve(cwd, named);
  if (existsSync(path)) return path;
  if (!named.includes(sep) && !named.endsWith(".jsonl")) {
    for (const directory of directories) {
      const matches = listSessions(directory, { recursive: true }).filter(({ id }) => id.startsWith(named));
      const exact = matches.find(({ id }) => id === named);
      const [first, second] = exact === undefined ? matches : [exact];
      if (second !== undefined) throw new SessionNotFoundError(ambiguous(named, matches));
      if (first !== undefined) return first.path;
    }
  }
  throw new SessionNotFoundError(
    `There is no session "${named}": neither a file of that name, nor an id that begins so in ${directories.join(" or ")}.`,
  );
}

function ambiguous(named: string, matches: readonly SessionSummary[]): string {
  return `More than one session has an id that begins with "${named}":\n${matches.map(({ id, path }) => `  ${id}  ${path}`).join("\n")}`;
}
