import { readFile } from "node:fs/promises";
import { readTrace, TraceError, type Trace } from "../inspect/trace.ts";

/** Where a command that looks at sessions writes, and what ends it. */
export interface ObservationIo {
  stdout: (text: string) => void;
  stderr: (text: string) => void;
  /** Ends a command that serves until it is told to stop. */
  signal: AbortSignal;
}

/** What a person can mend: an argument, or a file. */
export class ObservationError extends Error {
  override readonly name = "ObservationError";
}

/** @throws ObservationError when there is no such file, or it is no trace. */
export async function openTrace(path: string): Promise<Trace> {
  try {
    return readTrace(await readFile(path, "utf8"));
  } catch (error) {
    if (error instanceof TraceError) throw new ObservationError(`${path}: ${error.message}`);
    if (error instanceof Error && "code" in error) throw new ObservationError(`${path} cannot be read: ${String(error.code)}.`);
    throw error;
  }
}

/** What a person did wrong, told in words; undefined for a fault of the program. */
export function observationProblem(error: unknown): string | undefined {
  if (error instanceof ObservationError) return error.message;
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  if (error.code === "EADDRINUSE") return "This port is in use; without --port any free one is taken.";
  return String(error.code).startsWith("ERR_PARSE_ARGS") ? error.message : undefined;
}
