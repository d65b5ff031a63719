/** The statechart, to be hosted elsewhere: under `createActor`, or replayed through XState's pure `transition()`. */
export { backoffDelayMs, type BackoffSettings } from "./backoff.ts";
export {
  decideAfterRun,
  demandedWaitMs,
  isOverThreshold,
  isRecoverableLength,
  OVERFLOW_AGAIN,
  runAfterRules,
  type RunAfterFacts,
  type RunAfterRule,
} from "./run-after.ts";
export { RETRY_CANCELLED } from "./session-actions.ts";
export { sessionMachine, type SessionMachine } from "./session.ts";
export type * from "./types.ts";
export { compactionThreshold, keepTokens, madeProgress } from "./window.ts";
