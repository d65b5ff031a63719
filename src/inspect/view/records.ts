/**
 * What the inspector is told of a session, and what a trace file holds, one record a line. Types only: the page is served
 * these files as they are, and everything it imports has to be in this folder or its own.
 */
import type { PolicySettings, SessionContext, SettledOutcome } from "../../../machines/types.ts";
import type { Failure } from "../../errors/types.ts";
import type { Entry } from "../../log/types.ts";
import type { AssistantMessage, Message, Usage } from "../../model/types.ts";
import type { PromptOutcome, SessionEvent } from "../../session/events.ts";

/** Version of the records; a reader refuses a later one. */
export type TraceVersion = 1;

/** A statechart's state: its name, or the name of a parent with the state inside. */
export type StateValue = string | { readonly [parent: string]: StateValue | undefined };

/** The session's state in numbers and names, as it is after a step. */
export interface SessionFacts {
  /** The statechart's state, with its parent: `running.live`. */
  state: string;
  /** Retry under way, from 1; 0 outside a streak. */
  attempt: number;
  maxAttempts: number;
  /** When the wait under way ends, in milliseconds since the epoch. */
  retryAt: number | null;
  /** Estimated tokens of the context. */
  contextTokens: number;
  /** Tokens; null while unknown. */
  contextWindow: number | null;
  /** Tokens above which the session compacts; null while the window is unknown. */
  threshold: number | null;
  model: string;
  /** Ids of queued messages. */
  steering: string[];
  followUp: string[];
  /** The one compact-and-retry of this user message is spent. */
  overflowRecoveryUsed: boolean;
  /** The threshold is not looked at until the next user message. */
  thresholdMuted: boolean;
  outcome: SettledOutcome | null;
}

/** An event of the statechart, or an answer to what it invoked, as plain data. */
export type MachineInput = { readonly type: string } & { readonly [field: string]: unknown };

type Of<Type extends SessionEvent["type"]> = Extract<SessionEvent, { type: Type }>;

/** What an event says of a message; the message itself is in its entry, once. */
export interface TracedMessage {
  role: Message["role"];
  /** The entry it is in; absent for one that was not logged. */
  entryId?: string;
  /** Of a reply. */
  model?: string;
  stopReason?: AssistantMessage["stopReason"];
  usage?: Usage;
  errorMessage?: string;
  failure?: Failure;
  /** Of a tool's result. */
  toolName?: string;
  isError?: boolean;
}

/** Events that hold messages, or what grows with them; `message_update` is told as `delta` records. */
type Reduced =
  | "message_update"
  | "message_start"
  | "message_end"
  | "turn_end"
  | "agent_end"
  | "agent_settled"
  | "partial_discarded"
  | "entry_appended"
  | "tool_execution_start"
  | "tool_execution_update"
  | "tool_execution_end";

/** An event of the session as a trace holds it. */
export type TraceEvent =
  | Exclude<SessionEvent, { type: Reduced }>
  | { type: "message_start"; role: Message["role"] }
  | ({ type: "message_end" } & TracedMessage)
  | { type: "turn_end"; stopReason: AssistantMessage["stopReason"]; toolResults: number }
  /** `messages`: how many. */
  | (Omit<Of<"agent_end">, "messages"> & { messages: number })
  | (Omit<Of<"agent_settled">, "outcome"> & { outcome: Omit<PromptOutcome, "message"> })
  | { type: "partial_discarded" }
  | { type: "entry_appended"; entryType: Entry["type"]; id: string }
  /** `args` and `partialResult` as they are, or as the beginning of their JSON where they are long. */
  | (Omit<Of<"tool_execution_start">, "args"> & { args: unknown })
  | { type: "tool_execution_update"; toolCallId: string; toolName: string; partialResult: unknown }
  | Omit<Of<"tool_execution_end">, "result">;

/** `t`: milliseconds since the epoch. */
export type TraceRecord =
  /** The first: the session as it was when the recording began. */
  | {
      kind: "session";
      t: number;
      version: TraceVersion;
      id: string;
      settings: PolicySettings;
      facts: SessionFacts;
      /** The statechart's snapshot, to run it again from there. */
      machine: { value: StateValue; context: SessionContext };
      /** Older entries of the log that are not in the record. */
      earlier: number;
    }
  /** Entries that were written to the log. */
  | { kind: "entries"; t: number; entries: Entry[] }
  /** The statechart took an event or an answer. `path`: the transitions, `source>target` each; none when it stayed. */
  | { kind: "step"; t: number; input: MachineInput; path: string[]; facts: SessionFacts }
  /** The session told its subscribers. */
  | { kind: "event"; t: number; event: TraceEvent }
  /** Pieces of a reply as they streamed in, put together. */
  | { kind: "delta"; t: number; block: "text" | "thinking" | "toolCall"; index: number; text: string }
  /** The session was disposed. */
  | { kind: "end"; t: number };

export type RecordOf<Kind extends TraceRecord["kind"]> = Extract<TraceRecord, { kind: Kind }>;

/** A rule of the run-after check, in words. */
export interface RuleText {
  name: string;
  when: string;
  then: string;
}

/** First message of the inspector to its page. */
export interface Hello {
  control: boolean;
  rules: RuleText[];
  sessions: { key: string; title: string; live: boolean }[];
}

/** What the page may ask for, when control is on. */
export type ControlAction = { session: string } & (
  | { action: "abort" | "abortRetry" | "compact" }
  | { action: "steer"; text: string }
);
