import { makeFailure, toFailure } from "../errors/index.ts";
import type { Failure } from "../errors/types.ts";
import { LogError, type LogErrorKind } from "../log/errors.ts";
import { SummaryError } from "./summary-answer.ts";

/** What the log says when it is asked for something that it cannot do, and not when the disk fails it. */
const MISUSE: ReadonlySet<LogErrorKind> = new Set(["unknown_id", "invalid"]);

/** What a compaction or a branch summary failed with. */
export function failureOf(error: unknown): Failure {
  if (error instanceof SummaryError) return error.failure;
  if (error instanceof LogError) {
    return makeFailure({
      action: "stop",
      kind: "log",
      rule: "log.write",
      message: error.message,
      why: "What cannot be recorded is not done.",
      hint: MISUSE.has(error.kind)
        ? "Nothing was changed."
        : "Remove the cause (disk full, permissions, file removed); the session goes on with the next prompt.",
    });
  }
  return toFailure(error);
}

export function blankReplacement(): SummaryError {
  return new SummaryError(
    makeFailure({
      action: "stop",
      kind: "internal",
      rule: "summary.blank-replacement",
      message: "The function that replaces the summary returned a blank text",
      why: "A blank summary would lose what it stands for.",
      hint: "Let it return undefined to leave the summary to the model.",
    }),
  );
}
