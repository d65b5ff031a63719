import fc from "fast-check";
import type { Entry, EntryDraft, ProjectedMessage, SessionLog } from "../../src/log/types.ts";
import type {
  AssistantContent,
  AssistantMessage,
  Message,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "../../src/model/types.ts";

const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };

/** A text that the default estimator takes for so many tokens. */
export const textOf = (tokens: number, letter = "x"): string => letter.repeat(tokens * 4);

export const user = (text: string): UserMessage => ({ role: "user", content: text, timestamp: 0 });

export function assistant(content: string | AssistantContent[], more: Partial<AssistantMessage> = {}): AssistantMessage {
  return {
    role: "assistant",
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
    api: "scripted",
    provider: "scripted",
    model: "scripted",
    usage: NO_USAGE,
    stopReason: "stop",
    timestamp: 0,
    ...more,
  };
}

/** A reply whose provider counted so many tokens of context. */
export const counted = (text: string, totalTokens: number): AssistantMessage =>
  assistant(text, { usage: { ...NO_USAGE, input: totalTokens, totalTokens } });

export const calling = (...calls: [id: string, name: string, input?: Record<string, unknown>][]): AssistantMessage =>
  assistant(
    calls.map(([id, name, input]) => ({ type: "toolCall", id, name, arguments: input ?? {} })),
    { stopReason: "toolUse" },
  );

export const result = (toolCallId: string, text: string, more: Partial<ToolResultMessage> = {}): ToolResultMessage => ({
  role: "toolResult",
  toolCallId,
  toolName: "read",
  content: [{ type: "text", text }],
  isError: false,
  timestamp: 0,
  ...more,
});

export const items = (messages: readonly Message[]): ProjectedMessage[] =>
  messages.map((message, index) => ({ entryId: `entry${index}`, message }));

export function say(log: SessionLog, ...messages: Message[]): Entry[] {
  return messages.map((message) => log.append({ type: "message", message } satisfies EntryDraft));
}

/** A text of up to `tokens` tokens, of letters, blanks, line ends and pairs of surrogates. */
const text = (tokens: number): fc.Arbitrary<string> =>
  fc
    .record({
      length: fc.integer({ min: 1, max: tokens * 4 }),
      unit: fc.constantFrom("word ", "x", "línea\n", "語", "😀", '"\\</transcript>'),
    })
    .map(({ length, unit }) => unit.repeat(Math.ceil(length / unit.length)));

/** A turn: what the user says, a few rounds of tool calls and results, and mostly an answer. */
const turn = (tokens: number): fc.Arbitrary<Message[]> =>
  fc
    .record({
      ask: text(tokens),
      rounds: fc.array(fc.array(text(tokens), { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
      steer: fc.boolean(),
      answer: fc.option(text(tokens)),
    })
    .map(({ ask, rounds, steer, answer }) => [
      user(ask),
      ...rounds.flatMap((results, round) => [
        // Some providers count their ids from the beginning in each reply.
        calling(
          ...results.map((_, index): [string, string, Record<string, unknown>] => [
            `call_${index}`,
            "read",
            { path: `src/${round}-${index}.ts` },
          ]),
        ),
        ...results.map((each, index) => result(`call_${index}`, each)),
      ]),
      ...(steer ? [user("And mind the tests.")] : []),
      ...(answer === null ? [] : [assistant(answer)]),
    ]);

/** Whole conversations; no text in them is longer than `tokens`. */
export const conversations = (tokens: number, turns = 8): fc.Arbitrary<Message[]> =>
  fc.array(turn(tokens), { minLength: 1, maxLength: turns }).map((each) => each.flat());

/** The tool results that stand without their call before them. */
export function strayResults(messages: readonly Message[]): string[] {
  const open = new Set<string>();
  const stray: string[] = [];
  for (const message of messages) {
    if (message.role === "assistant") for (const block of message.content) if (block.type === "toolCall") open.add(block.id);
    if (message.role === "toolResult" && !open.has(message.toolCallId)) stray.push(message.toolCallId);
  }
  return stray;
}
