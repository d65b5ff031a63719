import { initialState } from "./restored.ts";
import { smallModel, unknownModel, type Scope } from "./stimuli.ts";
import type { ReferenceSettings } from "./types.ts";
import type { ReferenceState } from "./world.ts";

/** A start, and what can happen from there. */
export interface World {
  name: string;
  initial: ReferenceState;
  scope: Scope;
}

export const referenceSettings: ReferenceSettings = {
  retry: true,
  maxRetries: 2,
  baseDelayMs: 1000,
  maxAgentDelayMs: 4000,
  jitter: 0,
  waitUpToMs: 9000,
  policies: {},
  compaction: true,
  reserveTokens: 100,
  queueMode: "one-at-a-time",
};

const opened = initialState({ model: smallModel, settings: referenceSettings, history: "small" });
const fresh = initialState({ model: unknownModel, settings: referenceSettings });

/** Worlds small enough to be explored to their end; each looks at what the others leave out. */
export const worlds: readonly World[] = [
  { name: "every answer", initial: opened, scope: { late: 1 } },
  {
    name: "a new session of unknown window",
    initial: fresh,
    scope: { answers: ["good", "big", "cutByWindow", "cutCall", "overloaded", "overflow"], steering: 1, big: false },
  },
  {
    name: "queues",
    initial: opened,
    scope: {
      answers: ["good", "toolCall", "cutCall", "overloaded", "overflow", "refused"],
      steering: 1,
      followUp: 1,
      awaited: 1,
      big: false,
    },
  },
  { name: "big messages", initial: opened, scope: { answers: ["good", "big", "toolCall", "overflow"], steering: 1 } },
  {
    name: "settings",
    initial: opened,
    scope: { answers: ["big", "cutByWindow", "readTooMuch", "overloaded", "overflow"], settings: true, big: false },
  },
  {
    name: "restarts",
    initial: opened,
    scope: { answers: ["good", "toolCall", "cutByWindow", "overloaded", "overflow", "refused"], reopen: true, sameTick: true },
  },
  {
    name: "restarts with a queue",
    initial: opened,
    scope: { answers: ["good", "big", "overloaded", "overflow"], reopen: true, steering: 1, big: false },
  },
];
