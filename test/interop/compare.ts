import { isDeepStrictEqual } from "node:util";
import type { SessionLog } from "../../src/log/index.ts";
import type { Message } from "../../src/model/types.ts";
import type { Pi, PiMessage, PiSession } from "./pi.ts";

/** One message of a context: who says it, and what. */
interface Said {
  entryId: string;
  role: string;
  content: unknown;
}

/**
 * Differences between the context that Pi builds of a session and ours; none when they are the same.
 *
 * What the two do differently by design is evened out before: Pi keeps system messages in the transcript, drops failed replies and
 * results without a call only when it builds a request, and leads summaries and commands in with other words.
 */
export function contextDifferences(pi: Pi, session: PiSession, log: SessionLog): string[] {
  const theirs = theirContext(pi, session);
  const ours = log.projection.items.map(({ entryId, message }) => said(entryId, message));
  const differences: string[] = [];
  for (let index = 0; index < Math.max(theirs.length, ours.length); index += 1) {
    const [their, our] = [theirs[index], ours[index]];
    if (their === undefined || our === undefined || !same(their, our)) {
      differences.push(`message ${index}: theirs ${JSON.stringify(their)}, ours ${JSON.stringify(our)}`);
    }
  }
  return differences;
}

/** What Pi would have a provider shown: a result only with its call, which is the latest one of that id. */
function theirContext(pi: Pi, session: PiSession): Said[] {
  const callers = new Map<string, string>();
  const shownCalls = new Set<string>();
  return session.buildSessionProjection().entries.flatMap(({ sourceEntry, messages }) => {
    if (sourceEntry.type === "message") for (const id of callsIn(sourceEntry.message.content)) callers.set(id, sourceEntry.id);
    return pi.convertToLlm(messages).flatMap((message) => {
      if (message.role === "system" || message.stopReason === "error" || message.stopReason === "aborted") return [];
      const { toolCallId } = message;
      if (toolCallId !== undefined && !shownCalls.has(`${callers.get(toolCallId)} ${toolCallId}`)) return [];
      if (message.role === "assistant") for (const id of callsIn(message.content)) shownCalls.add(`${sourceEntry.id} ${id}`);
      return [said(sourceEntry.id, message)];
    });
  });
}

function callsIn(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  return (content as { type: string; id?: string }[]).flatMap(({ type, id }) =>
    type === "toolCall" && id !== undefined ? [id] : [],
  );
}

function said(entryId: string, message: Message | PiMessage): Said {
  const content = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
  return { entryId, role: message.role, content };
}

function same(their: Said, our: Said): boolean {
  if (their.entryId !== our.entryId || their.role !== our.role) return false;
  return isDeepStrictEqual(comparable(their.content), comparable(our.content));
}

/** Plain JSON, one name for signatures, and what stands between summary tags or behind the lead of a command. */
function comparable(content: unknown): unknown {
  const text = JSON.stringify(content)
    .replaceAll(/"(thinkingSignature|thoughtSignature)":"[^"]*",?/g, "")
    .replaceAll(/"signature":"[^"]*",?/g, "")
    .replaceAll(",}", "}");
  const summary = /<summary>(\\n)*([^]*?)(\\n)*<\/summary>/.exec(text)?.[2];
  const command = /(Ran `|The user ran this command: )(\w+)/.exec(text)?.[2];
  return summary ?? command ?? (JSON.parse(text) as unknown);
}
