import type { Message } from "../model/types.ts";
import { hasEditableContent, hasToolCall, shownMessage, withContent } from "./shown-message.ts";
import type { Replacement } from "./shown-message.ts";
import type { CompactionEntry, Entry, ProjectedMessage, Projection } from "./types.ts";

/**
 * An entry of the branch, as far back as the latest compaction keeps it, that could be shown; while it is, it is the projected item
 * itself. Nothing more than that, since a session of a hundred thousand messages is opened in one go.
 */
interface Candidate {
  readonly entryId: string;
  /** Absent for a failed reply, which is never shown. */
  message: Message | undefined;
}

/**
 * The projection of one branch, kept up to date entry by entry. An ordinary append takes constant time; an edit takes as long as
 * what follows its target, and only if that changes what is shown; a compaction takes as long as what it keeps.
 *
 * - A failed reply is never shown, edited or not.
 * - A tool result is shown only together with its call: the latest reply before it that has a call of this id.
 * - The latest edit of an entry wins. An edit concerns what comes before it on the branch. A summary can be left out, but its
 *   text cannot be replaced.
 * - The latest compaction stands, as its summary, for all before the first entry it keeps.
 */
export class BranchProjection implements Projection {
  readonly items: ProjectedMessage[] = [];
  generation = 0;
  trustedFrom = 0;
  readonly #messages: Message[] = [];
  #candidates: Candidate[] = [];
  /** The latest reply with each tool call. */
  readonly #callers = new Map<string, Candidate>();
  /** For each tool result the reply it answers, as far as that is kept. */
  readonly #callerOf = new Map<Candidate, Candidate | undefined>();
  /** The latest edit of each entry that has one. */
  readonly #edits = new Map<Candidate, Replacement>();
  readonly #lookup: (id: string) => Entry | undefined;

  constructor(lookup: (id: string) => Entry | undefined) {
    this.#lookup = lookup;
  }

  get live(): readonly Message[] {
    return this.#messages;
  }

  messages(): Message[] {
    return this.#messages.slice();
  }

  /** Takes the next entry of the branch. */
  append(entry: Entry): void {
    switch (entry.type) {
      case "message":
      case "custom_message":
      case "branch_summary":
        this.#add(entry);
        break;
      case "context_edit":
        this.#edit(entry.targetId, entry.replacement);
        break;
      case "compaction":
        this.#compact(entry);
        break;
    }
  }

  /** Starts anew with a branch, given from its root. */
  reset(branch: readonly Entry[]): void {
    this.#clear();
    const latest = branch.findLastIndex((entry) => entry.type === "compaction");
    for (const entry of branch.slice(Math.max(latest, 0))) this.append(entry);
  }

  #add(entry: Entry): void {
    const message = entry.type === "message" ? entry.message : undefined;
    const candidate: Candidate = { entryId: entry.id, message: shownMessage(entry) };
    if (message?.role === "toolResult") this.#callerOf.set(candidate, this.#callers.get(message.toolCallId));
    if (message?.role === "assistant" && Array.isArray(message.content)) {
      for (const block of message.content) if (block.type === "toolCall") this.#callers.set(block.id, candidate);
    }
    this.#candidates.push(candidate);
    this.#show(candidate);
  }

  #show(candidate: Candidate): void {
    if (!this.#isShown(candidate)) return;
    this.items.push(candidate);
    this.#messages.push(candidate.message);
  }

  #edit(targetId: string, replacement: Replacement): void {
    const at = this.#candidates.findLastIndex((candidate) => candidate.entryId === targetId);
    const target = this.#candidates[at];
    if (target?.message === undefined) return;

    const fromTarget = this.#candidates.slice(at);
    const place = this.items.length - fromTarget.filter((candidate) => this.#isShown(candidate)).length;
    const wasShown = this.#isShown(target);
    this.#edits.set(target, replacement);
    const entry = this.#lookup(targetId);
    if (replacement !== null && entry && hasEditableContent(entry)) {
      target.message = withContent(target.message, replacement.content);
    }
    if (!wasShown && !this.#isShown(target)) return;

    this.#truncate(place);
    for (const candidate of fromTarget) this.#show(candidate);
    this.#changed();
  }

  #compact(compaction: CompactionEntry): void {
    const kept = this.#keptBy(compaction);
    this.#clear();
    this.#add(compaction);
    for (const entry of kept) if (entry.type !== "compaction") this.append(entry);
    this.#changed();
  }

  /** The entries before a compaction, from the first it keeps on; none when it keeps none, or names none of its branch. */
  #keptBy({ id: ownId, firstKeptEntryId, parentId }: CompactionEntry): Entry[] {
    if (firstKeptEntryId === ownId || this.#lookup(firstKeptEntryId) === undefined) return [];
    const kept: Entry[] = [];
    for (let id = parentId; id !== null;) {
      const entry = this.#lookup(id);
      if (entry === undefined) break;
      kept.push(entry);
      if (id === firstKeptEntryId) return kept.toReversed();
      id = entry.parentId;
    }
    return [];
  }

  #isShown(candidate: Candidate): candidate is ProjectedMessage {
    const { message } = candidate;
    if (message === undefined || this.#edits.get(candidate) === null) return false;
    if (!this.#callerOf.has(candidate)) return true;
    const caller = this.#callerOf.get(candidate);
    const callerEdit = caller && this.#edits.get(caller);
    if (caller?.message === undefined || callerEdit === null) return false;
    // A reply whose content was replaced has lost its calls, as a rule.
    return callerEdit === undefined || (message.role === "toolResult" && hasToolCall(caller.message, message.toolCallId));
  }

  #changed(): void {
    this.generation += 1;
    this.trustedFrom = this.items.length;
  }

  #clear(): void {
    this.#truncate(0);
    this.#candidates = [];
    this.#callers.clear();
    this.#callerOf.clear();
    this.#edits.clear();
    this.generation += 1;
    this.trustedFrom = 0;
  }

  #truncate(length: number): void {
    this.items.length = length;
    this.#messages.length = length;
  }
}
