import { durationText } from "../../errors/index.ts";
import type { PromptOutcome } from "../../session/events.ts";
import { answerOf } from "../exit-codes.ts";
import { printable } from "../sessions/describe.ts";

/** What is said of the end of a prompt, one line each; nothing for an answer that is whole. */
export function reportLines(outcome: PromptOutcome, details: { exhaustedAfter: number | undefined; now: number }): string[] {
  const { status, cut, failure, message } = outcome;
  if (status === "aborted") return ["aborted"];
  if (status === "queued") return ["aborted: the prompt is still queued"];
  if (status === "failed") {
    const text = printable(failure?.message ?? message?.errorMessage ?? "the model gave no reason");
    // After another kind of failure than the one that was retried, it is that one which counts.
    const retries = failure?.action === "retry" ? details.exhaustedAfter : undefined;
    const first =
      retries === undefined
        ? `failed: ${text}`
        : `Retry failed after ${retries} ${retries === 1 ? "attempt" : "attempts"}: ${text}`;
    return [first, ...(failure ? [printable(failure.hint)] : []), ...resetLine(outcome, details.now)];
  }
  if (cut) return ["the answer is cut: the model stopped at its output limit. Ask for less at once, or for the rest."];
  if (answerOf(outcome).trim() === "") {
    return message?.stopReason === "toolUse"
      ? ["the tools ended the run; there is no text."]
      : [`the model ended without any text (${message?.rawStopReason ?? message?.stopReason ?? "no message"}).`];
  }
  return [];
}

/** When a used-up quota is there again, as far as the provider says so. */
function resetLine({ failure }: PromptOutcome, now: number): string[] {
  if (failure?.kind !== "quota_exhausted") return [];
  const resetAt = failure.resetAt ?? (failure.retryAfterMs === undefined ? undefined : now + failure.retryAfterMs);
  if (resetAt === undefined) return ["the provider does not say when it resets"];
  return [`resets at ${new Date(resetAt).toISOString()} (in ${durationText(Math.max(0, resetAt - now))})`];
}
