import { isValidationReport, withoutEchoes } from "./echo.ts";
import { ruleBook } from "./rules/index.ts";
import type { RuleBook } from "./rules/index.ts";
import type { Rule } from "./rules/rule.ts";
import type { Classification, FailureFacts } from "./types.ts";

/** A throttle that wants more than this is a used-up plan, in milliseconds. Rulebook 2: "more than an hour is quota". */
const LONGEST_THROTTLE_MS = 3_600_000;

/** The longest text the wording is tried on. */
const TEXT_LIMIT = 16_000;

/**
 * The verdict on a failure. The first matching rule decides: codes and the wording of what the provider itself says, then the
 * wording of the whole text with what it quotes left out, then the status.
 */
export function classifyFailure(facts: FailureFacts): Classification {
  return classifyBy(ruleBook, facts);
}

/** The verdict by a given rule book. */
export function classifyBy(book: RuleBook, facts: FailureFacts): Classification {
  const rule = decidingRule(book, facts);
  const waits = {
    ...(facts.retryAfterMs === undefined ? {} : { retryAfterMs: facts.retryAfterMs }),
    ...(facts.resetAt === undefined ? {} : { resetAt: facts.resetAt }),
  };
  if (rule.kind === "rate_limited" && (facts.retryAfterMs ?? 0) > LONGEST_THROTTLE_MS) {
    return {
      action: "stop",
      kind: "quota_exhausted",
      rule: "quota.long-wait",
      why: "A throttle that asks for more than an hour is a used-up plan.",
      ...waits,
    };
  }
  return { action: rule.action, kind: rule.kind, rule: rule.id, why: rule.why, ...waits };
}

function decidingRule(book: RuleBook, facts: FailureFacts): Rule {
  const codes = codesOf(facts);
  const texts = subjects(facts);
  for (const text of texts) {
    const rule = book.rules.find((candidate) => matches(candidate, facts, codes, text));
    if (rule) return rule;
  }
  const rule = book.fallbackRules.find((candidate) => matches(candidate, facts, codes, texts[1] ?? texts[0]));
  if (!rule) throw new Error("The last fallback rule takes everything");
  return rule;
}

/** The texts the wording is tried on, most telling first. Each is in lower case. */
export function subjects(facts: FailureFacts): [own: string, ...others: string[]] {
  const causes = facts.causes.map((cause) => `${cause.name}: ${cause.message}`);
  const own = withoutEchoes([facts.message, ...causes].join("\n")).toLowerCase();
  const whole = facts.text.slice(0, TEXT_LIMIT);
  const unquoted = withoutEchoes(whole).toLowerCase();
  const others = new Set([unquoted]);
  // What is quoted counts only where nothing says that it is the caller's own input.
  if (!refusesInput(facts) && !isValidationReport(unquoted)) others.add(whole.toLowerCase());
  others.delete(own);
  return [own, ...others];
}

function refusesInput({ status, codes, type }: FailureFacts): boolean {
  return status === 400 || status === 422 || type === "invalid_request_error" || codes.includes("invalid_request_error");
}

/** Every code and name the facts hold, in lower case. */
export function codesOf(facts: FailureFacts): ReadonlySet<string> {
  const codes = [
    facts.code,
    facts.type,
    ...facts.codes,
    facts.name,
    ...facts.causes.flatMap((cause) => [cause.code, cause.name]),
  ];
  return new Set(codes.flatMap((code) => (code ? [code.toLowerCase()] : [])));
}

/** Whether a rule takes these facts. `text` is the lower-case text its wording is tried on. */
export function matches(rule: Rule, facts: FailureFacts, codes: ReadonlySet<string>, text: string): boolean {
  if (rule.status && !hasStatus(rule.status, facts.status)) return false;
  const named = rule.codes?.some((code) => codes.has(code)) ?? false;
  if (!named && !(rule.says?.test(text) ?? false) && (rule.codes || rule.says)) return false;
  return rule.when?.(facts, text) ?? true;
}

function hasStatus(wanted: NonNullable<Rule["status"]>, status: number | undefined): boolean {
  if (status === undefined) return false;
  return wanted.some((one) => (typeof one === "number" ? one === status : status >= one[0] && status <= one[1]));
}
