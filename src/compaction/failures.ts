import { makeFailure, toFailure } from "../errors/index.ts";
import type { Failure } from "../errors/types.ts";
import { LogError, type LogErrorKind } from "../log/errors.ts";
import { SummaryError } from "./summary-answer.ts";

/** What the log says when it is asked for something that it cannot do, and not when the disk fails it. */
const MISUSE: ReadonlySet<LogErrorKind> = new Set(["unknown_id", "invalid"]);

/** What a compaction or a branch summary failed with. */
export function failureOf(error: unknown): Failure {
  if (error instanceof SummaryError) return error.failure;
  if (error instanceof LogError) return logFailure(error);
  return toFailure(error);
}

/** The log could not be written: what cannot be recorded is not built upon. */
export function logFailure(error: LogError): Failure {
  return makeFailure({
    action: "stop",
    kind: "log",
    rule: "log.write",
    message: `The session log could not be written: ${error.message}`,
    why: "What cannot be recorded is not built upon.",
    hint: MISUSE.has(error.kind)
      ? "Nothing was changed."
      : "Nothing more was requested. Remove the cause (disk full, permissions, file removed), then continue the session.",
  });
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
