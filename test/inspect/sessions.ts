/** Sessions that live through trouble, for the tests of what records and shows them. */
import { createMemoryLog } from "../../src/log/index.ts";
import { createSession } from "../../src/session/session.ts";
import type { SessionOptions } from "../../src/session/session-options.ts";
import type { Session } from "../../src/session/session.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { scriptedModel, type ScriptedReply } from "../../src/testing/scripted-model.ts";

export const START = Date.UTC(2026, 0, 1, 12);

export const OVERLOADED: ScriptedReply = { deltas: ["Let me ", "look"], failure: { status: 529, message: "overloaded_error" } };
export const TOO_LONG: ScriptedReply = { failure: { status: 400, message: "prompt is too long: 9001 tokens > 8000 maximum" } };
export const LONG_ANSWER: ScriptedReply = { text: "word ".repeat(2500) };

export interface Staged {
  session: Session;
  clock: ManualClock;
}

/** A session on a manual clock whose model answers from the script. */
export function stage(replies: readonly (ScriptedReply | string)[], options: Partial<SessionOptions> = {}): Staged {
  const clock = new ManualClock(START);
  let ids = 0;
  const session = createSession({
    model: scriptedModel(replies, { contextWindow: 8000, clock }),
    clock,
    random: () => 0.5,
    newId: () => `queued-${(ids += 1)}`,
    log: createMemoryLog({ now: () => clock.now() }),
    settings: { compaction: { keepRecentTokens: 500, reserveTokens: 500 } },
    ...options,
  });
  return { session, clock };
}

/** Lets what is under way go on until the session waits for the clock, or rests. */
export async function untilState(session: Session, state: string): Promise<void> {
  while (session.state.state !== state) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** One failed reply, retried with success. */
export async function liveThroughRetry({ session, clock }: Staged): Promise<void> {
  const settled = session.prompt("Please build it");
  await untilState(session, "backoff");
  clock.advance(2000);
  await settled;
}

/** The script of {@link liveThroughAll}. */
export const ALL_REPLIES: readonly (ScriptedReply | string)[] = [
  "Hello.",
  LONG_ANSWER,
  OVERLOADED,
  { text: "It is built." },
  TOO_LONG,
  "A summary.",
  "After the summary.",
  { text: "Looking", hang: true },
];

/** A good answer, a retry, an overflow recovery and an abort. */
export async function liveThroughAll(staged: Staged): Promise<void> {
  const { session } = staged;
  await session.prompt("Hello");
  await session.prompt("Tell me everything");
  await liveThroughRetry(staged);
  await session.prompt("And now?");
  const aborted = session.prompt("Look at it");
  await untilState(session, "running");
  await new Promise<void>((resolve) => setImmediate(resolve));
  session.steer("in the other file");
  await session.abort();
  await aborted;
}
