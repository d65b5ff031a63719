import type { PromptOutcome } from "../session/events.ts";
import type { EndSignal } from "./io.ts";

/** What the command's exit code says. */
export const ExitCode = {
  completed: 0,
  /** A prompt failed, or its answer was cut. */
  failed: 1,
  /** The command was not started as it should be: nothing was asked. */
  usage: 2,
  /** The quota is used up; `EX_TEMPFAIL` of sysexits, so that a scheduler tries later. */
  quota: 75,
  aborted: 130,
} as const;

/** The text that answers the prompt: that of the last message of a prompt that was completed. */
export function answerOf({ status, message }: PromptOutcome): string {
  if (status !== "completed" || !message) return "";
  return message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

/** The exit code of a prompt's outcome. An answer without text is none, unless a tool ended the run in its place. */
export function exitCodeOf(outcome: PromptOutcome): number {
  const { status, cut, failure, message } = outcome;
  if (status === "aborted" || status === "queued") return ExitCode.aborted;
  if (status === "failed") return failure?.kind === "quota_exhausted" ? ExitCode.quota : ExitCode.failed;
  const answered = answerOf(outcome).trim() !== "" || message?.stopReason === "toolUse";
  return cut || !answered ? ExitCode.failed : ExitCode.completed;
}

const SIGNAL_NUMBERS: Readonly<Record<EndSignal, number>> = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

/** The exit code of a command that a signal ended: 128 and the signal's number, as shells have it. */
export function exitCodeOfSignal(signal: EndSignal): number {
  return 128 + SIGNAL_NUMBERS[signal];
}
