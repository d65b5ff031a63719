import type { Clock } from "../retry/clock.ts";
import type { AssistantMessage, Model, ModelEvent, ModelRequest, RequestRetrySettings } from "./types.ts";

/** Time limits of one model stream, in milliseconds; an absent one is none. Keep-alives are no model events, thinking is. */
export interface StreamLimits {
  firstEventMs?: number;
  idleMs?: number;
  totalMs?: number;
}

export interface ReadReplyOptions {
  /** The user's abort. The only thing that makes a reply `aborted`. */
  signal: AbortSignal;
  clock: Clock;
  random?: () => number;
  limits?: StreamLimits;
  requestRetry?: RequestRetrySettings;
  /** Called for each event as it comes, with the message as it stands; `done` and `error` included. */
  onEvent?: (event: ModelEvent, message: AssistantMessage) => void;
}

export declare function readReply(model: Model, request: ModelRequest, options: ReadReplyOptions): Promise<AssistantMessage>;
