import type { CompactionReason, RetryPolicy } from "../../machines/types.ts";
import type { Classification, Failure, FailureFacts, FailureKind } from "../errors/types.ts";
import type { Entry, EntryDraft, SessionLog } from "../log/types.ts";
import type { StreamLimits } from "../model/read-reply.ts";
import type { Message, Model, RequestRetrySettings, Usage } from "../model/types.ts";
import type { Clock } from "../retry/clock.ts";
import type { ContextMeter } from "./context-meter.ts";
import type { FileTools } from "./files.ts";

/** How often, and after which waits, a failed summary request is sent again. All times are milliseconds. */
export interface SummaryRetrySettings {
  enabled: boolean;
  /** Retries of each request, after its first try. */
  maxRetries: number;
  baseDelayMs: number;
  maxDelayMs: number;
  /** Share of the delay that chance may add. */
  jitter: number;
  /** A demanded wait (Retry-After) above `maxDelayMs` is waited for if it is at most this long; default 0: it fails at once. */
  longestDemandedWaitMs?: number;
  /** Per kind of failure: its `action` and `maxRetries` go before the failure's own and the general ones; default none. */
  policies?: { [kind in FailureKind]?: RetryPolicy };
}

export type SummarySource = "compaction" | "branch_summary";

/** What a summary tells of its retries; a wait is closed by exactly one `summarization_retry_finished`. */
export type SummaryEvent =
  /** Before a wait. `attempt` is the retry that follows it, from 1; `maxAttempts` the retries allowed. */
  | { type: "summarization_retry_scheduled"; attempt: number; maxAttempts: number; delayMs: number; errorMessage: string }
  /** The wait is over and the request is sent again. */
  | { type: "summarization_retry_attempt_start"; source: SummarySource; reason?: CompactionReason }
  | { type: "summarization_retry_finished"; success: boolean };

/** What a summary request needs of the outside. */
export interface SummaryPorts {
  /** The model that writes the summary. */
  model: Model;
  clock: Clock;
  /** 0 <= n < 1. */
  random: () => number;
  /** The user's abort. */
  signal: AbortSignal;
  retry: SummaryRetrySettings;
  limits: StreamLimits;
  /** Request-level retry, as for the session's own requests; default none. */
  requestRetry?: RequestRetrySettings;
  /** Judges a failure before our rules do. */
  classify?: (facts: FailureFacts) => Classification | undefined;
  onEvent: (event: SummaryEvent) => void;
  /** Asked before each request, retries included: a failure it returns stops the summary and no request is sent. */
  beforeRequest?: () => Failure | undefined;
}

/** What a replacement of the built-in summary is given. */
export interface SummarizeInput {
  /** The messages the summary has to stand for, oldest first. */
  messages: readonly Message[];
  /** Summary of what came before them, without the notes at its end. */
  previousSummary?: string;
  instructions?: string;
  signal: AbortSignal;
}

export interface CompactionPorts extends SummaryPorts {
  log: SessionLog;
  meter: ContextMeter;
  /** Window of the session's model, in tokens; absent when unknown. */
  contextWindow?: number;
  /** Tokens to leave free for the reply. */
  reserveTokens: number;
  /** Tokens of the newest messages to keep as they are. */
  keepRecentTokens: number;
  /** Writes the summary instead of the model; undefined leaves it to the model. */
  summarize?: (input: SummarizeInput) => Promise<string | undefined>;
  /** Estimated tokens of messages that will be delivered next: they have to find room too. Default 0. */
  pendingTokens?: number;
  /** Which tools touch files; default {@link DEFAULT_FILE_TOOLS}. */
  fileTools?: FileTools;
  /** Appends all in one write; may add drafts of its own. @throws LogError */
  commit: (drafts: EntryDraft[]) => Entry[];
  /** Told of what was done right in the moment of the commit: an abort that comes a moment later comes too late. */
  onDone?: (outcome: CompactionDone) => void;
}

export interface CompactionRequest {
  reason: CompactionReason;
  /** Ids of entries to be left out of the context, together with the compaction: a failed or cut reply and its results. */
  omit: readonly string[];
  /** What the person who asked wants of the summary. */
  instructions?: string;
}

export interface CompactionResult {
  /** The summary the model is shown; empty when tool results were shortened and nothing was ever summarised. */
  summary: string;
  firstKeptEntryId: string;
  tokensBefore: number;
  estimatedTokensAfter: number;
  usage?: Usage;
  details?: unknown;
}

interface Spent {
  /** Tokens of the context before. */
  tokensBefore: number;
  /** What the summary requests cost, failed ones included. */
  usage: Usage;
  /** Summary requests made, failed ones included. */
  requests: number;
}

export interface CompactionDone extends Spent {
  status: "done";
  /** The compaction entry; the last shortening when tool results were shortened and nothing was summarised. */
  entryId: string;
  /** Tokens of the context now, as the meter says. */
  tokensAfter: number;
  result: CompactionResult;
}

export interface CompactionNotDone extends Spent {
  /** `nothing`: there is nothing to leave out; `no_progress`: it would not have helped. The log is as it was. */
  status: "nothing" | "no_progress" | "failed" | "aborted";
  /** For people. */
  reason: string;
  failure?: Failure;
}

export type CompactionOutcome = CompactionDone | CompactionNotDone;
