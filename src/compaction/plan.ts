import { compactionThreshold, keepTokens, progressLimit } from "../../machines/window.ts";
import type { CompactionReason } from "../../machines/types.ts";
import type { CompactionEntry, ProjectedMessage, SessionLog } from "../log/types.ts";
import type { Message } from "../model/types.ts";
import type { ContextMeter } from "./context-meter.ts";
import { findCutPoint } from "./cut-point.ts";
import { estimateTokens } from "./estimate.ts";
import { SMALLEST_RESULT_TOKENS, shortenToolResults, type Shortening } from "./shorten.ts";

/** A token is at least a character, of nearly any text: where nothing was counted, no estimate is corrected by more than this. */
const MOST_DENSITY = 4;
/** Room for a summary that is not yet written: this share of the context, and no more than this many tokens. */
const SUMMARY_SHARE = 0.1;
const SUMMARY_TOKENS = 2000;
/** When what is kept has to be shortened, no tool result counts for more than this share of it. */
const RESULT_SHARE = 0.25;

export interface PlanSettings {
  reason: CompactionReason;
  omit: readonly string[];
  contextWindow: number | undefined;
  reserveTokens: number;
  keepRecentTokens: number;
  pendingTokens: number;
}

/** What a compaction would do, worked out before any request is made. */
export interface CompactionPlan {
  /** Tokens of the context now. */
  before: number;
  /** Messages to summarise; empty when only tool results are shortened. */
  summarised: ProjectedMessage[];
  /** Index in `summarised` of the message that begins the turn that is split. */
  openTurn?: number;
  /** The compaction before, whose summary is carried on. */
  previous?: CompactionEntry;
  /** Messages that stay, those shortened already replaced, and the edits that shorten them. */
  kept: Shortening;
  /** How many times more tokens text takes than four characters for one would make; from 1 to 4. */
  density: number;
  /** The context has to be smaller than this afterwards, in tokens, for the compaction to be worth it. */
  limit: number;
  /** Generation and length of the projection that was planned for. */
  generation: number;
  itemCount: number;
}

/** The items without those omitted, and without the results that lose their call with them. */
function withoutOmitted(items: readonly ProjectedMessage[], omit: readonly string[]): ProjectedMessage[] {
  const omitted = new Set(omit);
  const lostCalls = new Set<string>();
  return items.filter(({ entryId, message }) => {
    const out = omitted.has(entryId);
    if (message.role === "assistant") {
      for (const block of message.content) {
        if (block.type !== "toolCall") continue;
        if (out) lostCalls.add(block.id);
        else lostCalls.delete(block.id);
      }
    }
    return !out && !(message.role === "toolResult" && lostCalls.has(message.toolCallId));
  });
}

/** How many times more tokens something has than was estimated; 1 where it has not more. */
function density(tokens: number, estimated: number): number {
  return estimated <= 0 ? 1 : Math.max(1, tokens / estimated);
}

const sum = (items: readonly ProjectedMessage[], tokens: (message: Message) => number): number =>
  items.reduce((total, { message }) => total + tokens(message), 0);

/** Works out what to summarise, what to keep, and what of that to shorten. Changes nothing. */
export function planCompaction(log: SessionLog, meter: ContextMeter, settings: PlanSettings): CompactionPlan {
  const { contextWindow, reserveTokens, pendingTokens } = settings;
  const tokens = meter.estimate;
  const before = meter.tokens();
  const overhead = meter.overheadTokens();
  const threshold = compactionThreshold(contextWindow, reserveTokens);
  const overflow = settings.reason === "overflow";

  const { items, generation } = log.projection;
  // What the provider counted corrects estimates that are too low. That it refused the request says that the window is full.
  const estimated = overhead + sum(items, tokens);
  const refused = overflow ? Math.min(MOST_DENSITY, density(contextWindow ?? 0, estimated)) : 1;
  const tokenDensity = Math.max(density(before, estimated), refused);
  const textDensity = density(before, overhead + sum(items, estimateTokens));

  const remaining = withoutOmitted(items, settings.omit);
  const first = remaining[0] === undefined ? undefined : log.entry(remaining[0].entryId);
  const previous = first?.type === "compaction" ? first : undefined;
  const conversation = previous === undefined ? remaining : remaining.slice(1);

  const limit = progressLimit(before + pendingTokens, threshold) - pendingTokens;
  const room = (limit - Math.min(SUMMARY_TOKENS, limit * SUMMARY_SHARE)) / tokenDensity - overhead;
  const configured = Math.min(room, keepTokens(contextWindow, settings.keepRecentTokens) / tokenDensity);
  // What overflowed is at least halved.
  const keep = Math.floor(overflow ? Math.min(configured, sum(conversation, tokens) / 2) : configured);

  const messages = conversation.map(({ message }) => message);
  let cut = findCutPoint(messages, tokens, keep);
  let kept: Shortening = { items: conversation.slice(cut.index), drafts: [] };
  if (sum(kept.items, tokens) > room) {
    // It does not fit by itself. The large tool results in it will be shortened, so that more of what is around them can stay;
    // what is too much even so is not kept.
    const largest = Math.max(SMALLEST_RESULT_TOKENS, keep * RESULT_SHARE);
    const shortenedTokens = (message: Message): number =>
      Math.min(tokens(message), message.role === "toolResult" ? largest : Infinity);
    cut = findCutPoint(messages, shortenedTokens, keep, room);
    kept = shortenToolResults(conversation.slice(cut.index), tokens, keep);
  }
  return {
    before,
    summarised: conversation.slice(0, cut.index),
    kept,
    density: Math.min(MOST_DENSITY, Math.max(textDensity, refused)),
    limit,
    generation,
    itemCount: items.length,
    ...(cut.turnStart === undefined ? {} : { openTurn: cut.turnStart }),
    ...(previous === undefined ? {} : { previous }),
  };
}
