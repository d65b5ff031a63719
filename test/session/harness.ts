import { createSession, type Session } from "../../src/session/session.ts";
import type { SessionOptions } from "../../src/session/session-options.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import {
  scriptedModel,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
} from "../../src/testing/scripted-model.ts";
import type { AnyTool } from "../../src/agent/types.ts";

// The validator loads when a tool first needs it, from the disk: before the tests, so that none has to wait for it.
await import("ajv/dist/2020.js");

export interface Scene {
  session: Session;
  clock: ManualClock;
  model: ScriptedModel;
  /** Every event, oldest first. */
  events: SessionEvent[];
}

export type Replies = Parameters<typeof scriptedModel>[0];

/** A session on a scripted model and a manual clock. */
export function scene(replies: Replies, options: Partial<SessionOptions> = {}, model: Partial<ScriptedModelOptions> = {}): Scene {
  const clock = new ManualClock();
  const scripted = scriptedModel(replies, { clock, ...model });
  let ids = 0;
  const session = createSession({
    model: scripted,
    clock,
    random: () => 0,
    newId: () => `queued-${++ids}`,
    onListenerError: (error) => {
      throw error;
    },
    ...options,
  });
  const events: SessionEvent[] = [];
  session.subscribe((event) => events.push(event));
  return { session, clock, model: scripted, events };
}

/** Lets everything run that needs no time to pass. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets the session run to rest, with time passing whenever only timers are left. */
export async function toRest({ session, clock }: Scene): Promise<void> {
  await quiet();
  while (session.state.busy && clock.pending > 0) {
    clock.runNext();
    await quiet();
  }
}

/** Event types in order; updates are left out, and what tells cases apart is added in brackets. */
export function order(events: readonly SessionEvent[]): string[] {
  return events.filter(({ type }) => type !== "message_update").map(line);
}

function line(event: SessionEvent): string {
  switch (event.type) {
    case "message_start":
    case "message_end": {
      const { message } = event;
      const ended = event.type === "message_end" && message.role === "assistant" && message.stopReason;
      return `${event.type} ${ended === "error" || ended === "aborted" ? ended : message.role}`;
    }
    case "agent_end":
      return `agent_end retry:${event.willRetry} continue:${event.willContinue}`;
    case "auto_retry_start":
      return `auto_retry_start ${event.attempt}/${event.maxAttempts} ${event.delayMs}`;
    case "auto_retry_end":
      return `auto_retry_end ${event.success} ${event.attempt}${event.finalError === undefined ? "" : ` ${event.finalError}`}`;
    case "compaction_start":
      return `compaction_start ${event.reason}`;
    case "compaction_end":
      return `compaction_end ${event.reason} retry:${event.willRetry} aborted:${event.aborted}`;
    case "agent_settled":
      return `agent_settled ${event.outcome.status}`;
    case "entry_appended":
      return `entry_appended ${event.entry.type}`;
    case "queue_update":
      return `queue_update [${event.steering.join()}] [${event.followUp.join()}]`;
    default:
      return event.type;
  }
}

export const overloaded: ScriptedReply = { failure: { status: 529, message: "Overloaded" } };
export const quota: ScriptedReply = {
  failure: { status: 429, code: "insufficient_quota", message: "You exceeded your current quota" },
};
export const tooLong: ScriptedReply = { failure: { status: 400, message: "prompt is too long: 210000 tokens > 200000 maximum" } };

export function tool(name: string, execute: AnyTool["execute"], parts: Partial<AnyTool> = {}): AnyTool {
  return { name, description: `The tool ${name}.`, parameters: { type: "object" }, execute, ...parts };
}

/** A tool that goes on whatever its signal says; `finish` ends it. */
export function stubbornTool(name = "stubborn"): { tool: AnyTool; finish: () => void } {
  let finish: () => void = () => {};
  const done = new Promise<string>((resolve) => {
    finish = () => resolve("done at last");
  });
  return { tool: tool(name, () => done), finish: () => finish() };
}
