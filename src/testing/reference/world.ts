import type {
  CompactionFor,
  PolicyInput,
  PolicyState,
  ReferenceEvent,
  ReferenceFailure,
  ReferenceReply,
  ReferenceSettings,
} from "./types.ts";

/** A model of the reference's world. */
export interface ReferenceModel {
  name: string;
  /** Tokens; null: not known. */
  window: number | null;
}

/** What a model answers to a request. */
export interface ReferenceAnswer {
  stopReason: "stop" | "length" | "toolUse" | "error";
  /** It asks for a tool. */
  callsTool?: true;
  /** It takes so much room that the context is over the threshold. */
  big?: true;
  /** Text had arrived before it failed. */
  partial?: true;
  inputTokens?: number;
  outputTokens?: number;
  /** Set for `error`. */
  failure?: ReferenceFailure;
}

/** Everything that can happen to a session, from outside: what people do, and what their models, tools and clocks answer. */
export type Stimulus =
  /** `as`: while busy, how it joins; without it a busy session refuses. */
  | { type: "prompt"; big?: true; as?: "steer" | "followUp" }
  /** A prompt, and an abort in the same tick. */
  | { type: "promptThenAbort" }
  | { type: "steer" | "followUp"; big?: true }
  | { type: "clearQueue" | "abort" | "abortRetry" | "compact" | "continue" | "dispose" }
  | { type: "setModel"; model: ReferenceModel }
  | { type: "setSettings"; settings: Partial<ReferenceSettings> }
  /** The process dies, and the session is opened again from its log; also how a disposed session is opened again. */
  | { type: "reopen" }
  | { type: "reply"; answer: ReferenceAnswer }
  | { type: "toolEnds"; big?: true }
  /** An aborted request hands back what it has. */
  | { type: "handBack" }
  | { type: "compacted"; status: Extract<PolicyInput, { type: "compacted" }>["status"] }
  /** Time passes until the wait is over, or the grace time of an abort. */
  | { type: "timePasses" }
  /** Something that was left behind answers after all. */
  | { type: "lateTool" | "lateCompaction" };

export interface QueuedItem {
  big: boolean;
  /** A `prompt()` waits for it. */
  awaited: boolean;
}

/** A session and the world around it. */
export interface ReferenceState {
  policy: PolicyState;
  disposed: boolean;
  /** What the run under way waits for. */
  doing: "nothing" | "request" | "tool";
  /** The model as it was told to the session, and the one that was asked by the request under way. */
  model: ReferenceModel;
  asked: string;
  /** Last message of the log. */
  tail: "none" | "user" | "toolResult" | "answer" | "failed" | "aborted";
  tailCut: boolean;
  /** The last reply is left out by an edit. */
  tailOmitted: boolean;
  /** The last message is a refusal of the request as too long, and no compaction followed it. */
  overflowOpen: boolean;
  /** Something in the context fills it over the threshold. */
  big: boolean;
  /** Messages that are in the log, and that no event has told of. */
  unannounced: number;
  lengthStops: number;
  lastReply: ReferenceReply | null;
  queued: Readonly<Record<string, QueuedItem>>;
  nextId: number;
  /** Calls of `prompt()` and `continue()` that wait for the session to settle. */
  open: number;
  /** A compaction by hand that is waited for. */
  compactAwaited: boolean;
  /** A pending retry in the log. */
  retryRecord: { attempt: number; waitMs: number; failureKind: string } | null;
  lateTools: number;
  lateCompactions: number;
}

/** What may be at work after a step; nothing else may. */
export interface ReferenceWork {
  /** Requests to the session's model. */
  requests: number;
  tools: number;
  compactions: number;
  /** Milliseconds of each wait of the statechart that is under way. */
  waits: number[];
}

export interface ReferenceStep {
  state: ReferenceState;
  events: ReferenceEvent[];
  /** False: it is refused with an error, and nothing has changed. */
  accepted: boolean;
  /** How calls of `prompt()`, `continue()` and `compact()` ended in this step, in any order. */
  answers: string[];
  /** What reached the policy, in order. */
  inputs: PolicyInput[];
}

export type { CompactionFor };
