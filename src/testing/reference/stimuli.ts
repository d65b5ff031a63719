import { MAX_OUTPUT_TOKENS } from "./session.ts";
import type { ReferenceAnswer, ReferenceModel, ReferenceState, Stimulus } from "./world.ts";

/** The models of the reference's world: one that states a small window, and one that states none. */
export const smallModel: ReferenceModel = { name: "reference/small", window: 1000 };
export const unknownModel: ReferenceModel = { name: "reference/unknown", window: null };

/** Each kind of answer policy tells apart. */
export const answers = {
  good: { stopReason: "stop" },
  big: { stopReason: "stop", big: true },
  readTooMuch: { stopReason: "stop", inputTokens: 1001, outputTokens: 1 },
  toolCall: { stopReason: "toolUse", callsTool: true },
  cutAtLimit: { stopReason: "length", inputTokens: 10, outputTokens: MAX_OUTPUT_TOKENS },
  cutCall: { stopReason: "length", callsTool: true, inputTokens: 10, outputTokens: MAX_OUTPUT_TOKENS },
  cutByWindow: { stopReason: "length", inputTokens: 899, outputTokens: 1 },
  cutBelowWindow: { stopReason: "length", inputTokens: 898, outputTokens: 1 },
  overloaded: { stopReason: "error", failure: { action: "retry", kind: "overloaded" } },
  interrupted: { stopReason: "error", partial: true, failure: { action: "retry", kind: "stream_interrupted" } },
  waitLong: { stopReason: "error", failure: { action: "retry", kind: "rate_limited", retryAfterMs: 9000 } },
  waitTooLong: { stopReason: "error", failure: { action: "retry", kind: "rate_limited", retryAfterMs: 9001 } },
  overflow: { stopReason: "error", failure: { action: "compact", kind: "context_overflow", contextWindow: 1000 } },
  refused: { stopReason: "error", failure: { action: "stop", kind: "auth" } },
} as const satisfies Record<string, ReferenceAnswer>;

const answerNames = Object.keys(answers) as (keyof typeof answers)[];

/** What can happen, and how far it goes: only counters and queues are bounded. */
export interface Scope {
  /** Names of the answers a model may give; default all. */
  answers?: readonly (keyof typeof answers)[];
  /** Messages that wait in each queue at once; default 0. */
  steering?: number;
  followUp?: number;
  /** Calls of `prompt()` that wait while busy; default 0. */
  awaited?: number;
  /** Messages may be big; default true. */
  big?: boolean;
  /** Settings and model change; default false. */
  settings?: boolean;
  /** The session is disposed, or its process dies, and it is opened again; default false. */
  reopen?: boolean;
  /** Tools and compactions that were left behind and answer late, at once; default 0. */
  late?: number;
  /** Prompts may be aborted in the tick they are given in; default false. */
  sameTick?: boolean;
}

/** Everything that can happen in a state, within the scope. */
export function possibleStimuli(state: ReferenceState, scope: Scope): Stimulus[] {
  if (!state.disposed)
    return [...wishes(state, scope), ...answersTo(state, scope), ...(scope.reopen === true ? [{ type: "reopen" as const }] : [])];
  const reopens: Stimulus[] = state.policy.phase === "rest" ? [{ type: "reopen" }] : [];
  return [...answersTo(state, scope), { type: "prompt" }, { type: "steer" }, { type: "continue" }, ...reopens];
}

function wishes(state: ReferenceState, scope: Scope): Stimulus[] {
  const { policy } = state;
  const { phase, settings } = policy;
  const atRest = phase === "rest";
  const big = scope.big !== false;
  const stimuli: Stimulus[] = [{ type: "continue" }, { type: "compact" }, { type: "abortRetry" }];
  // Prompts that were aborted before their first request are told of by the next; how many wait is bounded.
  const mayPrompt = !atRest || state.unannounced < 1;
  if (mayPrompt) stimuli.push({ type: "prompt" });
  // An abort leaves a compaction behind that may answer late; how many do is bounded.
  const leavesBehind = phase === "compacting" && state.lateCompactions >= (scope.late ?? Infinity);
  if (!leavesBehind) stimuli.push({ type: "abort" });
  if (!leavesBehind && scope.reopen === true) stimuli.push({ type: "dispose" });
  if (atRest && mayPrompt && big) stimuli.push({ type: "prompt", big: true });
  if (atRest && mayPrompt && scope.sameTick === true) stimuli.push({ type: "promptThenAbort" });
  if ((scope.steering ?? 0) + (scope.followUp ?? 0) > 0) stimuli.push({ type: "clearQueue" });
  stimuli.push(...queueing(state, scope, "steer", policy.steering.length < (scope.steering ?? 0)));
  stimuli.push(...queueing(state, scope, "followUp", policy.followUp.length < (scope.followUp ?? 0)));
  if (scope.settings === true) {
    stimuli.push({ type: "setModel", model: policy.model === smallModel.name ? unknownModel : smallModel });
    stimuli.push(
      { type: "setSettings", settings: { retry: !settings.retry } },
      { type: "setSettings", settings: { compaction: !settings.compaction } },
    );
  }
  return stimuli;
}

function queueing({ policy, open, queued }: ReferenceState, scope: Scope, type: "steer" | "followUp", room: boolean): Stimulus[] {
  if (!room) return [];
  const stimuli: Stimulus[] = [{ type }];
  if (scope.big !== false) stimuli.push({ type, big: true });
  const awaited = Object.values(queued).filter((item) => item.awaited).length + Math.max(0, open - 1);
  if (policy.phase !== "rest" && awaited < (scope.awaited ?? 0)) stimuli.push({ type: "prompt", as: type });
  return stimuli;
}

function answersTo(state: ReferenceState, scope: Scope): Stimulus[] {
  const { policy, doing, lateTools, lateCompactions } = state;
  const { phase } = policy;
  const stimuli: Stimulus[] = [];
  if (phase === "running" && doing === "request") {
    for (const name of scope.answers ?? answerNames) stimuli.push({ type: "reply", answer: answers[name] });
  }
  if (doing === "tool") stimuli.push({ type: "toolEnds" });
  if (doing === "tool" && phase === "running" && scope.big !== false) stimuli.push({ type: "toolEnds", big: true });
  if (phase === "aborting" && doing === "request") stimuli.push({ type: "handBack" });
  if (phase === "aborting" && doing === "tool" && lateTools < (scope.late ?? Infinity)) stimuli.push({ type: "timePasses" });
  if (phase === "backoff") stimuli.push({ type: "timePasses" });
  if (phase === "compacting") {
    // In an empty conversation there is nothing that a compaction could leave out.
    if (state.tail !== "none") stimuli.push({ type: "compacted", status: "done" });
    for (const status of ["failed", "nothing", "no_progress", "aborted", "log"] as const)
      stimuli.push({ type: "compacted", status });
  }
  if (scope.late !== undefined && lateTools > 0) stimuli.push({ type: "lateTool" });
  if (scope.late !== undefined && lateCompactions > 0) stimuli.push({ type: "lateCompaction" });
  return stimuli;
}
