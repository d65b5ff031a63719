import { basename } from "node:path";
import { BatchTracker } from "./batches.ts";
import { DiagnosticList } from "./diagnostic-list.ts";
import { isEntry, isHeader } from "./entry-shapes.ts";
import { LogError, NotASessionFileError } from "./errors.ts";
import { FORMAT_VERSION } from "./format.ts";
import { OldVersionReader } from "./old-versions.ts";
import { recoverRecords } from "./recover-records.ts";
import { TreeBuilder } from "./tree-builder.ts";
import type { Entry, LogDiagnostic, SessionHeader } from "./types.ts";

/** A file whose first lines hold neither header nor entry is none of ours: no more of it is read. */
const LINES_BEFORE_REFUSAL = 20;

export interface ReadEntries {
  header: SessionHeader;
  /** The version the file has. */
  version: number;
  entries: Entry[];
  byId: Map<string, Entry>;
  diagnostics: LogDiagnostic[];
}

/** Makes entries of the lines of a session file, and of whatever can be recovered from damaged ones. */
export class SessionReader {
  readonly #path: string;
  readonly #diagnostics = new DiagnosticList();
  readonly #batches = new BatchTracker();
  readonly #tree = new TreeBuilder(this.#diagnostics);
  #header: SessionHeader | undefined;
  #version = FORMAT_VERSION;
  #old: OldVersionReader | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws NotASessionFileError, LogError `version` */
  line(text: string, number: number): void {
    const value = parse(text);
    if ((value === undefined || !this.#record(value, number)) && text.trim() !== "")
      this.#damaged(text, number, value !== undefined);
  }

  /** The end of the file, where it is no whole line. True if it holds a record. */
  tail(text: string, number: number): boolean {
    const value = parse(text);
    if (value !== undefined && this.#record(value, number)) {
      this.#tell("torn_tail", number, "the last record has no line break behind it; the record is whole.");
      return true;
    }
    const found = this.#recover(text, number);
    const cut = `the last record was cut off while it was written (${Buffer.byteLength(text)} bytes); it is dropped.`;
    this.#tell("torn_tail", number, found > 0 ? `the end of the file is damaged; ${recovered(found)}` : cut);
    return found > 0;
  }

  /**
   * At the end of the file: takes back the entries at its end that were to be kept together with others, which were never written.
   *
   * @returns How many lines they are.
   */
  dropIncompleteBatch(lastLine: number): number {
    const batch = this.#batches.incomplete(lastLine);
    if (batch === undefined || !this.#tree.takeBack(batch.entries)) return 0;
    const { length } = batch.entries;
    const what = length === 1 ? "is one" : `and the ${length - 1} after it are ${length}`;
    this.#tell(
      "torn_tail",
      lastLine - length + 1,
      `the record ${what} of ${batch.of} that belong together, and the others were never written; dropped.`,
    );
    return length;
  }

  /** True if one of the entries read so far passes the test. */
  some(test: (entry: Entry) => boolean): boolean {
    return this.#tree.entries.some(test);
  }

  /** @throws NotASessionFileError */
  finish(): ReadEntries {
    const header = this.#header ?? this.#recoverHeader();
    return {
      header,
      version: this.#version,
      entries: this.#tree.entries,
      byId: this.#tree.byId,
      diagnostics: this.#diagnostics.toArray(),
    };
  }

  #record(value: unknown, number: number): boolean {
    if (this.#header === undefined && this.#tree.entries.length === 0 && isHeader(value)) {
      this.#takeHeader(value);
      return true;
    }
    const record =
      this.#old === undefined || typeof value !== "object" || value === null ? value : this.#old.convert(value, number);
    if (!isEntry(record)) return false;
    this.#batches.see(record, number);
    this.#tree.add(record, number);
    return true;
  }

  #takeHeader(found: Partial<SessionHeader> & Pick<SessionHeader, "type" | "id">): void {
    const version = typeof found.version === "number" ? found.version : 1;
    if (version > FORMAT_VERSION) {
      throw new LogError(
        "version",
        `${this.#path} has version ${version} of the session format; this program knows versions 1 to ${FORMAT_VERSION}. It was left as it is.`,
        { path: this.#path },
      );
    }
    this.#version = version;
    if (version < FORMAT_VERSION) this.#old = new OldVersionReader(version);
    this.#header = {
      ...found,
      version: FORMAT_VERSION,
      timestamp: found.timestamp ?? new Date(0).toISOString(),
      cwd: found.cwd ?? "",
    };
  }

  #damaged(text: string, number: number, isJson: boolean): void {
    const found = this.#recover(text, number);
    if (found > 0) {
      this.#tell("bad_line", number, `the line is damaged; ${recovered(found)}`);
      return;
    }
    const what = isJson ? "JSON, but no entry of a session" : "no JSON";
    this.#tell("bad_line", number, `the line (${text.length} characters) is ${what}; it is skipped.`);
    this.#tree.lose();
    if (this.#header === undefined && this.#tree.entries.length === 0 && number >= LINES_BEFORE_REFUSAL) throw this.#refusal();
  }

  #tell(kind: LogDiagnostic["kind"], line: number, what: string): void {
    this.#diagnostics.add(kind, `Line ${line}: ${what}`, line);
  }

  #recover(text: string, number: number): number {
    const records = recoverRecords(text, (value) => isHeader(value) || (this.#old?.accepts(value) ?? isEntry(value)));
    let found = 0;
    for (const record of records) if (this.#record(record, number)) found += 1;
    return found;
  }

  /** The header is lost, but there are entries: what it said is made up from them and from the name of the file. */
  #recoverHeader(): SessionHeader {
    const first = this.#tree.entries[0];
    if (first === undefined) throw this.#refusal();
    const name = basename(this.#path).replace(/\.jsonl$/, "");
    const id = name.slice(name.lastIndexOf("_") + 1);
    this.#tell("bad_line", 1, `the header is lost; the session goes on as "${id}".`);
    return { type: "session", version: FORMAT_VERSION, id, timestamp: first.timestamp, cwd: "" };
  }

  #refusal(): NotASessionFileError {
    return new NotASessionFileError(this.#path, "it has no session header and no entries");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function recovered(records: number): string {
  return records === 1 ? "one record was recovered from it." : `${records} records were recovered from it.`;
}
