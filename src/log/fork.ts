import { createFileLog } from "./file-log.ts";
import type { NewSessionOptions } from "./file-log.ts";
import { createMemoryLog } from "./memory-log.ts";
import type { Entry, EntryDraft, SessionLog } from "./types.ts";

export interface ForkOptions extends Omit<NewSessionOptions, "parentSession"> {
  /** Where the new session's file goes; absent for a session in memory. */
  directory?: string;
}

/**
 * Copies the branch that ends in an entry, with its labels, into a session of its own that names the one it comes from. The
 * source stays as it is, and the entries keep their ids. What the source has queued or waits for stays with the source: a message
 * must not be delivered in both.
 *
 * @throws LogError `unknown_id`; `write` when the new file cannot be written
 */
export async function forkLog(source: SessionLog, entryId: string, options: ForkOptions = {}): Promise<SessionLog> {
  const { directory, ...rest } = options;
  const start = {
    cwd: source.header.cwd,
    ...rest,
    parentSession: source.path ?? source.header.id,
    entries: conversation(source.branch(entryId)),
  };
  const fork = directory === undefined ? createMemoryLog(start) : await createFileLog(directory, start);
  try {
    fork.appendAll(missingLabels(source, fork));
    return fork;
  } catch (error) {
    await fork.close();
    throw error;
  }
}

/** Custom entries of this package keep the state of the one session they are in. */
const SESSION_STATE = "agent-session-machine/";

/** A branch without the state of its session, each entry the child of the one before it. */
function conversation(branch: readonly Entry[]): Entry[] {
  const kept: Entry[] = [];
  for (const entry of branch) {
    if (entry.type === "custom" && entry.customType.startsWith(SESSION_STATE)) continue;
    const parentId = kept.at(-1)?.id ?? null;
    kept.push(entry.parentId === parentId ? entry : { ...entry, parentId });
  }
  return kept;
}

/** Labels of the copied entries that were given or taken away elsewhere in the source. */
function missingLabels(source: SessionLog, fork: SessionLog): EntryDraft[] {
  const drafts: EntryDraft[] = [];
  for (const { id } of fork.entries) {
    const label = source.labels.get(id);
    if (label !== fork.labels.get(id)) drafts.push({ type: "label", targetId: id, ...(label === undefined ? {} : { label }) });
  }
  return drafts;
}
