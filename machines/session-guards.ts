/** What the guards of the session's statechart mean, and which actors it invokes. */
import { setup, type ActorLogic, type EventObject, type Snapshot } from "xstate";
import { runAfterRules } from "./run-after.ts";
import { afterRun, compactionOutcome, overThreshold, queued, repeatsTheRequest } from "./session-facts.ts";
import type {
  CompactionInput,
  CompactionOutcome,
  RunInput,
  RunOutcome,
  SessionContext,
  SessionInput,
  SessionMachineAnswer,
  SessionMachineEmitted,
  SessionMachineEvent,
  SleepInput,
} from "./types.ts";

const base = setup({
  types: {
    context: {} as SessionContext,
    input: {} as SessionInput,
    events: {} as SessionMachineEvent | SessionMachineAnswer,
    emitted: {} as SessionMachineEmitted,
  },
  actors: {
    agentRun: givenFromOutside<RunOutcome, RunInput>(),
    sleep: givenFromOutside<{ token: number }, SleepInput>(),
    compaction: givenFromOutside<CompactionOutcome, CompactionInput>(),
  },
});

export const guarded = base.extend({
  guards: {
    /** The answer belongs to an earlier run, wait or compaction. */
    isLate: ({ context, event }) => "output" in event && event.output.token !== context.token,
    isOfThisRun: ({ context, event }) => "token" in event && event.token === context.token,
    ruleMatches: ({ context }, { index }: { index: number }) => runAfterRules[index]?.matches(afterRun(context)) ?? false,
    overThreshold,
    somethingQueued: ({ context }) => queued(context) > 0,
    nothingQueued: ({ context }) => queued(context) === 0,
    retryPending: ({ context }) => context.pending?.kind === "retry",
    compactionPending: ({ context }) => context.pending?.kind === "compaction",
    /** The log ends with a failed reply, or with something no reply follows. */
    replyMissing: ({ event }) => "tail" in event && event.tail !== "answered",
    hasOutcome: ({ context }) => context.outcome !== null,
    turnsRetryOff: ({ event }) => "settings" in event && !event.settings.retry.enabled,
    byHand: ({ context }) => context.compaction?.purpose === "manual",
    forOverflow: ({ context }) => context.compaction?.purpose === "overflow",
    forLength: ({ context }) => context.compaction?.purpose === "length",
    afterAnswer: ({ context }) => context.compaction?.purpose === "answer",
    logFailed: ({ event }) => compactionOutcome(event)?.failure?.kind === "log",
    /** Done, for an overflow or a cut reply: the request goes out once more. */
    repeatsTheRequest,
  },
});

/** An actor that takes `Input` and answers once, with `Output`. */
export interface AnsweringActor<Output, Input> extends ActorLogic<Snapshot<Output> & { input: Input }, EventObject, Input> {}

/** Stands for an actor that is given from outside: it starts, and never answers. */
function givenFromOutside<Output, Input>(): AnsweringActor<Output, Input> {
  return {
    transition: (snapshot) => snapshot,
    getInitialSnapshot: (_scope, input) => ({ status: "active", output: undefined, error: undefined, input }),
    getPersistedSnapshot: (snapshot) => snapshot,
  };
}
