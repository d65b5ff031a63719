import type { Durability } from "./log-options.ts";
import type { AssistantMessage, Message, Usage, UserContent } from "../model/types.ts";

/** First line of a session file. */
export interface SessionHeader {
  type: "session";
  version: number;
  id: string;
  /** ISO 8601. */
  timestamp: string;
  /** Working directory of the process that made it. */
  cwd: string;
  /** Path or id of the session this one was forked from. */
  parentSession?: string;
}

/** Fields every entry has. Entries form a tree by `parentId`; the newest entry is the leaf. */
export interface EntryBase {
  /** Eight hexadecimal digits, unique in the session. */
  id: string;
  parentId: string | null;
  /** ISO 8601; for people: order is position, never the clock. */
  timestamp: string;
}

export interface MessageEntry extends EntryBase {
  type: "message";
  message: Message;
}

/** Changes what the model is shown of an earlier entry: `null` leaves it out, else its content is replaced. */
export interface ContextEditEntry extends EntryBase {
  type: "context_edit";
  targetId: string;
  replacement: null | { content: string | UserContent[] };
}

/** Everything before `firstKeptEntryId` is shown to the model as `summary`. */
export interface CompactionEntry extends EntryBase {
  type: "compaction";
  summary: string;
  /** The entry's own id when nothing is kept. */
  firstKeptEntryId: string;
  tokensBefore: number;
  usage?: Usage;
  details?: unknown;
  fromHook?: boolean;
}

export interface ModelChangeEntry extends EntryBase {
  type: "model_change";
  provider: string;
  modelId: string;
}

export interface ThinkingLevelChangeEntry extends EntryBase {
  type: "thinking_level_change";
  thinkingLevel: string;
}

export interface BranchSummaryEntry extends EntryBase {
  type: "branch_summary";
  /** The entry that the branch it tells of ended in. */
  fromId: string;
  summary: string;
  usage?: Usage;
  details?: unknown;
  fromHook?: boolean;
}

/** Data of an application; the model never sees it. Ours have a `customType` that begins `agent-session-machine/`. */
export interface CustomEntry extends EntryBase {
  type: "custom";
  customType: string;
  data?: unknown;
}

/** A message of an application that the model is shown as the user's. */
export interface CustomMessageEntry extends EntryBase {
  type: "custom_message";
  customType: string;
  content: string | UserContent[];
  display: boolean;
  details?: unknown;
}

export interface LabelEntry extends EntryBase {
  type: "label";
  targetId: string;
  label?: string;
}

export interface SessionInfoEntry extends EntryBase {
  type: "session_info";
  name?: string;
}

export type Entry =
  | MessageEntry
  | ContextEditEntry
  | CompactionEntry
  | ModelChangeEntry
  | ThinkingLevelChangeEntry
  | BranchSummaryEntry
  | CustomEntry
  | CustomMessageEntry
  | LabelEntry
  | SessionInfoEntry;

type WithoutBase<E> = E extends Entry ? Omit<E, keyof EntryBase> & { id?: string } : never;

/** An entry to append. `id` is given only where another entry of the same write has to name it. */
export type EntryDraft = WithoutBase<Entry>;

/** Something the log found wrong, or mended, in what it read. */
export interface LogDiagnostic {
  kind: "torn_tail" | "bad_line" | "reattached" | "converted" | "missing_parent" | "unknown_entry" | "duplicate_id";
  message: string;
  /** 1-based line of the file. */
  line?: number;
}

/** One message the model is shown, and the entry it comes from. */
export interface ProjectedMessage {
  entryId: string;
  message: Message;
}

/**
 * What of the log the model is shown: the active branch from the latest compaction on, with edits applied and failed
 * replies left out. Kept up to date as entries are appended; never rebuilt by appending.
 */
export interface Projection {
  /** Read only, and live: it grows with the log. */
  readonly items: readonly ProjectedMessage[];
  /** Rises whenever `items` changed other than by appending at its end. */
  readonly generation: number;
  /** Items from this index on came after the latest compaction and after every edit that changed an earlier item: the usage
   *  an assistant message among them reports measures the context as it is now. */
  readonly trustedFrom: number;
  /** The messages alone, as they are now: it changes with the log. Costs nothing, where `messages()` copies. */
  readonly live: readonly Message[];
  /** The messages alone, as a new array that later appends do not change. */
  messages(): Message[];
}

/** The append-only record of a session, with its projection. Appends are synchronous: when `append` returns, it is written. */
export interface SessionLog {
  readonly header: SessionHeader;
  /** All entries of all branches, in the order they were written. Read only, and live. */
  readonly entries: readonly Entry[];
  readonly leafId: string | null;
  readonly projection: Projection;
  readonly diagnostics: readonly LogDiagnostic[];
  /** Path of the file; absent for a log in memory. */
  readonly path?: string;
  /** When what was appended is forced onto the disk; `none` for a log in memory, whatever it is set to. */
  durability: Durability;
  /** The session's name, from the latest `session_info`. */
  readonly name: string | undefined;
  /** Labels by entry id. */
  readonly labels: ReadonlyMap<string, string>;
  entry(id: string): Entry | undefined;
  /** Entries from the root to the leaf (or to `id`). */
  branch(id?: string): Entry[];
  /** @throws LogError when it cannot be written; nothing is appended then. */
  append(draft: EntryDraft): Entry;
  /** All in one write, or none. @throws LogError */
  appendAll(drafts: readonly EntryDraft[]): Entry[];
  /** The next entry becomes a child of `entryId` (null: a new root). @throws LogError for an unknown id. */
  moveTo(entryId: string | null): void;
  /** Resolves when all that was appended is on the disk. @throws LogError */
  flush(): Promise<void>;
  /** Flushes, and gives the file and its lock back. Appending afterwards throws. */
  close(): Promise<void>;
}

/** An assistant message that ended in `error` or `aborted`: never shown to the model. */
export type FailedReply = AssistantMessage & { stopReason: "error" | "aborted" };
