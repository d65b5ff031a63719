import type { EntryDraft, ProjectedMessage } from "../log/types.ts";
import type { Message, TextBlock, ToolResultMessage } from "../model/types.ts";
import { CHARACTERS_PER_TOKEN, type TokenEstimator } from "./estimate.ts";
import { boundText } from "../errors/index.ts";

/** No tool result is made smaller than this: below it the head and tail say nothing any more. */
export const SMALLEST_RESULT_TOKENS = 200;

export interface Shortening {
  /** The messages, the shortened ones replaced. */
  items: ProjectedMessage[];
  /** What makes the log show them so. */
  drafts: EntryDraft[];
}

/**
 * The size every larger tool result has to come down to, so that `excess` tokens are saved: the largest are levelled first,
 * small ones stay whole.
 */
function level(sizes: readonly number[], excess: number): number {
  const descending = sizes.toSorted((left, right) => right - left);
  let saved = 0;
  for (let count = 1; count <= descending.length; count += 1) {
    const size = descending[count - 1] ?? 0;
    const next = Math.max(descending[count] ?? 0, SMALLEST_RESULT_TOKENS);
    const step = (size - next) * count;
    if (saved + step >= excess) return Math.floor(size - (excess - saved) / count);
    saved += Math.max(0, step);
  }
  return SMALLEST_RESULT_TOKENS;
}

function plainText(result: ToolResultMessage): string {
  return result.content.map((block) => (block.type === "text" ? block.text : `[image (${block.mimeType}) left out]`)).join("\n");
}

/** Ends a shortened result, and names what it was at first, however often it was shortened. */
const MARK = /\n\[this result had (\d+) characters and was shortened to make room\]$/;
const mark = (characters: number): string => `\n[this result had ${characters} characters and was shortened to make room]`;

/** The result with its text cut to what fits `tokens` by the estimator, whatever the estimator thinks of a character. */
function shortened(result: ToolResultMessage, tokens: number, estimate: TokenEstimator): ToolResultMessage {
  const shown = plainText(result);
  const text = shown.replace(MARK, "");
  const note = mark(Number(MARK.exec(shown)?.[1] ?? text.length));
  let limit = tokens * CHARACTERS_PER_TOKEN;
  for (;;) {
    const content: TextBlock[] = [{ type: "text", text: boundText(text, Math.max(0, limit - note.length)) + note }];
    const candidate = { ...result, content };
    const size = estimate(candidate);
    if (size <= tokens || limit <= note.length) return candidate;
    limit = Math.floor(Math.min(limit * 0.9, (limit * tokens) / size));
  }
}

/**
 * Shortens the largest tool results until the messages take at most `budget` tokens, or none larger than
 * {@link SMALLEST_RESULT_TOKENS} is left. Head and tail of each stay; a mark names the size it had; its images are left out.
 */
export function shortenToolResults(items: readonly ProjectedMessage[], estimate: TokenEstimator, budget: number): Shortening {
  const sizes = items.map(({ message }) => estimate(message));
  const excess = sizes.reduce((sum, size) => sum + size, 0) - budget;
  if (excess <= 0) return { items: [...items], drafts: [] };
  const limit = level(
    sizes.filter((_, index) => items[index]?.message.role === "toolResult"),
    excess,
  );
  const drafts: EntryDraft[] = [];
  const result = items.map((item, index) => {
    if (item.message.role !== "toolResult" || (sizes[index] ?? 0) <= limit) return item;
    const message: Message = shortened(item.message, limit, estimate);
    drafts.push({ type: "context_edit", targetId: item.entryId, replacement: { content: [...message.content] } });
    return { ...item, message };
  });
  return { items: result, drafts };
}
