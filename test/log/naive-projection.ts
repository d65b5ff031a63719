import type { Message } from "../../src/model/types.ts";
import { isFailedReply, shownMessage, withContent } from "../../src/log/shown-message.ts";
import type { Entry, ProjectedMessage } from "../../src/log/types.ts";

export interface NaiveProjection {
  items: ProjectedMessage[];
  trustedFrom: number;
}

/** The projection of a branch by its definition: recomputed from nothing, with no care for time. The reference of the tests. */
export function naiveProjection(branch: readonly Entry[]): NaiveProjection {
  const items = project(branch);
  let newest = -1;
  for (let index = 0; index < branch.length; index += 1) if (changesWhatIsShown(branch, index)) newest = index;
  const after = new Set(branch.slice(newest + 1).map((entry) => entry.id));
  return { items, trustedFrom: newest < 0 ? 0 : items.filter((item) => !after.has(item.entryId)).length };
}

function changesWhatIsShown(branch: readonly Entry[], index: number): boolean {
  const entry = branch[index] as Entry;
  if (entry.type === "compaction") return true;
  if (entry.type !== "context_edit") return false;
  const shows = (length: number): boolean => project(branch.slice(0, length)).some((item) => item.entryId === entry.targetId);
  return shows(index) || shows(index + 1);
}

function project(branch: readonly Entry[]): ProjectedMessage[] {
  const latest = branch.findLastIndex((entry) => entry.type === "compaction");
  const compaction = branch[latest];
  let considered: Entry[] = [...branch];
  if (compaction?.type === "compaction") {
    const from = branch.findIndex((entry) => entry.id === compaction.firstKeptEntryId);
    const kept = from < 0 || from >= latest ? [] : branch.slice(from, latest).filter((entry) => entry.type !== "compaction");
    considered = [compaction, ...kept, ...branch.slice(latest + 1)];
  }

  const current = new Map<string, Message | undefined>();
  considered.forEach((entry, position) => {
    let message = shownMessage(entry);
    const edit = considered.slice(position).findLast((later) => later.type === "context_edit" && later.targetId === entry.id);
    if (message !== undefined && edit?.type === "context_edit") {
      if (edit.replacement === null) message = undefined;
      else if (entry.type === "message" || entry.type === "custom_message")
        message = withContent(message, edit.replacement.content);
    }
    current.set(entry.id, message);
  });

  return considered.flatMap((entry, position) => {
    const message = current.get(entry.id);
    if (message === undefined) return [];
    if (message.role === "toolResult") {
      const caller = considered.slice(0, position).findLast((earlier) => callsOf(earlier).includes(message.toolCallId));
      const shownCaller = caller === undefined ? undefined : current.get(caller.id);
      if (shownCaller === undefined || isFailedReply(shownCaller) || !callsIn(shownCaller).includes(message.toolCallId))
        return [];
    }
    return [{ entryId: entry.id, message }];
  });
}

function callsOf(entry: Entry): string[] {
  return entry.type === "message" ? callsIn(entry.message) : [];
}

function callsIn(message: Message): string[] {
  return message.role === "assistant" ? message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : [])) : [];
}
