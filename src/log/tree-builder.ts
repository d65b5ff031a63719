import type { DiagnosticList } from "./diagnostic-list.ts";
import { isKnownType } from "./entry-shapes.ts";
import { LostParents } from "./lost-parents.ts";
import type { Entry } from "./types.ts";

/** Entry types of other programs that are known to mean nothing to the model. */
const SILENT_TYPES: ReadonlySet<string> = new Set(["usage"]);

/** Puts entries together to a tree, in the order of the file: each has a unique id, and a parent that comes before it. */
export class TreeBuilder {
  readonly entries: Entry[] = [];
  readonly byId = new Map<string, Entry>();
  readonly #diagnostics: DiagnosticList;
  readonly #lostParents = new LostParents();
  readonly #unknownTypes = new Set<string>();
  /** The ids that entries whose own id was taken were given. */
  readonly #renamed = new Map<string, string>();

  constructor(diagnostics: DiagnosticList) {
    this.#diagnostics = diagnostics;
  }

  /** @param line The entry's line in the file, from 1. */
  add(entry: Entry, line: number): void {
    const earlier = this.byId.get(entry.id);
    if (earlier !== undefined && !this.#takeDuplicate(entry, earlier, line)) return;
    if (entry.parentId !== null) this.#attach(entry, entry.parentId, line);
    if (entry.type === "compaction") {
      entry.firstKeptEntryId = this.#lostParents.childOf(entry.firstKeptEntryId) ?? entry.firstKeptEntryId;
    }
    if (!isKnownType(entry.type)) this.#noteUnknown(entry, line);
    this.entries.push(entry);
    this.byId.set(entry.id, entry);
  }

  /** Takes the last entries out again. False, and nothing is done, if these are not the last ones. */
  takeBack(entries: readonly Entry[]): boolean {
    const start = this.entries.length - entries.length;
    if (entries.some((entry, index) => this.entries[start + index] !== entry)) return false;
    for (const { id } of this.entries.splice(start)) this.byId.delete(id);
    return true;
  }

  /** Something that may have been an entry is lost here. */
  lose(): void {
    this.#lostParents.lose(this.entries.at(-1)?.id ?? null);
  }

  #attach(entry: Entry, parentId: string, line: number): void {
    const known = this.#renamed.get(parentId) ?? parentId;
    if (this.byId.has(known)) {
      entry.parentId = known;
      return;
    }
    const { attachTo, afterLoss } = this.#lostParents.adopt(parentId, entry.id, this.entries.at(-1)?.id ?? null);
    entry.parentId = attachTo;
    const where = afterLoss ? "is lost" : "is not in the file";
    const place = attachTo === null ? "it is a root now" : `it is attached to the entry before, "${attachTo}"`;
    const message = `Line ${line}: the parent "${parentId}" of the entry "${entry.id}" ${where}; ${place}.`;
    this.#diagnostics.add(afterLoss ? "reattached" : "missing_parent", message, line);
  }

  /** False for a mere copy. Another entry under the same id is kept under an id of its own, and later children go with it. */
  #takeDuplicate(entry: Entry, earlier: Entry, line: number): boolean {
    const { id } = entry;
    if (JSON.stringify(entry) === JSON.stringify(earlier)) {
      this.#diagnostics.add("duplicate_id", `Line ${line}: the entry "${id}" is there twice; the copy is dropped.`, line);
      return false;
    }
    entry.id = this.#freeId(line);
    this.#renamed.set(id, entry.id);
    this.#diagnostics.add("duplicate_id", `Line ${line}: the id "${id}" is taken; this entry is kept as "${entry.id}".`, line);
    return true;
  }

  /** The same one whenever the file is read. */
  #freeId(line: number): string {
    for (let number = line; ; number += 1) {
      const id = number.toString(16).padStart(8, "0");
      if (!this.byId.has(id)) return id;
    }
  }

  #noteUnknown({ type }: Entry, line: number): void {
    if (SILENT_TYPES.has(type) || this.#unknownTypes.has(type)) return;
    this.#unknownTypes.add(type);
    this.#diagnostics.add(
      "unknown_entry",
      `Line ${line}: entries of the type "${type}" are unknown; they are kept, and not used.`,
      line,
    );
  }
}
