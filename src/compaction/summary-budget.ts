import { makeFailure } from "../errors/index.ts";
import { CHARACTERS_PER_TOKEN } from "./estimate.ts";
import { SUMMARY_SYSTEM_PROMPT, summaryPrompt } from "./summary-prompt.ts";
import { SummaryError } from "./summary-answer.ts";

/** Assumed of a model that does not say its window; a refusal for its size teaches better. */
const ASSUMED_WINDOW_TOKENS = 128_000;
/** A summary may take this share of the reserve kept for replies. */
const RESERVE_SHARE = 0.8;
const LEAST_OUTPUT_TOKENS = 1024;
/** A transcript shorter than this says nothing. */
const LEAST_TRANSCRIPT_CHARACTERS = 400;
const MOST_WORDS = 1500;
const WORDS_PER_TOKEN = 0.5;

/** What one summary request may hold. */
export interface SummaryBudget {
  /** Window the request fits, in tokens. */
  window: number;
  outputTokens: number;
  /** Words asked for. */
  words: number;
  /** Characters of the transcript, when no memory goes with it. */
  transcript: number;
  /** Characters of the memory of what came before. */
  memory: number;
  /** Characters of instructions. */
  instructions: number;
}

export interface SummaryModelLimits {
  /** Tokens; undefined when unknown. */
  contextWindow: number | undefined;
  /** Tokens; undefined when unknown. */
  maxOutputTokens: number | undefined;
  reserveTokens: number;
  /** How many times more tokens the text takes than four characters for one would make; from 1. */
  density: number;
}

/**
 * How much one request may hold, so that it fits the window together with its answer.
 *
 * @param instructionsLength Characters of the instructions that are to go with each request.
 * @throws SummaryError when the window is too small to say anything in.
 */
export function summaryBudget(limits: SummaryModelLimits, instructionsLength: number): SummaryBudget {
  const window = limits.contextWindow ?? ASSUMED_WINDOW_TOKENS;
  const outputTokens = Math.max(
    1,
    Math.min(
      limits.maxOutputTokens ?? Infinity,
      Math.max(LEAST_OUTPUT_TOKENS, Math.floor(limits.reserveTokens * RESERVE_SHARE)),
      Math.floor(window / 4),
    ),
  );
  const words = Math.max(1, Math.min(MOST_WORDS, Math.floor(outputTokens * WORDS_PER_TOKEN)));
  const input = Math.floor(((window - outputTokens) * CHARACTERS_PER_TOKEN) / limits.density);
  const instructions = Math.min(instructionsLength, Math.floor(input / 8));
  const frame = summaryPrompt({ transcript: "", memory: "", instructions: "", openTurn: true, abandoned: true, words });
  // The system prompt and the message are each rounded up to a whole token.
  const rounding = 2 * CHARACTERS_PER_TOKEN;
  const transcript = input - SUMMARY_SYSTEM_PROMPT.length - frame.length - instructions - rounding;
  const memory = Math.floor(Math.max(0, transcript) / 4);
  if (transcript - memory < LEAST_TRANSCRIPT_CHARACTERS) throw new SummaryError(tooSmall(window));
  return { window, outputTokens, words, transcript, memory, instructions };
}

const tooSmall = (window: number) =>
  makeFailure({
    action: "stop",
    kind: "context_overflow",
    rule: "summary.window-too-small",
    message: `A window of ${window} tokens is too small to summarise a conversation in`,
    why: "The summary's own prompt and answer would fill it.",
    hint: "Use a model with a larger window, or one with a larger window for summaries (compaction.model).",
  });
