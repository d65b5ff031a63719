import { expect, test } from "vitest";
import { readReply } from "../../src/model/read-reply.ts";
import type { AssistantMessage } from "../../src/model/types.ts";
import { systemClock } from "../../src/retry/clock.ts";
import { startFaultServer } from "../../src/testing/fault-server.ts";
import { silentCases } from "./silent-cases.ts";
import type { SilentCase } from "./silent-cases.ts";

/** Only stalls wait for it: they are ended by nothing else. */
const LIMIT_MS = 200;
const AMPLE_LIMIT_MS = 20_000;

test("every observed case is played, but for those that only plain requests can meet", () => {
  expect(silentCases()).toHaveLength(159);
});

test.concurrent.each(
  silentCases().map((played) => ({ title: `${played.row.id} ${played.row.api}, ${played.row.scenario}`, played })),
)("$title: neither a success nor a hang", async ({ played }) => {
  const message = await replyTo(played);
  const { expected, row, mode } = played;
  if (expected === "answer" || expected === "cut") {
    expect(message.stopReason).toBe(expected === "cut" ? "length" : "stop");
    if (expected === "answer") expect(message.content).toMatchObject([{ type: "text", text: mode.reply.text }]);
    return;
  }
  expect(message.stopReason).toBe(expected === "aborted" ? "aborted" : "error");
  expect(message.failure?.kind ?? "aborted").toBe(expected);
  if (expected === row.truth && expected !== "aborted") expect(message.failure?.action !== "stop").toBe(retried(row));
});

/** Whether it is worth another request; after compaction an overflow is. */
function retried({ truth, retryable }: SilentCase["row"]): boolean {
  return retryable || truth === "context_overflow";
}

async function replyTo({ step, adapter, mode, abortWith, row }: SilentCase): Promise<AssistantMessage> {
  const toolCall = mode.reply.toolCalls?.[0];
  await using server = await startFaultServer({ script: [step], reply: mode.reply, ...(toolCall ? { toolCall } : {}) });
  const user = new AbortController();
  const limit = row.truth === "timeout" ? LIMIT_MS : AMPLE_LIMIT_MS;
  const request = { messages: [{ role: "user" as const, content: "Delete the old files.", timestamp: 0 }] };
  return await readReply(adapter.model(server.url), request, {
    signal: user.signal,
    clock: systemClock,
    limits: { firstEventMs: limit, idleMs: limit },
    onEvent: ({ type }) => {
      if (abortWith && type === "text_delta") user.abort(abortWith.reason);
    },
  });
}
