import { readFileSync } from "node:fs";
import { systemCode } from "./errors.ts";

/** States of a process that has ended but that nobody has asked about yet (zombie, dead). */
const ENDED_STATES = new Set(["Z", "X", "x"]);
/** Place of the start time behind the name of the process in `/proc/<pid>/stat` (field 22; the state, field 3, is the first). */
const START_FIELD = 19;

/**
 * When a process started, as text that is equal only for the same start on the same boot of the machine; undefined where the
 * system has no `/proc`, and for a process that has ended.
 */
export function processStart(pid: number): string | undefined {
  const fields = processFields(pid);
  const ticks = fields?.[START_FIELD];
  if (fields === undefined || ticks === undefined || ENDED_STATES.has(fields[0] ?? "")) return undefined;
  return `${readText("/proc/sys/kernel/random/boot_id")?.trim() ?? ""}/${ticks}`;
}

/** True if the process runs, and is the one that started then: process ids are used again. */
export function isProcessAlive(pid: number, started: string | undefined): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (systemCode(error) !== "EPERM") return false;
  }
  const fields = processFields(pid);
  if (fields === undefined) return true;
  if (ENDED_STATES.has(fields[0] ?? "")) return false;
  return started === undefined || started === processStart(pid);
}

function processFields(pid: number): string[] | undefined {
  const text = readText(`/proc/${pid}/stat`);
  // The name stands in parentheses and may hold anything, parentheses too.
  return text?.slice(text.lastIndexOf(")") + 2).split(" ");
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
