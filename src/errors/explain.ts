import { describeFailure } from "./describe.ts";
import { failureFromFacts } from "./failure.ts";
import { durationText } from "./hint.ts";
import { ruleTable } from "./rules/index.ts";
import type { Failure, FailureContext, FailureFacts } from "./types.ts";

export interface ExplainOptions extends FailureContext {
  /** The waits a session would make before each retry, in milliseconds. */
  delaysMs?: readonly number[];
}

/** A verdict with all that led to it. Plain JSON. */
export interface Explanation {
  failure: Failure;
  facts: FailureFacts;
  /** Where the rule that decided is known from. */
  source: string;
  /** What a session would do now. */
  next: string;
}

/** Why a failure is judged as it is, and what a session would do about it. Never throws. */
export function explainFailure(value: unknown, options: ExplainOptions = {}): Explanation {
  const facts = describeFailure(value, options);
  const failure = failureFromFacts(facts, options);
  const source = ruleTable.find((rule) => rule.id === failure.rule)?.source ?? "Not of the rule table";
  return { failure, facts, source, next: nextStep(failure, options.delaysMs ?? []) };
}

/** What a session does about a failure, in words. */
export function nextStep(failure: Pick<Failure, "action" | "retryAfterMs">, delaysMs: readonly number[]): string {
  if (failure.action === "stop") return "settle as failed, at once: a repetition would fail the same way";
  if (failure.action === "compact") return "compact the context, then repeat the request once";
  const demanded = failure.retryAfterMs ?? 0;
  const waits = delaysMs.map((delay) => durationText(Math.max(delay, demanded)));
  const last = waits.pop();
  if (last === undefined) return "wait, then repeat the same request";
  const list = waits.length === 0 ? last : `${waits.join(", ")} and ${last}`;
  return `repeat the same request after ${list}${demanded > 0 ? ` (never sooner than the ${durationText(demanded)} that were asked for)` : ""}`;
}

/** The explanation for people: one fact a line. */
export function explanationText(explanation: Explanation): string {
  const { failure, facts, source, next } = explanation;
  const lines: (readonly [string, string | undefined])[] = [
    ["verdict", `${failure.action} (${failure.kind})`],
    ["rule", failure.rule],
    ["why", failure.why],
    ["source", source],
    ["session", next],
    ["do", failure.hint],
    ["message", failure.message.replaceAll(/\s+/g, " ")],
    ["status", failure.status === undefined ? undefined : String(failure.status)],
    ["codes", facts.codes.length === 0 ? undefined : facts.codes.join(", ")],
    ["wait", failure.retryAfterMs === undefined ? undefined : durationText(failure.retryAfterMs)],
    ["resets", failure.resetAt === undefined ? undefined : new Date(failure.resetAt).toISOString()],
    [
      "tokens",
      facts.tokens &&
        Object.entries(facts.tokens)
          .map(([name, count]) => `${name} ${count}`)
          .join(", "),
    ],
    ["request", failure.requestId],
    [
      "causes",
      facts.causes.length === 0
        ? undefined
        : facts.causes
            .map(({ name, message, code }) => `${name}: ${message}${code === undefined ? "" : ` (${code})`}`)
            .join(" <- "),
    ],
  ];
  return lines.flatMap(([name, text]) => (text === undefined || text === "" ? [] : [`${name.padEnd(8)} ${text}\n`])).join("");
}
