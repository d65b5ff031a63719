/**
 * What the inspector is told of a session, and what a trace file holds, one record a line. Types only: the page is served
 * these files as they are, and everything it imports has to be in this folder or its own.
 */
import type { PolicySettings, SessionContext, SettledOutcome } from "../../../machines/types.ts";
import type { Entry } from "../../log/types.ts";
import type { SessionEvent } from "../../session/events.ts";

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

/** Fields by name, as an event has them; messages are reduced to what is not in their entry. */
export type TraceEvent = { readonly type: Exclude<SessionEvent["type"], "message_update"> } & {
  readonly [field: string]: unknown;
};

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
