import { constants } from "node:fs";
import { dirname } from "node:path";
import type { EntrySink } from "./entry-log.ts";
import { LogError, systemCode } from "./errors.ts";
import { writeWhole } from "./file-system.ts";
import type { FileSystem } from "./file-system.ts";
import type { Durability } from "./log-options.ts";
import type { Entry, SessionHeader } from "./types.ts";

const CREATE = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_TRUNC;

/** A session that holds nothing but these is not worth a file. */
const SETTINGS: ReadonlySet<string> = new Set(["model_change", "thinking_level_change", "session_info", "label"]);

/** Records are put together up to this many characters for one write when a whole session is written. */
const BATCH_CHARACTERS = 1 << 20;

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
  readonly #durability: Durability;
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
    this.#durability = options.durability;
    this.#fileSystem = options.fileSystem;
    this.#unlock = options.unlock;
    this.#descriptor = options.file?.descriptor;
    this.#size = options.file?.size ?? 0;
    this.#synced = this.#size;
  }

  write(entries: readonly Entry[], earlier: readonly Entry[]): void {
    const lines = entries.map((entry) => this.#line(entry));
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

  #line(entry: Entry | SessionHeader): string {
    try {
      return `${JSON.stringify(entry)}\n`;
    } catch (error) {
      throw new LogError("invalid", `An entry of the type "${entry.type}" cannot be written as JSON: ${String(error)}`, {
        path: this.#path,
        cause: error,
      });
    }
  }

  /**
   * Writes all the session has so far, and the new lines, into a new file. It gets its name when it is whole: nothing ever finds
   * the half of it.
   */
  #create(earlier: readonly Entry[], lines: readonly string[]): void {
    if ((this.#fileSystem.statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0) > 0) {
      throw new LogError("changed", `There is another file at ${this.#path}; nothing was written over it.`, { path: this.#path });
    }
    const unnamed = `${this.#path}.new`;
    const descriptor = this.#attempt("written", () => this.#fileSystem.openSync(unnamed, CREATE, 0o600));
    try {
      const size = this.#writeAll(descriptor, earlier, lines);
      if (this.#durability === "entry") this.#fileSystem.fdatasyncSync(descriptor);
      this.#fileSystem.renameSync(unnamed, this.#path);
      this.#unlisted = true;
      if (this.#durability === "entry") this.#syncDirectory();
      this.#descriptor = descriptor;
      this.#size = size;
      this.#synced = this.#durability === "entry" ? size : 0;
    } catch (error) {
      this.#fileSystem.closeSync(descriptor);
      this.#discard(unnamed);
      throw error instanceof LogError ? error : this.#failure("write", "written", error);
    }
  }

  #writeAll(descriptor: number, earlier: readonly Entry[], lines: readonly string[]): number {
    let size = 0;
    let batch = this.#line(this.#header);
    const put = (line: string): void => {
      batch += line;
      if (batch.length < BATCH_CHARACTERS) return;
      size += writeWhole(this.#fileSystem, descriptor, batch);
      batch = "";
    };
    for (const entry of earlier) put(this.#line(entry));
    for (const line of lines) put(line);
    return size + writeWhole(this.#fileSystem, descriptor, batch);
  }

  #discard(path: string): void {
    try {
      this.#fileSystem.unlinkSync(path);
    } catch {
      // The failure that led here says more; the next attempt overwrites what is left.
    }
  }

  #append(descriptor: number, text: string): void {
    try {
      const written = writeWhole(this.#fileSystem, descriptor, text);
      if (this.#durability === "entry") {
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
      throw this.#failure("write", "written", error);
    }
  }

  #takeBack(descriptor: number): void {
    this.#fileSystem.ftruncateSync(descriptor, this.#size);
    this.#dirty = false;
  }

  /** The file is still there, and as this log left it. */
  #assertOurs(descriptor: number): void {
    if (this.#dirty) this.#attempt("written", () => this.#takeBack(descriptor));
    const { nlink, size } = this.#attempt("written", () => this.#fileSystem.fstatSync(descriptor));
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
    if (this.#durability === "none" || this.#synced >= this.#size) return;
    const size = this.#size;
    await new Promise<void>((resolve, reject) => {
      this.#fileSystem.fdatasync(descriptor, (error) =>
        error === null ? resolve() : reject(this.#failure("sync", "saved for good", error)),
      );
    });
    this.#synced = size;
    if (this.#unlisted) this.#attempt("saved for good", () => this.#syncDirectory());
  }

  #syncDirectory(): void {
    this.#unlisted = false;
    let descriptor: number | undefined;
    try {
      descriptor = this.#fileSystem.openSync(dirname(this.#path), "r");
      this.#fileSystem.fdatasyncSync(descriptor);
    } catch (error) {
      // Some systems cannot sync a directory, and list files for good by themselves.
      if (!["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"].includes(systemCode(error) ?? "")) throw error;
    } finally {
      if (descriptor !== undefined) this.#fileSystem.closeSync(descriptor);
    }
  }

  #attempt<T>(what: string, action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw this.#failure("write", what, error);
    }
  }

  #failure(kind: "write" | "sync", what: string, error: unknown): LogError {
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
