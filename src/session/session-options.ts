import type { InspectionEvent } from "xstate";
import type { SessionInput } from "../../machines/types.ts";
import type { AnyTool } from "../agent/types.ts";
import type { TokenEstimator } from "../compaction/index.ts";
import type { Classification, FailureFacts } from "../errors/types.ts";
import type { SessionLog } from "../log/index.ts";
import type { Model } from "../model/types.ts";
import type { Clock } from "../retry/clock.ts";
import type { ListenerErrorHandler } from "./emitter.ts";
import type { hostedMachine } from "./hosted-machine.ts";
import type { CompactionOptions, SessionActor } from "./session-parts.ts";
import type { SettingsPatch } from "./settings.ts";

export interface SessionOptions {
  /** The model to call; it can be changed later with `setModel`. */
  model: Model;
  /** Default none. */
  tools?: readonly AnyTool[];
  systemPrompt?: string;
  /** Over the defaults. */
  settings?: SettingsPatch;
  /** Where the session is kept; default in memory. A log that holds a session is gone on with. */
  log?: SessionLog;
  compaction?: CompactionOptions;
  /** Estimates the tokens of a message no usage tells of; default a token for four characters. */
  estimate?: TokenEstimator;
  /** Judges a failure before our rules do; undefined leaves it to them. */
  classify?: (facts: FailureFacts) => Classification | undefined;
  /** Default real time. */
  clock?: Clock;
  /** 0 <= n < 1; default `Math.random`. */
  random?: () => number;
  /** Ids of queued messages; default random. */
  newId?: () => string;
  /** XState's own inspection of the actor. It is slow: events under it cost up to half a millisecond. */
  inspect?: (event: InspectionEvent) => void;
  /** Told when a listener throws; default a process warning. */
  onListenerError?: ListenerErrorHandler;
  /** Creates the actor; give one to spawn it from a machine of your own. Default `createActor`. */
  spawn?: (machine: typeof hostedMachine, input: SessionInput) => SessionActor;
}

export interface PromptOptions {
  /** Aborts the session while this prompt is under way, or takes it out of its queue. */
  signal?: AbortSignal;
  /** What to do while the session is working: join the run after its current turn, or follow when all is done. */
  streamingBehavior?: "steer" | "followUp";
}
