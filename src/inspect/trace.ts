import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import type { Session } from "../session/session.ts";
import { record, type RecorderOptions } from "./recorder.ts";
import type { RecordOf, TraceRecord } from "./view/records.ts";

/** What was read as a trace is none. */
export class TraceError extends Error {
  override readonly name = "TraceError";
}

export interface Trace {
  session: RecordOf<"session">;
  /** Of the whole file, `session` first; the place of a record, from 1, is its line. */
  records: TraceRecord[];
  /** The last line was cut: the process died while it was written. */
  torn: boolean;
}

/**
 * Records a session as a trace: lines of JSON, the first says where it began. It holds what was said, so keep it as safe as the
 * session itself.
 *
 * @param sink Is given each line, with its line break.
 * @returns Ends the recording.
 */
export function recordTrace(session: Session, sink: (line: string) => void, options: RecorderOptions = {}): () => void {
  return record(session, (traced) => sink(`${JSON.stringify(traced)}\n`), options);
}

export interface TraceFile {
  readonly path: string;
  /** Ends the recording; resolves when all of it is in the file. @throws the error of the file system, if it had one */
  close(): Promise<void>;
}

/**
 * Records a session to a file that only its owner may read. A file of this name is replaced.
 *
 * @throws the error of the file system when the file cannot be opened.
 */
export async function traceToFile(session: Session, path: string, options: RecorderOptions = {}): Promise<TraceFile> {
  const stream = createWriteStream(path, { flags: "w", mode: 0o600 });
  const written = finished(stream);
  // A disk that fills up must not end the session: the error is told by close().
  written.catch(() => undefined);
  await new Promise<void>((resolve, reject) => {
    stream.once("open", () => resolve());
    stream.once("error", reject);
  });
  const stop = recordTrace(session, (line) => void (stream.writable && stream.write(line)), options);
  return {
    path,
    async close() {
      stop();
      stream.end();
      await written;
    },
  };
}

/** Reads a trace. A last line that was cut is left out. @throws TraceError */
export function readTrace(text: string): Trace {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  const records: TraceRecord[] = [];
  for (const [index, line] of lines.entries()) {
    const parsed = parseRecord(line);
    if (!parsed) throw new TraceError(`Line ${index + 1} is no record of a trace: ${JSON.stringify(line.slice(0, 80))}`);
    records.push(parsed);
  }
  const complete = last === "" ? undefined : parseRecord(last);
  if (complete) records.push(complete);
  const [session] = records;
  if (session?.kind !== "session") throw new TraceError(notATrace(lines[0] ?? last));
  if (session.version !== 1) {
    throw new TraceError(`This trace has version ${JSON.stringify(session.version)}; this program reads version 1. Update it.`);
  }
  return { session, records, torn: last !== "" && !complete };
}

function notATrace(firstLine: string): string {
  if (firstLine.includes('"type":"session"')) {
    return "This is the log of a session, not a trace. A trace is recorded with --trace FILE while the session runs.";
  }
  return "This is no trace: its first line does not say which session it is of. A trace is recorded with --trace FILE.";
}

const KINDS: ReadonlySet<unknown> = new Set<TraceRecord["kind"]>(["session", "entries", "step", "event", "delta", "end"]);

function parseRecord(line: string): TraceRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is TraceRecord {
  return (
    typeof value === "object" &&
    value !== null &&
    "kind" in value &&
    KINDS.has(value.kind) &&
    "t" in value &&
    typeof value.t === "number"
  );
}
