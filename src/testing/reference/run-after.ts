import type { CompactionFor, PolicyState, ReferenceOutcome, ReferenceReply, RunEnded } from "./types.ts";

/** What follows a run. */
export type AfterRun =
  | { go: "settle"; outcome: ReferenceOutcome }
  | { go: "backoff"; waitMs: number; maxAttempts: number }
  | { go: "compact"; purpose: CompactionFor }
  | { go: "run" };

/** The run-after check of the design, row by row. */
export function afterRun(state: PolicyState, run: RunEnded): AfterRun {
  const { compaction } = state.settings;
  const completed: AfterRun = { go: "settle", outcome: { status: "completed", cut: run.reply?.stopReason === "length" } };
  const failed: AfterRun = { go: "settle", outcome: { status: "failed", cut: false } };

  // 1
  if (run.status === "aborted") return { go: "settle", outcome: { status: "aborted", cut: false } };
  // 2
  const wait = retryWait(state, run);
  if (wait) return { go: "backoff", ...wait };
  // 3
  if (compaction && run.status === "completed" && readMoreThanTheWindow(state, run.reply))
    return { go: "compact", purpose: "fullAnswer" };
  const overflow = run.status === "failed" && run.failure?.action === "compact" && ofSelectedModel(state, run.reply);
  const cutByWindow = recoverableLength(state, run.reply);
  // 4
  if ((overflow || cutByWindow) && state.recoveryUsed) return overflow ? failed : completed;
  // 5
  if ((overflow || cutByWindow) && compaction) return { go: "compact", purpose: overflow ? "overflow" : "length" };
  // 6
  if (run.status === "failed") return failed;
  // 7
  if (compaction && run.status === "paused") return { go: "compact", purpose: "paused" };
  if (compaction && !state.muted && overThreshold(state, run.tokens)) return { go: "compact", purpose: "answer" };
  // 8; a run that paused has more to do, though no queue says so
  if (run.status === "paused" || state.steering.length > 0 || state.followUp.length > 0) return { go: "run" };
  // 9
  return completed;
}

/** The context is above the window less the reserve; a small window gives a quarter of itself. */
export function overThreshold({ window, settings }: PolicyState, tokens: number): boolean {
  if (window === null) return false;
  const small = window < 4 * settings.reserveTokens;
  return tokens > window - (small ? Math.ceil(window / 4) : settings.reserveTokens);
}

/** Output is reported and below the limit, and the window, when known, at least nine tenths full. */
export function recoverableLength(state: PolicyState, reply: ReferenceReply | null): boolean {
  if (reply === null || reply.stopReason !== "length" || !ofSelectedModel(state, reply)) return false;
  const total = reply.inputTokens + reply.outputTokens;
  const belowLimit = reply.maxOutputTokens === null ? state.window !== null : reply.outputTokens < reply.maxOutputTokens;
  return total > 0 && belowLimit && (state.window === null || total * 10 >= state.window * 9);
}

function retryWait(state: PolicyState, run: RunEnded): { waitMs: number; maxAttempts: number } | null {
  const { settings, attempt } = state;
  const { failure } = run;
  if (run.status !== "failed" || failure === null || failure.action === "compact") return null;
  const own = settings.policies[failure.kind];
  const maxAttempts = own?.maxRetries ?? settings.maxRetries;
  if (!settings.retry || (own?.action ?? failure.action) !== "retry" || attempt >= maxAttempts) return null;
  const cap = own?.maxAgentDelayMs ?? settings.maxAgentDelayMs;
  const demanded = failure.retryAfterMs ?? 0;
  if (demanded > cap && demanded > settings.waitUpToMs) return null;
  let doubled = own?.baseDelayMs ?? settings.baseDelayMs;
  for (let retry = 0; retry < attempt; retry++) doubled *= 2;
  const planned = Math.min(doubled, cap);
  return { waitMs: Math.max(Math.round(planned + planned * settings.jitter * run.random), demanded), maxAttempts };
}

function readMoreThanTheWindow(state: PolicyState, reply: ReferenceReply | null): boolean {
  return (
    reply?.stopReason === "stop" && ofSelectedModel(state, reply) && state.window !== null && reply.inputTokens > state.window
  );
}

/** A message of another model says nothing about the selected one's window. */
function ofSelectedModel({ model }: PolicyState, reply: ReferenceReply | null): boolean {
  return reply === null || reply.model === model;
}
