import type { FileSystem } from "./file-system.ts";

/**
 * When what was appended is forced onto the disk (fsync), so that it outlives a power cut and not just the process:
 *
 * - `none`: when the system sees fit.
 * - `settle` (default): at each `flush()`, which a session calls at each settle and before each wait.
 * - `entry`: in each append.
 */
export type Durability = "none" | "settle" | "entry";

export interface OpenLogOptions {
  /** Default `settle`. */
  durability?: Durability;
  /** Opens without a lock, also while another process writes; nothing is repaired, and appending throws. Default false. */
  readOnly?: boolean;
  /** Working directory to note in a new session; default the process's. */
  cwd?: string;
  /** Milliseconds since the epoch; default `Date.now`. */
  now?: () => number;
  /** Source of entry ids; default eight random hexadecimal digits. */
  newId?: () => string;
  /** Default `node:fs`. */
  fileSystem?: FileSystem;
}
