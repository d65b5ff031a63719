import { markBatch } from "./batches.ts";
import type { EntrySink } from "./entry-log.ts";
import { LogError } from "./errors.ts";
import { writeWhole } from "./file-system.ts";
import type { FileSystem } from "./file-system.ts";
import type { Durability } from "./log-options.ts";
import { syncDirectory, writeNewFile } from "./new-file.ts";
import type { Entry, SessionHeader } from "./types.ts";

/** A session that holds nothing but these is not worth a file. */
const SETTINGS: ReadonlySet<string> = new Set(["model_change", "thinking_level_change", "session_info", "label"]);

export interface FileSinkOptions {
  path: string;
  header: SessionHeader;
  durability: Durability;
  fileSystem: FileSystem;
  /** The file as it is; absent when there is none yet. */
  file?: { descriptor: number; size: number };
  /** Gives the lock back. */
  unlock: () => void;
}

/**
 * Keeps entries in a session file: one write for each call. What could not be written whole is taken back, so that the file holds
 * no half record, and the next call finds everything as it was before.
 *
 * The file is created with the first entry that is worth keeping. When it was deleted under way, one call fails; the next writes
 * the whole session anew.
 */
export class FileSink implements EntrySink {
  readonly #path: string;
  readonly #header: SessionHeader;
  durability: Durability;
  readonly #fileSystem: FileSystem;
  readonly #unlock: () => void;
  #descriptor: number | undefined;
  /** Bytes of good records in the file. */
  #size: number;
  /** Bytes that the disk has confirmed. */
  #synced: number;
  /** A failed write could not be taken back: there may be more in the file than `#size`. */
  #dirty = false;
  /** The directory does not know of the file for good yet. */
  #unlisted = false;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: FileSinkOptions) {
    this.#path = options.path;
    this.#header = options.header;
    this.durability = options.durability;
    this.#fileSystem = options.fileSystem;
    this.#unlock = options.unlock;
    this.#descriptor = options.file?.descriptor;
    this.#size = options.file?.size ?? 0;
    this.#synced = this.#size;
  }

  write(entries: readonly Entry[], earlier: readonly Entry[]): void {
    const lines = markBatch(entries).map((record) => this.#line(record));
    if (this.#descriptor === undefined) {
      if (earlier.every(isSetting) && entries.every(isSetting)) return;
      this.#create(earlier, lines);
      return;
    }
    this.#assertOurs(this.#descriptor);
    this.#append(this.#descriptor, lines.join(""));
  }

  flush(): Promise<void> {
    const flushed = this.#flushing.then(() => this.#flush());
    this.#flushing = flushed.catch(() => {});
    return flushed;
  }

  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      if (this.#descriptor !== undefined) this.#fileSystem.closeSync(this.#descriptor);
      this.#descriptor = undefined;
      this.#unlock();
    }
  }

  #line(record: object): string {
    try {
      return `${JSON.stringify(record)}\n`;
    } catch (error) {
      throw new LogError("invalid", `An entry cannot be written as JSON: ${String(error)}`, {
        path: this.#path,
        cause: error,
      });
    }
  }

  /** Writes all the session has so far, and the new lines, into a new file. */
  #create(earlier: readonly Entry[], lines: readonly string[]): void {
    if ((this.#fileSystem.statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0) > 0) {
      throw new LogError("changed", `There is another file at ${this.#path}; nothing was written over it.`, { path: this.#path });
    }
    const sync = this.durability === "entry";
    const { descriptor, size } = this.#attempt("write", () =>
      writeNewFile(this.#fileSystem, this.#path, this.#allLines(earlier, lines), { sync }),
    );
    if (sync) this.#list(descriptor);
    this.#descriptor = descriptor;
    this.#size = size;
    this.#synced = sync ? size : 0;
    this.#unlisted = !sync;
  }

  /** Has the directory know of the new file for good; a file of which that is not sure is taken back. */
  #list(descriptor: number): void {
    try {
      this.#attempt("sync", () => syncDirectory(this.#fileSystem, this.#path));
    } catch (error) {
      this.#fileSystem.closeSync(descriptor);
      this.#fileSystem.unlinkSync(this.#path);
      throw error;
    }
  }

  *#allLines(earlier: readonly Entry[], lines: readonly string[]): Iterable<string> {
    yield this.#line(this.#header);
    for (const entry of earlier) yield this.#line(entry);
    yield* lines;
  }

  #append(descriptor: number, text: string): void {
    try {
      const written = writeWhole(this.#fileSystem, descriptor, text);
      if (this.durability === "entry") {
        this.#fileSystem.fdatasyncSync(descriptor);
        this.#synced = this.#size + written;
      }
      this.#size += written;
    } catch (error) {
      this.#dirty = true;
      try {
        this.#takeBack(descriptor);
      } catch {
        // The next write tries again before it adds anything.
      }
      throw this.#failure("write", error);
    }
  }

  #takeBack(descriptor: number): void {
    this.#fileSystem.ftruncateSync(descriptor, this.#size);
    this.#dirty = false;
  }

  /** The file is still there, and as this log left it. */
  #assertOurs(descriptor: number): void {
    if (this.#dirty) this.#attempt("write", () => this.#takeBack(descriptor));
    const { nlink, size } = this.#attempt("write", () => this.#fileSystem.fstatSync(descriptor));
    if (nlink === 0) {
      this.#fileSystem.closeSync(descriptor);
      this.#descriptor = undefined;
      this.#size = 0;
      throw new LogError("removed", `The session file ${this.#path} was deleted. The next entry writes the session anew.`, {
        path: this.#path,
      });
    }
    if (size !== this.#size) {
      throw new LogError(
        "changed",
        `The session file ${this.#path} was changed by another program (${size} bytes instead of ${this.#size}). Open the session again.`,
        { path: this.#path },
      );
    }
  }

  async #flush(): Promise<void> {
    const descriptor = this.#descriptor;
    if (descriptor === undefined) return;
    this.#assertOurs(descriptor);
    if (this.durability === "none") return;
    if (this.#synced < this.#size) await this.#sync(descriptor);
    if (this.#unlisted) this.#attempt("sync", () => syncDirectory(this.#fileSystem, this.#path));
    this.#unlisted = false;
  }

  async #sync(descriptor: number): Promise<void> {
    const size = this.#size;
    await new Promise<void>((resolve, reject) => {
      this.#fileSystem.fdatasync(descriptor, (error) => (error === null ? resolve() : reject(this.#failure("sync", error))));
    });
    // The file may have been deleted and written anew meanwhile.
    if (this.#descriptor === descriptor) this.#synced = size;
  }

  #attempt<T>(kind: "write" | "sync", action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw error instanceof LogError ? error : this.#failure(kind, error);
    }
  }

  #failure(kind: "write" | "sync", error: unknown): LogError {
    const what = kind === "write" ? "written" : "saved for good";
    const reason = error instanceof Error ? error.message : String(error);
    return new LogError(kind, `The session file ${this.#path} could not be ${what}: ${reason}`, {
      path: this.#path,
      cause: error,
    });
  }
}

function isSetting(entry: Entry): boolean {
  return SETTINGS.has(entry.type);
}
