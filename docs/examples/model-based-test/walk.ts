// A model-based test of the status line: whatever happens to the session, in whatever order, the line has to be what the
// reference model says of that moment. Run it with any test runner; `random` makes each walk another one.
import assert from "node:assert/strict";
import { createSession, type Failure, type SessionEvent } from "agent-session-machine";
import {
  answers,
  checkTrace,
  heldModel,
  initialState,
  ManualClock,
  possibleStimuli,
  referenceSettings,
  sessionStep,
  smallModel,
  type ReferenceState,
  type Stimulus,
} from "agent-session-machine/testing";
import { StatusLine } from "./status-line.ts";

/** What may happen: prompts, aborts, three kinds of answers, time. */
const scope = { answers: ["good", "overloaded", "refused"], big: false } as const;
const settings = { ...referenceSettings, compaction: false };

/** The line of our application, told a second time, from the state of the reference alone. */
function expectedLine({ policy }: ReferenceState): string {
  if (policy.phase === "backoff")
    return `trying again in ${(policy.waitMs ?? 0) / 1000} s (${policy.attempt} of ${settings.maxRetries})`;
  if (policy.phase !== "rest") return "thinking …";
  return { completed: "ready", failed: "that failed", aborted: "stopped", interrupted: "ready" }[
    policy.outcome?.status ?? "completed"
  ];
}

/** Takes `length` random steps. @throws AssertionError with the story so far, as soon as the line is not what it should be. */
export async function walk(random: () => number, length = 40): Promise<void> {
  const clock = new ManualClock();
  const model = heldModel({ provider: "reference", id: "small", contextWindow: 1000 });
  const session = createSession({
    model,
    clock,
    settings: { retry: { maxRetries: settings.maxRetries, baseDelayMs: settings.baseDelayMs }, compaction: { enabled: false } },
  });
  const line = new StatusLine(session);
  const events: SessionEvent[] = [];
  session.subscribe((event) => events.push(event));

  const act = (stimulus: Stimulus): unknown => {
    switch (stimulus.type) {
      case "prompt":
        return session.prompt("hello").catch(() => "busy");
      case "continue":
        return session.continue().catch(() => "nothing to continue");
      case "abort":
        return session.abort();
      case "abortRetry":
        return session.abortRetry();
      case "timePasses":
        return clock.runNext();
      case "reply":
        return model.waiting[0]?.answer(stimulus.answer === answers.good ? "fine" : { failure: failure(stimulus) });
      default:
        return undefined;
    }
  };

  const story: Stimulus[] = [];
  let expected = initialState({ model: smallModel, settings });
  while (story.length < length) {
    const possible = possibleStimuli(expected, scope).filter(({ type }) => type !== "compact");
    const stimulus = possible[Math.floor(random() * possible.length)] ?? { type: "abort" };
    story.push(stimulus);
    void act(stimulus);
    expected = sessionStep(expected, stimulus).state;
    // An aborted request hands back at once.
    if (expected.policy.phase === "aborting") expected = sessionStep(expected, { type: "handBack" }).state;
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(line.text, expectedLine(expected), `after ${JSON.stringify(story)}`);
  }
  assert.deepEqual(checkTrace(events), []);
  await session.dispose();
}

function failure({ answer }: Extract<Stimulus, { type: "reply" }>): Failure {
  const retry = answer === answers.overloaded;
  return {
    action: retry ? "retry" : "stop",
    kind: retry ? "overloaded" : "auth",
    message: "no",
    hint: "",
    why: "",
    rule: "test",
    causes: [],
  };
}
