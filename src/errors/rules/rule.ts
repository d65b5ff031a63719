import type { FailureAction, FailureFacts, FailureKind } from "../types.ts";

/** An error that a rule is shown with: a text, or a text with the status it came with. */
export type Example = string | { text: string; status: number };

/**
 * One row of the table. It matches when the facts hold one of its `codes` or its wording `says` so, and `status` and `when`,
 * where given, agree. A rule with neither codes nor wording needs only these.
 */
export interface Rule {
  /** `kind.what`, unique. */
  readonly id: string;
  readonly action: FailureAction;
  readonly kind: FailureKind;
  /** The reason, for people. */
  readonly why: string;
  /** Where it is known from. */
  readonly source: string;
  /** Codes, types, and names of error classes, in lower case. */
  readonly codes?: readonly string[];
  /** Wording, tried on lower-case text. Bounded repetition only: the time has to stay linear. */
  readonly says?: RegExp;
  /** Statuses it is limited to. */
  readonly status?: readonly (number | readonly [from: number, to: number])[];
  /** A further condition on the facts. */
  readonly when?: (facts: FailureFacts, text: string) => boolean;
  readonly examples: readonly Example[];
  /** Errors that look alike and must not match. */
  readonly nearMisses: readonly Example[];
}

/** The action that follows from a kind. */
export function actionOf(kind: FailureKind): FailureAction {
  switch (kind) {
    case "overloaded":
    case "rate_limited":
    case "server_error":
    case "timeout":
    case "network":
    case "stream_interrupted":
      return "retry";
    case "context_overflow":
      return "compact";
    default:
      return "stop";
  }
}

/** A row without what follows from the rest of it. */
export type Row = Omit<Rule, "action" | "kind" | "nearMisses"> & { nearMisses?: readonly Example[] };

/** The rows of one kind. */
export function rulesFor(kind: FailureKind, rows: readonly Row[]): Rule[] {
  return rows.map((row) => ({ ...row, kind, action: actionOf(kind), nearMisses: row.nearMisses ?? [] }));
}

/** One pattern of several wordings, so that a row lists one wording a line and is still tried in a single pass. */
export function anyOf(...wordings: readonly RegExp[]): RegExp {
  return new RegExp(wordings.map((wording) => wording.source).join("|"));
}

/** Two words near each other in one sentence, in either order. A full stop within a name or a number ends no sentence. */
export function near(one: RegExp, other: RegExp, distance = 40): RegExp {
  const between = `(?:[^.\\n]|\\.(?=\\w)){0,${distance}}`;
  return new RegExp(`(?:${one.source})${between}(?:${other.source})|(?:${other.source})${between}(?:${one.source})`);
}

/** The wordings a pattern lists: its alternatives, split at the top level. */
export function wordingsOf({ source }: RegExp): string[] {
  const parts: string[] = [];
  let part = "";
  let depth = 0;
  let inClass = false;
  for (let index = 0; index < source.length; index += 1) {
    const character = source[index] ?? "";
    if (character === "|" && depth === 0 && !inClass) {
      parts.push(part);
      part = "";
      continue;
    }
    part += character;
    if (character === "\\") {
      index += 1;
      part += source[index] ?? "";
    } else if (inClass) inClass = character !== "]";
    else if (character === "[") inClass = true;
    else if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
  }
  return [...parts, part];
}
