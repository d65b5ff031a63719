import { basename } from "node:path";
import { DiagnosticList } from "./diagnostic-list.ts";
import { isEntry, isHeader, isKnownType } from "./entry-shapes.ts";
import { LogError, NotASessionFileError } from "./errors.ts";
import { FORMAT_VERSION } from "./format.ts";
import { LostParents } from "./lost-parents.ts";
import { OldVersionReader } from "./old-versions.ts";
import { recoverRecords } from "./recover-records.ts";
import type { Entry, LogDiagnostic, SessionHeader } from "./types.ts";

/** A file whose first lines hold neither header nor entry is none of ours: no more of it is read. */
const LINES_BEFORE_REFUSAL = 20;

/** Entry types of other programs that are known to mean nothing to the model. */
const SILENT_TYPES = new Set(["usage"]);

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
  readonly #entries: Entry[] = [];
  readonly #byId = new Map<string, Entry>();
  readonly #diagnostics = new DiagnosticList();
  readonly #lostParents = new LostParents();
  readonly #unknownTypes = new Set<string>();
  /** The ids that entries whose own id was taken were given. */
  readonly #renamed = new Map<string, string>();
  #header: SessionHeader | undefined;
  #version = FORMAT_VERSION;
  #old: OldVersionReader | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** @returns How many records the line gave. @throws NotASessionFileError, LogError `version` */
  line(text: string, number: number): number {
    const value = parse(text);
    if (value !== undefined && this.#record(value, number)) return 1;
    if (text.trim() === "") return 0;
    return this.#damaged(text, number, value !== undefined);
  }

  /** The end of the file, where it is no whole line. True if it holds a record. */
  tail(text: string, number: number): boolean {
    const value = parse(text);
    if (value !== undefined && this.#record(value, number)) {
      this.#diagnostics.add(
        "torn_tail",
        `Line ${number}: the last record has no line break behind it; the record is whole.`,
        number,
      );
      return true;
    }
    const found = this.#recover(text, number);
    const bytes = Buffer.byteLength(text);
    if (found > 0) {
      this.#diagnostics.add(
        "torn_tail",
        `Line ${number}: the end of the file is damaged; ${count(found, "record")} recovered from it.`,
        number,
      );
    } else {
      this.#diagnostics.add(
        "torn_tail",
        `Line ${number}: the last record was cut off while it was written (${bytes} bytes); it is dropped.`,
        number,
      );
    }
    return found > 0;
  }

  /** True if one of the entries read so far passes the test. */
  some(test: (entry: Entry) => boolean): boolean {
    return this.#entries.some(test);
  }

  /** @throws NotASessionFileError */
  finish(): ReadEntries {
    const header = this.#header ?? this.#recoverHeader();
    return {
      header,
      version: this.#version,
      entries: this.#entries,
      byId: this.#byId,
      diagnostics: this.#diagnostics.toArray(),
    };
  }

  #record(value: unknown, number: number): boolean {
    if (this.#header === undefined && this.#entries.length === 0 && isHeader(value)) {
      this.#takeHeader(value);
      return true;
    }
    const record =
      this.#old === undefined || typeof value !== "object" || value === null ? value : this.#old.convert(value, number);
    if (!isEntry(record)) return false;
    this.#add(record, number);
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

  #add(entry: Entry, number: number): void {
    const earlier = this.#byId.get(entry.id);
    if (earlier !== undefined && !this.#takeDuplicate(entry, earlier, number)) return;
    if (entry.parentId !== null) this.#attach(entry, entry.parentId, number);
    if (entry.type === "compaction") {
      entry.firstKeptEntryId = this.#lostParents.childOf(entry.firstKeptEntryId) ?? entry.firstKeptEntryId;
    }
    if (!isKnownType(entry.type)) this.#noteUnknown(entry, number);
    this.#entries.push(entry);
    this.#byId.set(entry.id, entry);
  }

  #attach(entry: Entry, parentId: string, number: number): void {
    const known = this.#renamed.get(parentId) ?? parentId;
    if (this.#byId.has(known)) {
      entry.parentId = known;
      return;
    }
    const { attachTo, afterLoss } = this.#lostParents.adopt(parentId, entry.id, this.#entries.at(-1)?.id ?? null);
    entry.parentId = attachTo;
    const place = attachTo === null ? "it is a root now" : `it is attached to the entry before, "${attachTo}"`;
    this.#diagnostics.add(
      afterLoss ? "reattached" : "missing_parent",
      `Line ${number}: the parent "${parentId}" of the entry "${entry.id}" ${afterLoss ? "is lost" : "is not in the file"}; ${place}.`,
      number,
    );
  }

  /** False for a mere copy. Another entry under the same id is kept under an id of its own, and later children go with it. */
  #takeDuplicate(entry: Entry, earlier: Entry, number: number): boolean {
    if (JSON.stringify(entry) === JSON.stringify(earlier)) {
      this.#diagnostics.add(
        "duplicate_id",
        `Line ${number}: the entry "${entry.id}" is there twice; the copy is dropped.`,
        number,
      );
      return false;
    }
    const original = entry.id;
    let id = number;
    do entry.id = (id++).toString(16).padStart(8, "0");
    while (this.#byId.has(entry.id));
    this.#renamed.set(original, entry.id);
    this.#diagnostics.add(
      "duplicate_id",
      `Line ${number}: the id "${original}" is taken; this entry is kept as "${entry.id}".`,
      number,
    );
    return true;
  }

  #noteUnknown(entry: Entry, number: number): void {
    if (SILENT_TYPES.has(entry.type) || this.#unknownTypes.has(entry.type)) return;
    this.#unknownTypes.add(entry.type);
    this.#diagnostics.add(
      "unknown_entry",
      `Line ${number}: entries of the type "${entry.type}" are unknown; they are kept, and not used.`,
      number,
    );
  }

  #damaged(text: string, number: number, isJson: boolean): number {
    const found = this.#recover(text, number);
    if (found > 0) {
      this.#diagnostics.add(
        "bad_line",
        `Line ${number}: the line is damaged; ${count(found, "record")} recovered from it.`,
        number,
      );
      return found;
    }
    const what = isJson ? "is JSON, but no entry of a session" : "is no JSON";
    this.#diagnostics.add("bad_line", `Line ${number} (${text.length} characters) ${what}; it is skipped.`, number);
    this.#lostParents.lose(this.#entries.at(-1)?.id ?? null);
    if (this.#header === undefined && this.#entries.length === 0 && number >= LINES_BEFORE_REFUSAL) throw this.#refusal();
    return 0;
  }

  #recover(text: string, number: number): number {
    const records = recoverRecords(text, (value) => isHeader(value) || (this.#old?.accepts(value) ?? isEntry(value)));
    let found = 0;
    for (const record of records) if (this.#record(record, number)) found += 1;
    return found;
  }

  /** The header is lost, but there are entries: what it said is made up from them and from the name of the file. */
  #recoverHeader(): SessionHeader {
    const first = this.#entries[0];
    if (first === undefined) throw this.#refusal();
    const name = basename(this.#path).replace(/\.jsonl$/, "");
    const id = name.slice(name.lastIndexOf("_") + 1);
    this.#diagnostics.add("bad_line", `The header is lost; the session goes on as "${id}".`, 1);
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

function count(number: number, noun: string): string {
  return number === 1 ? `one ${noun} was` : `${number} ${noun}s were`;
}
