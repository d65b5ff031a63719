import { copyFileSync, existsSync, linkSync } from "node:fs";
import { openLog } from "./file-log.ts";
import { realFileSystem } from "./file-system.ts";
import { syncDirectory, writeNewFile } from "./new-file.ts";
import type { LogDiagnostic, SessionLog } from "./types.ts";

export interface RepairReport {
  /** The mended file: another one than was named if that was of an older format. */
  path: string;
  /** What was wrong. */
  diagnostics: readonly LogDiagnostic[];
  /** Where the damaged file is kept, when the repair had to write the session anew. */
  backup?: string;
}

/** What stays in a file although the log that reads it knows better. Opening mends all else. */
const NEEDS_REWRITE: ReadonlySet<LogDiagnostic["kind"]> = new Set(["bad_line", "reattached", "missing_parent", "duplicate_id"]);

/**
 * Mends a session file for good, so that other programs read it whole too. The end is mended in place, as each opening does.
 * For damage in the middle, what the log makes of the file is written into a new one in its place; the damaged file is kept
 * beside it as `<path>.damaged`.
 *
 * @throws what `openLog` throws, and the system's error when the new file cannot be written
 */
export async function repairSession(path: string): Promise<RepairReport> {
  const log = await openLog(path);
  const report = { path: log.path ?? path, diagnostics: log.diagnostics };
  if (!log.diagnostics.some(({ kind }) => NEEDS_REWRITE.has(kind))) {
    await log.close();
    return report;
  }
  const backup = freePath(`${report.path}.damaged`);
  try {
    writeAnew(report.path, log, backup);
  } finally {
    // It may complain that its file was deleted: where links are not to be had, the backup is a copy.
    await log.close().catch(() => {});
  }
  return { ...report, backup };
}

/** The log's lock is held meanwhile. */
function writeAnew(path: string, { header, entries }: SessionLog, backup: string): void {
  const lines = [header, ...entries].map((record) => `${JSON.stringify(record)}\n`);
  const { descriptor } = writeNewFile(realFileSystem, path, lines, { sync: true, beforeNaming: () => keepUnder(path, backup) });
  realFileSystem.closeSync(descriptor);
  syncDirectory(realFileSystem, path);
}

/** Gives the file a second name; the first one never is without a file. */
function keepUnder(path: string, backup: string): void {
  try {
    linkSync(path, backup);
  } catch {
    copyFileSync(path, backup);
  }
}

function freePath(path: string): string {
  let free = path;
  for (let number = 2; existsSync(free); number += 1) free = `${path}.${number}`;
  return free;
}
