import { randomEntryId } from "./entry-ids.ts";
import { LogError } from "./errors.ts";
import type { Durability } from "./log-options.ts";
import { BranchProjection } from "./projection.ts";
import type { Entry, EntryBase, EntryDraft, LogDiagnostic, Projection, SessionHeader, SessionLog } from "./types.ts";

/** Where a log keeps its entries beside memory. */
export interface EntrySink {
  /** Keeps all of them, or none; `earlier` are all that were before. @throws LogError */
  write(entries: readonly Entry[], earlier: readonly Entry[]): void;
  flush(): Promise<void>;
  close(): Promise<void>;
  durability: Durability;
}

export interface EntryLogOptions {
  header: SessionHeader;
  /** What the log already holds, and becomes the log's own; parents come before their children. */
  entries?: Entry[];
  /** The same by id. */
  byId?: Map<string, Entry>;
  diagnostics?: LogDiagnostic[];
  path?: string;
  sink?: EntrySink;
  /** Source of entry ids; default eight random hexadecimal digits. */
  newId?: (() => string) | undefined;
  /** Milliseconds since the epoch; default `Date.now`. */
  now?: (() => number) | undefined;
}

/** A new id is tried for again this often when it is taken. */
const ID_ATTEMPTS = 100;

/** The one implementation of a session log: the tree in memory, its projection, and a sink that makes it last. */
export class EntryLog implements SessionLog {
  readonly header: SessionHeader;
  readonly diagnostics: readonly LogDiagnostic[];
  readonly path?: string;
  readonly labels = new Map<string, string>();
  name: string | undefined;
  leafId: string | null = null;
  readonly #entries: Entry[];
  readonly #byId: Map<string, Entry>;
  readonly #projection: BranchProjection;
  readonly #sink: EntrySink | undefined;
  readonly #newId: () => string;
  readonly #now: () => number;
  #closed = false;

  constructor(options: EntryLogOptions) {
    this.header = options.header;
    this.diagnostics = options.diagnostics ?? [];
    if (options.path !== undefined) this.path = options.path;
    this.#entries = options.entries ?? [];
    this.#sink = options.sink;
    this.#newId = options.newId ?? randomEntryId;
    this.#now = options.now ?? Date.now;
    this.#byId = options.byId ?? new Map(this.#entries.map((entry) => [entry.id, entry]));
    this.#projection = new BranchProjection((id) => this.#byId.get(id));
    for (const entry of this.#entries) this.#note(entry);
    this.leafId = this.#entries.at(-1)?.id ?? null;
    if (this.leafId !== null) this.#projection.reset(this.branch());
  }

  get durability(): Durability {
    return this.#sink?.durability ?? "none";
  }

  set durability(durability: Durability) {
    if (this.#sink) this.#sink.durability = durability;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  get projection(): Projection {
    return this.#projection;
  }

  entry(id: string): Entry | undefined {
    return this.#byId.get(id);
  }

  branch(id: string | null = this.leafId): Entry[] {
    if (id === null) return [];
    this.#assertKnown(id);
    const branch: Entry[] = [];
    // Parents come before their children, so that one walk backwards meets the whole branch.
    for (let index = this.#entries.length - 1, wanted: string | null = id; wanted !== null && index >= 0; index -= 1) {
      const entry = this.#entries[index];
      if (entry?.id !== wanted) continue;
      branch.push(entry);
      wanted = entry.parentId;
    }
    return branch.toReversed();
  }

  append(draft: EntryDraft): Entry {
    const entry = this.#make(draft, this.leafId, undefined);
    this.#keep([entry]);
    return entry;
  }

  appendAll(drafts: readonly EntryDraft[]): Entry[] {
    const batch = new Set<string>();
    const entries: Entry[] = [];
    let parentId = this.leafId;
    for (const draft of drafts) {
      const entry = this.#make(draft, parentId, batch);
      batch.add(entry.id);
      entries.push(entry);
      parentId = entry.id;
    }
    if (entries.length > 0) this.#keep(entries);
    return entries;
  }

  moveTo(entryId: string | null): void {
    this.#assertOpen();
    if (entryId === this.leafId) return;
    const branch = this.branch(entryId);
    this.leafId = entryId;
    this.#projection.reset(branch);
  }

  async flush(): Promise<void> {
    await this.#sink?.flush();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#sink?.close();
  }

  #make(draft: EntryDraft, parentId: string | null, batch: ReadonlySet<string> | undefined): Entry {
    this.#assertOpen();
    const id = draft.id ?? this.#freshId(batch);
    if (draft.id !== undefined && (id === "" || this.#byId.has(id) || batch?.has(id) === true)) {
      throw new LogError("invalid", `An entry cannot be appended under the id "${id}": it is empty or taken.`, {
        path: this.path,
      });
    }
    if ("targetId" in draft) this.#assertKnown(draft.targetId, batch);
    const base: EntryBase = { id, parentId, timestamp: new Date(this.#now()).toISOString() };
    const entry = Object.assign({ type: draft.type }, base, draft);
    entry.id = id;
    return entry;
  }

  /** Writes first: what is in memory is never ahead of what is kept. */
  #keep(entries: readonly Entry[]): void {
    this.#sink?.write(entries, this.#entries);
    for (const entry of entries) {
      this.#entries.push(entry);
      this.#byId.set(entry.id, entry);
      this.leafId = entry.id;
      this.#note(entry);
      this.#projection.append(entry);
    }
  }

  #note(entry: Entry): void {
    // What other programs write may have null for what is not there.
    if (entry.type === "session_info") this.name = entry.name || undefined;
    else if (entry.type === "label") {
      if (entry.label) this.labels.set(entry.targetId, entry.label);
      else this.labels.delete(entry.targetId);
    }
  }

  #freshId(batch: ReadonlySet<string> | undefined): string {
    for (let attempt = 0; attempt < ID_ATTEMPTS; attempt += 1) {
      const id = this.#newId();
      if (!this.#byId.has(id) && batch?.has(id) !== true) return id;
    }
    throw new LogError("invalid", `No free entry id in ${ID_ATTEMPTS} attempts: newId gives ids that are taken.`, {
      path: this.path,
    });
  }

  #assertKnown(id: string, batch?: ReadonlySet<string>): void {
    if (this.#byId.has(id) || batch?.has(id) === true) return;
    throw new LogError("unknown_id", `There is no entry with the id "${id}" in this session.`, { path: this.path });
  }

  #assertOpen(): void {
    if (this.#closed) throw new LogError("closed", "The session log is closed.", { path: this.path });
  }
}
