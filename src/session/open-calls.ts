import { failed, toResultMessage } from "../agent/tool-result.ts";
import { isFailedReply, type EntryDraft, type SessionLog } from "../log/index.ts";
import type { ToolCallBlock } from "../model/types.ts";
import { backwards } from "./log-tail.ts";

export const MAY_HAVE_RUN =
  "The process ended before this tool finished; it may have run. Check its effects before you call it again.";

const NOT_RECORDED =
  "What this tool answered is not in the session's log; it may have run. Check its effects before you call it again.";

/**
 * Calls of the last complete reply of the active branch that have no result there: the process ended under them, their results
 * could not be written, or the session went back to before them.
 */
export function openCalls(log: SessionLog): ToolCallBlock[] {
  const answered = new Set<string>();
  for (const entry of backwards(log)) {
    if (entry.type !== "message") continue;
    const { message } = entry;
    if (message.role === "toolResult") {
      answered.add(message.toolCallId);
      continue;
    }
    if (message.role !== "assistant" || isFailedReply(message) || !Array.isArray(message.content)) return [];
    return message.content.filter((block) => block.type === "toolCall").filter(({ id }) => !answered.has(id));
  }
  return [];
}

/** Truthful results for calls that will not be run again; `interrupted` are those the process ended under. */
export function closingDrafts(calls: readonly ToolCallBlock[], interrupted: readonly ToolCallBlock[], now: number): EntryDraft[] {
  return calls.map((call) => {
    const outcome = failed(interrupted.includes(call) ? MAY_HAVE_RUN : NOT_RECORDED);
    return { type: "message", message: toResultMessage(call, outcome, now) };
  });
}
