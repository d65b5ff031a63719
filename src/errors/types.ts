/** What a session does about a failure. */
export type FailureAction = "retry" | "compact" | "stop";

/** What kind of failure it is: the labels of the error corpus, and three of our own. */
export type FailureKind =
  | "overloaded"
  | "rate_limited"
  | "server_error"
  | "timeout"
  | "network"
  | "stream_interrupted"
  | "context_overflow"
  | "quota_exhausted"
  | "auth"
  | "invalid_request"
  | "model_not_found"
  | "content_policy"
  | "output_limit"
  | "config"
  | "unknown"
  /** The session log could not be written. */
  | "log"
  /** A limit of the settings was reached (`limits.maxTurns`, `limits.maxRequests`). */
  | "limit"
  /** A fault in this library or in code it was given. */
  | "internal";

/** One link of an error's `cause` chain, redacted. */
export interface FailureCause {
  name: string;
  message: string;
  code?: string;
}

/** Token numbers an error states, as far as it does. */
export interface FailureTokens {
  /** Input (or input plus output) tokens of the refused request. */
  requested?: number;
  /** Input tokens alone, where the error tells them apart. */
  input?: number;
  /** The limit it broke: a window or a rate. */
  limit?: number;
  /** The context window, where the error says that the limit is one. */
  window?: number;
  /** The output tokens asked for, or the most that may be asked for. */
  maxOutput?: number;
}

/** Everything known about a failure before it is judged. Plain JSON, redacted, bounded. */
export interface FailureFacts {
  provider?: string;
  /** HTTP status. */
  status?: number;
  /** The provider's error code, such as `insufficient_quota`; or the system error code, such as `ECONNRESET`. */
  code?: string;
  /** The provider's error type, such as `overloaded_error`. */
  type?: string;
  /** Every further code and type found, outermost first. */
  codes: string[];
  requestId?: string;
  /** A demanded wait, in milliseconds from now. */
  retryAfterMs?: number;
  /** When a limit ends, in milliseconds since the epoch. */
  resetAt?: number;
  tokens?: FailureTokens;
  /** Name of the error thrown, such as `APIConnectionError`; empty for what is no error object. */
  name: string;
  /** The provider's own message where one was found, else the error's. */
  message: string;
  /** All text of the failure, bounded: head and tail are kept. */
  text: string;
  /** The whole `cause` chain, outermost first, without the error itself. */
  causes: FailureCause[];
  /** Content had already streamed when it failed. */
  partial: boolean;
}

/** The verdict on a failure. */
export interface Classification {
  action: FailureAction;
  kind: FailureKind;
  /** Id of the rule that decided. */
  rule: string;
  /** The rule's reason, for people. */
  why: string;
  retryAfterMs?: number;
  resetAt?: number;
}

/** An error described, classified and redacted. Plain JSON. */
export interface Failure {
  action: FailureAction;
  kind: FailureKind;
  /** Status, the provider's text, the deepest cause; bounded. */
  message: string;
  /** What a person can do about it. */
  hint: string;
  why: string;
  rule: string;
  status?: number;
  code?: string;
  requestId?: string;
  retryAfterMs?: number;
  resetAt?: number;
  /** The model's context window in tokens, where an overflow error states it. */
  contextWindow?: number;
  causes: FailureCause[];
}

/** What is known beside the value itself. */
export interface FailureContext {
  provider?: string;
  /** HTTP status, when the value does not carry it. */
  status?: number;
  /** Content had already streamed. */
  partial?: boolean;
  /** Milliseconds since the epoch, to turn dates into waits; default `Date.now()`. */
  now?: number;
  /** For the hint: the base URL in use, and the environment variable the key comes from. */
  baseUrl?: string;
  keyVariable?: string;
  /** For the hint: the proxy requests go through. */
  proxy?: string;
  /** For the hint of an overflow: what takes most room in the context. */
  largestItem?: { label: string; tokens: number };
  /** Judges before our rules do; undefined leaves it to them. One that throws is passed over. */
  classify?: (facts: FailureFacts) => Classification | undefined;
}
