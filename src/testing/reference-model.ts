/**
 * The reference model: what a session does, written a second time from its design alone. It shares no code with the statechart
 * and the controller, so that each can be judged by it. `policyStep` is what decides; `sessionStep` is a whole session with its
 * agent loop, queues and log, as far as they can be seen from outside.
 */
export { observedEvent } from "./reference/observed.ts";
export { policyStep } from "./reference/policy.ts";
export { initialState, type InitialState } from "./reference/restored.ts";
export { BIG_TOKENS, CHANCE, GRACE_MS, MAX_OUTPUT_TOKENS, sessionStep } from "./reference/session.ts";
export { answers, possibleStimuli, smallModel, unknownModel, type Scope } from "./reference/stimuli.ts";
export type * from "./reference/types.ts";
export type {
  QueuedItem,
  ReferenceAnswer,
  ReferenceModel,
  ReferenceState,
  ReferenceStep,
  ReferenceWork,
  Stimulus,
} from "./reference/world.ts";
export { stateKey, workOf } from "./reference/work.ts";
export { referenceSettings, worlds, type World } from "./reference/worlds.ts";
