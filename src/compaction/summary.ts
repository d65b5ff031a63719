import type { Failure } from "../errors/types.ts";
import type { Message, Model } from "../model/types.ts";
import { summaryBudget, type SummaryBudget } from "./summary-budget.ts";
import { transcriptPieces } from "./summary-pieces.ts";
import { SUMMARY_SYSTEM_PROMPT, summaryPrompt } from "./summary-prompt.ts";
import { SummaryError } from "./summary-answer.ts";
import type { SummaryRequests } from "./summary-requests.ts";
import { boundText } from "../errors/index.ts";

export interface SummaryInput {
  /** Oldest first. */
  messages: readonly Message[];
  /** Index of the message that begins a turn whose end is not among the messages. */
  openTurn?: number;
  /** Summary of what came before the messages. */
  previousSummary?: string;
  instructions?: string;
  /** The messages are of a branch the user has left; default false. */
  abandoned?: boolean;
  /** Window to assume where the model states none, in tokens. */
  contextWindow?: number;
  reserveTokens: number;
  /** How many times more tokens the text takes than four characters for one would make; default 1. */
  density?: number;
}

/** Times a summary is tried anew, in half the window, after a request was refused for its size. */
const MOST_HALVINGS = 3;
/** An answer that was cut is asked for once more, this many times shorter. */
const SHORTER = 3;

/**
 * Writes one summary of the messages: in a single request where they fit one, else piece by piece, each carrying on the
 * summary of those before. No request is larger than the window; should the model refuse one for its size all the same, the
 * estimate was wrong, and smaller ones are made.
 *
 * @throws SummaryError, and the signal's reason after an abort.
 */
export async function writeSummary(requests: SummaryRequests, model: Model, input: SummaryInput): Promise<string> {
  let contextWindow = model.contextWindow ?? input.contextWindow;
  let halvings = 0;
  let shorter = 1;
  for (;;) {
    const budget = summaryBudget(
      { contextWindow, maxOutputTokens: model.maxOutputTokens, reserveTokens: input.reserveTokens, density: input.density ?? 1 },
      input.instructions?.length ?? 0,
    );
    try {
      return await writeWithin(requests, model, { ...budget, words: Math.ceil(budget.words / shorter) }, input);
    } catch (error) {
      if (!(error instanceof SummaryError)) throw error;
      if (error.failure.action === "compact" && halvings < MOST_HALVINGS) {
        halvings += 1;
        contextWindow = smallerWindow(budget.window, error.failure);
      } else if (error.failure.rule === "summary.cut" && shorter === 1) {
        shorter = SHORTER;
      } else {
        throw error;
      }
    }
  }
}

/** The window the refusal states, where that is news; else half of what was thought. */
function smallerWindow(window: number, { contextWindow }: Failure): number {
  return contextWindow !== undefined && contextWindow > 0 && contextWindow < window ? contextWindow : Math.floor(window / 2);
}

async function writeWithin(requests: SummaryRequests, model: Model, budget: SummaryBudget, input: SummaryInput): Promise<string> {
  let memory = input.previousSummary;
  const { messages, openTurn } = input;
  let pieces = memory === undefined ? transcriptPieces(messages, budget.transcript, openTurn) : [];
  if (pieces.length !== 1) pieces = transcriptPieces(messages, budget.transcript - budget.memory, openTurn);
  for (const [index, transcript] of pieces.entries()) {
    const text = summaryPrompt({
      transcript,
      openTurn: openTurn !== undefined && index === pieces.length - 1,
      abandoned: input.abandoned ?? false,
      words: budget.words,
      ...(memory === undefined ? {} : { memory: boundText(memory, budget.memory) }),
      ...(input.instructions === undefined ? {} : { instructions: boundText(input.instructions, budget.instructions) }),
    });
    memory = await requests.ask({
      systemPrompt: SUMMARY_SYSTEM_PROMPT,
      messages: [{ role: "user", content: text, timestamp: requests.now() }],
      // A model whose limit is not known may refuse any that it cannot keep: then the words asked for are the only bound.
      ...(model.maxOutputTokens === undefined ? {} : { maxOutputTokens: budget.outputTokens }),
    });
  }
  return memory ?? "(Nothing was said.)";
}
