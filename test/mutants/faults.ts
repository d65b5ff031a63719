/** A small fault to plant: the first place of `find` in `file` becomes `replace`. */
export interface PlantedFault {
  name: string;
  file: string;
  find: string;
  replace: string;
}

const RULES = "machines/run-after.ts";
const FACTS = "machines/session-facts.ts";
const GUARDS = "machines/session-guards.ts";
const ACTIONS = "machines/session-actions.ts";
const CHART = "machines/session.ts";

/** Small faults of the kind people make, in all that decides. Each has to make a test of the proof fail. */
export const plantedFaults: readonly PlantedFault[] = [
  {
    name: "an abort is not the first rule",
    file: RULES,
    find: `matches: ({ run }) => run.status === "aborted",`,
    replace: `matches: ({ run }) => run.status === "aborted" && run.reply === null,`,
  },
  { name: "one retry too many", file: RULES, find: "attempt >= maxAttempts", replace: "attempt > maxAttempts" },
  { name: "retries though they are off", file: RULES, find: "if (!retry.enabled || ", replace: "if (" },
  {
    name: "overflow may be retried by a policy or rule",
    file: RULES,
    find: `failure.action !== "compact" && (policy.action ?? failure.action) === "retry"`,
    replace: `(policy.action ?? failure.action) !== "stop"`,
  },
  { name: "policies are not looked at", file: RULES, find: "(policy.action ?? failure.action)", replace: "failure.action" },
  {
    name: "the delay is one attempt behind",
    file: RULES,
    find: "backoffDelayMs(backoff, attempt + 1,",
    replace: "backoffDelayMs(backoff, attempt,",
  },
  { name: "Retry-After is no floor", file: RULES, find: "run.random, demandedMs)", replace: "run.random)" },
  {
    name: "a long wait is waited for however long",
    file: RULES,
    find: "if (demandedMs > Math.max(maxDelayMs, retry.longWait.waitUpToMs)) return null;",
    replace: "",
  },
  {
    name: "a long wait is refused at its limit",
    file: RULES,
    find: "if (demandedMs > Math.max(",
    replace: "if (demandedMs >= Math.max(",
  },
  {
    name: "the cap is not doubled up to but beyond",
    file: "machines/backoff.ts",
    find: "Math.min(exponential, settings.maxDelayMs)",
    replace: "exponential",
  },
  { name: "jitter is taken off", file: "machines/backoff.ts", find: "1 + settings.jitter", replace: "1 - settings.jitter" },
  {
    name: "a full answer is compacted with compaction off",
    file: RULES,
    find: `settings.compaction.enabled && run.status === "completed" && overflowedSilently`,
    replace: `run.status === "completed" && overflowedSilently`,
  },
  {
    name: "a second recovery for one message",
    file: RULES,
    find: `facts.overflowRecoveryUsed && (`,
    replace: `facts.overflowRecoveryUsed && facts.attempt > 0 && (`,
  },
  {
    name: "recovery with compaction off",
    file: RULES,
    find: "facts.settings.compaction.enabled && (overflowFailure(facts)",
    replace: "(overflowFailure(facts)",
  },
  {
    name: "a cut reply is repeated as an overflow",
    file: RULES,
    find: `purpose: overflowFailure(facts) ? "overflow" : "length"`,
    replace: `purpose: "overflow"`,
  },
  {
    name: "the threshold is looked at though muted",
    file: RULES,
    find: "(!facts.thresholdMuted && isOverThreshold",
    replace: "(isOverThreshold",
  },
  {
    name: "at the threshold is over it",
    file: RULES,
    find: "contextTokens > threshold",
    replace: "contextTokens >= threshold - 900",
  },
  {
    name: "follow-ups are forgotten after a run",
    file: RULES,
    find: "steering.length + followUp.length > 0",
    replace: "steering.length > 0",
  },
  {
    name: "a cut reply of another model counts",
    file: RULES,
    find: `reply?.stopReason !== "length" || reply.model !== model.key`,
    replace: `reply?.stopReason !== "length"`,
  },
  {
    name: "a reply at its output limit counts as cut by the window",
    file: RULES,
    find: "reply.outputTokens >= reply.maxOutputTokens",
    replace: "reply.outputTokens > reply.maxOutputTokens",
  },
  { name: "nine tenths of the window are not enough", file: RULES, find: "used >= 0.9 *", replace: "used > 0.9 *" },
  {
    name: "an overflow of another model counts",
    file: RULES,
    find: "run.reply === null || run.reply.model === model.key",
    replace: "true",
  },
  {
    name: "late answers count",
    file: GUARDS,
    find: `"output" in event && event.output.token !== context.token`,
    replace: `"output" in event && event.output.token > context.token`,
  },
  {
    name: "a late delivery counts",
    file: GUARDS,
    find: `"token" in event && event.token === context.token`,
    replace: `"token" in event`,
  },
  {
    name: "a prompt keeps the recovery mark",
    file: ACTIONS,
    find: "beginPrompt: assign({ attempt: 0, overflowRecoveryUsed: false,",
    replace: "beginPrompt: assign({ attempt: 0,",
  },
  {
    name: "a prompt keeps the mute",
    file: ACTIONS,
    find: "overflowRecoveryUsed: false, thresholdMuted: false, pending: null }",
    replace: "overflowRecoveryUsed: false, pending: null }",
  },
  {
    name: "a delivered message keeps the recovery mark",
    file: ACTIONS,
    find: "userMessageAppended: assign({ overflowRecoveryUsed: false,",
    replace: "userMessageAppended: assign({",
  },
  {
    name: "an aborted run counts as what it says",
    file: ACTIONS,
    find: `context.abortDeadline === null ? output :`,
    replace: `context.abortDeadline !== null ? output :`,
  },
  { name: "any model's error teaches the window", file: ACTIONS, find: "const teaches = own && ", replace: "const teaches = " },
  {
    name: "the streak is not counted",
    file: ACTIONS,
    find: "attempt: context.attempt + 1, retryAt",
    replace: "attempt: Math.max(1, context.attempt), retryAt",
  },
  {
    name: "an aborted streak is closed as a success",
    file: ACTIONS,
    find: "cancelStreak: endStreak(() => RETRY_CANCELLED)",
    replace: "cancelStreak: endStreak(() => null)",
  },
  {
    name: "a recovery leaves no mark",
    file: ACTIONS,
    find: "markRecoveryUsed: assign({ overflowRecoveryUsed: true })",
    replace: "markRecoveryUsed: assign({ overflowRecoveryUsed: false })",
  },
  {
    name: "a compaction that failed does not mute",
    file: ACTIONS,
    find: `compactionOutcome(event)?.status !== "done"`,
    replace: `compactionOutcome(event)?.status === "failed"`,
  },
  {
    name: "willRetry for any compaction",
    file: FACTS,
    find: `return purpose === "overflow" || purpose === "length";`,
    replace: `return purpose === "overflow" || purpose === "length" || purpose === "paused";`,
  },
  { name: "a resumed retry stays pending", file: ACTIONS, find: "pending: null,\n            run:", replace: "run:" },
  {
    name: "a good message does not end the streak at once",
    file: CHART,
    find: `actions: "closeStreakWithSuccess"`,
    replace: `actions: []`,
  },
  {
    name: "an abort in a backoff is a failure",
    file: CHART,
    find: `ABORT: { target: "settled", actions: ["cancelStreak", "settleAborted"] }`,
    replace: `ABORT: { target: "settled", actions: ["cancelStreak", "settleRetriedFailure"] }`,
  },
  {
    name: "a streak is left open by abortRetry",
    file: CHART,
    find: `actions: ["cancelStreak", "settleRetriedFailure"]`,
    replace: `actions: ["settleRetriedFailure"]`,
  },
  {
    name: "retry off does not end a backoff",
    file: CHART,
    find: `{ guard: "turnsRetryOff", ...cancelRetry, actions: ["setSettings", ...cancelRetry.actions] },`,
    replace: "",
  },
  {
    name: "a compaction by hand settles when aborted",
    file: CHART,
    find: `{ guard: "byHand", target: "idle", actions: "cancelCompaction" },`,
    replace: "",
  },
  {
    name: "a compaction by hand strands the queue",
    file: CHART,
    find: `{ guard: and(["byHand", "somethingQueued"]), target: "running", actions: "endCompaction" },`,
    replace: "",
  },
  {
    name: "an answer that was compacted forgets the queue",
    file: CHART,
    find: `guard: and(["afterAnswer", "nothingQueued"])`,
    replace: `guard: "afterAnswer"`,
  },
  {
    name: "the grace time ends nothing",
    file: CHART,
    find: `actions: ["recordCutRun", "cutRun"]`,
    replace: `actions: ["recordCutRun"]`,
  },
  {
    name: "a steering message at rest waits",
    file: CHART,
    find: `{ target: "running", actions: "queueSteering" },`,
    replace: `{ actions: "queueSteering" },`,
  },
  {
    name: "the reply is not left out of a retry",
    file: "src/session/machine-output.ts",
    find: "this.omit(entryIds, pending);",
    replace: "this.omit([], pending);",
  },
  {
    name: "a retry is not remembered in the log",
    file: "src/session/machine-output.ts",
    find: "run?.failure && retryAt !== null ? [",
    replace: "run?.failure && retryAt === null ? [",
  },
  {
    name: "a retry that was given up stays in the log",
    file: "src/session/machine-output.ts",
    find: "this.#giveUpPendingRetry() ?? ",
    replace: "",
  },
  {
    name: "a message leaves the log's queue too late",
    file: "src/session/queues.ts",
    find: `log.appendAll([...messages, queueDraft({ op: "remove", ids })]);`,
    replace: "log.appendAll(messages);",
  },
  { name: "delivered prompts are never answered", file: "src/session/queues.ts", find: "prompts.deliver(ids);", replace: "" },
  {
    name: "a recovery is not remembered in the log",
    file: "src/session/compaction-host.ts",
    find: `purpose === "overflow" || purpose === "length" ?`,
    replace: `purpose === "overflow" ?`,
  },
  {
    name: "good messages are not told of",
    file: "src/session/run-host.ts",
    find: "context.attempt > 0) parts.actor.send",
    replace: "context.attempt > 1) parts.actor.send",
  },
  {
    name: "follow-ups are steering",
    file: "src/agent/run.ts",
    find: `steering.length > 0 || replyWanted ? steering :`,
    replace: `steering.length > 0 ? steering :`,
  },
  {
    name: "queued messages join a prompt's first request",
    file: "src/agent/run.ts",
    find: "this.#ports.hasUnannounced() ? []",
    replace: "false ? []",
  },
  {
    name: "calls of a cut reply are run",
    file: "src/agent/run.ts",
    find: `if (message.stopReason === "length") {`,
    replace: `if (message.stopReason === "length" && calls.length === 0) {`,
  },
  { name: "cut replies go on for ever", file: "src/agent/run.ts", find: "lengthStops > 1 ||", replace: "lengthStops > 2 ||" },
  {
    name: "open calls are forgotten when a run takes them up",
    file: "src/session/run-host.ts",
    find: "if (lost.length > 0) log.appendAll(closingDrafts(lost, interruptedCalls, clock.now()));",
    replace: "",
  },
  {
    name: "an overflow is compacted again after a restart",
    file: "src/session/restore.ts",
    find: `|| type === "compaction"`,
    replace: "",
  },
  {
    name: "a second start in one listener is accepted",
    file: "src/session/session.ts",
    find: "this.#starting = true;",
    replace: "",
  },
  {
    name: "a session counts as at rest before it has told of its end",
    file: "src/session/session.ts",
    find: `(snapshot.status === "active" && this.#output.unsettled) || `,
    replace: "",
  },
  {
    name: "a queue is told of before the statechart has taken the message",
    file: "src/session/queues.ts",
    find: "else queueMicrotask(() => this.announce());",
    replace: "else this.announce();",
  },
  {
    name: "any edit counts as an omission",
    file: "src/session/log-tail.ts",
    find: "entry.replacement === null",
    replace: "true",
  },
];
