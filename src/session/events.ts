import type { CompactionReason, SessionMachineEmitted } from "../../machines/types.ts";
import type { AgentEvent } from "../agent/types.ts";
import type { CompactionResult, SummaryEvent } from "../compaction/types.ts";
import type { Failure } from "../errors/types.ts";
import type { Entry, LogDiagnostic } from "../log/types.ts";
import type { AssistantMessage, Message, Usage } from "../model/types.ts";

/** How a prompt ended. */
export interface PromptOutcome {
  /** `queued`: the session settled before this prompt was delivered; it stays queued. */
  status: "completed" | "failed" | "aborted" | "queued";
  /** The answer was cut at an output limit or by a full window. */
  cut?: true;
  /** The last assistant message. */
  message?: AssistantMessage;
  /** Set when `status` is `failed`. */
  failure?: Failure;
  /** Retries made, over all streaks. */
  retries: number;
  /** Model requests made, summaries included. */
  requests: number;
  /** Of all requests, failed ones included. */
  usage: Usage;
}

type Emitted<Type extends SessionMachineEmitted["type"]> = Extract<SessionMachineEmitted, { type: Type }>;

/** Everything a session tells its subscribers. */
export type SessionEvent =
  | { type: "agent_start" }
  | AgentEvent
  /** `messages`: those of this run. `rule`: the rule of the run-after check that decided. */
  | (Emitted<"agent_end"> & { messages: Message[] })
  | Emitted<"auto_retry_start">
  | Emitted<"auto_retry_end">
  | Emitted<"compaction_start">
  | {
      type: "compaction_end";
      reason: CompactionReason;
      result?: CompactionResult;
      aborted: boolean;
      willRetry: boolean;
      errorMessage?: string;
    }
  | SummaryEvent
  /** The prompt is over. `queued`: messages that stay queued. */
  | { type: "agent_settled"; aborted: boolean; outcome: PromptOutcome; queued: number }
  /** The texts of both queues, after a change. */
  | { type: "queue_update"; steering: string[]; followUp: string[] }
  /** An entry that no other event announces was written. */
  | { type: "entry_appended"; entry: Entry }
  /** Partial text that was shown is void: the request is repeated from its start. */
  | { type: "partial_discarded"; message: AssistantMessage }
  | { type: "log_diagnostic"; diagnostic: LogDiagnostic };
