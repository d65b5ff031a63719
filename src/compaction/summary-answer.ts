import { makeFailure } from "../errors/index.ts";
import type { Failure } from "../errors/types.ts";
import type { AssistantMessage } from "../model/types.ts";

/** A summary could not be had. */
export class SummaryError extends Error {
  override readonly name = "SummaryError";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/**
 * The text of a whole answer.
 *
 * @throws SummaryError for anything else.
 */
export function answerText(reply: AssistantMessage): string {
  const text = reply.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  switch (reply.stopReason) {
    case "stop":
      if (text.trim() !== "") return text;
      throw new SummaryError(
        makeFailure({
          action: "retry",
          kind: "stream_interrupted",
          rule: "summary.empty",
          message: "The summary was empty",
          why: "An answer without text is no summary.",
          hint: "The same request usually works when it is sent again.",
        }),
      );
    case "length":
      throw new SummaryError(
        makeFailure({
          action: "stop",
          kind: "output_limit",
          rule: "summary.cut",
          message: "The summary was cut at the output limit",
          why: "A summary without its end has lost what comes next.",
          hint: "Use a model with a larger output limit for summaries (compaction.model), or raise compaction.reserveTokens.",
        }),
      );
    case "toolUse":
      throw new SummaryError(
        makeFailure({
          action: "stop",
          kind: "invalid_request",
          rule: "summary.tool-call",
          message: "The model called a tool instead of writing a summary",
          why: "Summary requests offer no tools.",
          hint: "Use another model for summaries (compaction.model).",
        }),
      );
    case "error":
    case "aborted":
      throw reply.failure === undefined
        ? new Error(reply.errorMessage ?? "The summary request was aborted")
        : new SummaryError(reply.failure);
  }
}
