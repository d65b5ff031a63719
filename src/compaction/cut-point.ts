import type { Message } from "../model/types.ts";

export interface CutPoint {
  /** Messages from this index on are kept as they are; those before it are summarised. 0: nothing is. */
  index: number;
  /** Where the turn begins that the cut splits; undefined when the cut is at the start of a turn. */
  turnStart?: number;
}

/**
 * The indexes a conversation may be cut before: at a user or assistant message, never between a tool call and its result,
 * wherever that result stands.
 */
function cuttable(messages: readonly Message[]): boolean[] {
  const allowed = messages.map((message) => message.role !== "toolResult");
  const callIndexes = new Map<string, number>();
  messages.forEach((message, index) => {
    if (message.role === "assistant") {
      for (const block of message.content) if (block.type === "toolCall") callIndexes.set(block.id, index);
    } else if (message.role === "toolResult") {
      const callIndex = callIndexes.get(message.toolCallId) ?? index;
      for (let between = index; between > callIndex; between -= 1) allowed[between] = false;
    }
  });
  return allowed;
}

function turnStartBefore(messages: readonly Message[], index: number): number | undefined {
  for (let start = index - 1; start >= 0; start -= 1) if (messages[start]?.role === "user") return start;
  return undefined;
}

/**
 * Where to cut: the newest messages are kept until they reach `keepTokens`, and a few less where the place is not one to cut
 * at. Something is always kept: where no place from there on is one to cut at, the last one before it is taken, and more kept.
 *
 * @param tokens Tokens of one message.
 * @param keepTokens Tokens of the newest messages to keep.
 * @param mostTokens Tokens that what is kept should not exceed; where no place keeps so few, the one that keeps the fewest.
 */
export function findCutPoint(
  messages: readonly Message[],
  tokens: (message: Message) => number,
  keepTokens: number,
  mostTokens = Infinity,
): CutPoint {
  const allowed = cuttable(messages);
  let kept = 0;
  /** The best place so far: the first that is met, then every one before it that does not keep too much. */
  let cut = 0;
  for (let index = messages.length - 1; index > 0; index -= 1) {
    const message = messages[index];
    if (message !== undefined) kept += tokens(message);
    if (allowed[index] === true && (cut === 0 || kept <= mostTokens)) cut = index;
    if (kept >= keepTokens && cut > 0) break;
  }
  const [first] = messages;
  if (kept < keepTokens && (first === undefined || kept + tokens(first) <= mostTokens)) return { index: 0 };
  if (cut === 0 || messages[cut]?.role === "user") return { index: cut };
  const turnStart = turnStartBefore(messages, cut);
  return turnStart === undefined ? { index: cut } : { index: cut, turnStart };
}
