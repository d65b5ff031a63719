/** Sessions that look like work, for the browser and for the pictures in the docs. */
import { createMemoryLog } from "../../src/log/index.ts";
import { createSession, type Session } from "../../src/session/session.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { scriptedModel, type ScriptedReply } from "../../src/testing/scripted-model.ts";

export interface Scene {
  session: Session;
  /** Stands still until it is moved, so that a wait lasts as long as one looks at it. */
  clock: ManualClock;
}

export const OVERLOADED: ScriptedReply = {
  deltas: ["The parser drops the last token. ", "Let me"],
  failure: { status: 529, error: { type: "overloaded_error", message: "Overloaded" }, message: "overloaded_error: Overloaded" },
};
export const TOO_LONG: ScriptedReply = { failure: { status: 400, message: "prompt is too long: 9214 tokens > 8000 maximum" } };
export const REFUSED: ScriptedReply = { failure: { status: 401, message: "invalid x-api-key" } };
export const HANGING: ScriptedReply = { deltas: ["Reading the change: three files, ", "the tests first."], hang: true };

/** About three thousand tokens of the output of a test run. */
const TEST_OUTPUT = Array.from(
  { length: 240 },
  (_, line) => `ok ${line + 1} - parser keeps token ${line + 1} of the input\n`,
).join("");

export function scene(name: string, replies: readonly (ScriptedReply | string)[], options: { baseDelayMs?: number } = {}): Scene {
  const clock = new ManualClock(Date.now());
  const log = createMemoryLog();
  const session = createSession({
    model: scriptedModel(replies, { id: "model-1", provider: "example", contextWindow: 8000, clock }),
    tools: [
      {
        name: "run_tests",
        description: "Runs the tests and returns their output.",
        parameters: { type: "object", properties: { filter: { type: "string" } } },
        execute: () => TEST_OUTPUT,
      },
    ],
    log,
    clock,
    settings: { retry: { baseDelayMs: options.baseDelayMs ?? 8000 }, compaction: { keepRecentTokens: 600, reserveTokens: 1000 } },
  });
  log.append({ type: "session_info", name });
  return { session, clock };
}

/** A question, tools, and an answer. */
export const FIRST_TURNS: readonly (ScriptedReply | string)[] = [
  { text: "I run the tests first.", toolCalls: [{ name: "run_tests", arguments: { filter: "parser" } }] },
  "All 240 tests pass, but none covers an input without a line break at its end.",
];

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise<void>((resolve) => setTimeout(resolve, 5));
}

/** Two prompts into a session, up to the wait before a retry. */
export async function intoBackoff({ session }: Scene): Promise<void> {
  await session.prompt("Why does the last line get lost? Look at parser.ts.");
  void session.prompt("Then add that test and fix it.");
  await until(() => session.state.state === "backoff");
}
