import { openLog, repairSession } from "../../log/index.ts";
import type { SessionLog } from "../../log/index.ts";
import { oneLine } from "./describe.ts";

/**
 * Reads a whole session file, says what is in it and what is wrong with it, and mends it if asked to.
 *
 * @returns True if it is well, or is now.
 * @throws what `openLog` and `repairSession` throw
 */
export async function checkSession(stdout: (text: string) => void, path: string, repair: boolean): Promise<boolean> {
  const before = await openLog(path, { readOnly: true });
  stdout(report(before));
  if (isWell(before)) return true;
  if (!repair) {
    stdout("  --repair mends it.\n");
    return false;
  }
  const { backup, path: mended } = await repairSession(path);
  const after = await openLog(mended, { readOnly: true });
  const kept = backup === undefined ? "" : `; the damaged file is kept as ${backup}`;
  stdout(`  mended: ${mended}: ${count(after.entries.length, "entry", "entries")}${kept}\n`);
  return isWell(after);
}

function report(log: SessionLog): string {
  const { entries, projection, diagnostics, path } = log;
  const parents = new Set(entries.flatMap(({ parentId }) => (parentId === null ? [] : [parentId])));
  const counts = [
    count(entries.length, "entry", "entries"),
    count(entries.length - parents.size, "branch", "branches"),
    `${count(projection.items.length, "message", "messages")} in the context`,
  ];
  const lines = [`${path}: ${counts.join(", ")}; ${isWell(log) ? "no faults" : "faults:"}`];
  for (const { message } of diagnostics) lines.push(`  ${oneLine(message, 500)}`);
  return `${lines.join("\n")}\n`;
}

/** Entries of unknown types, and an older format, are no faults. */
function isWell(log: SessionLog): boolean {
  return log.diagnostics.every(({ kind }) => kind === "unknown_entry" || kind === "converted");
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
