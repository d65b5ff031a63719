import { boundText } from "./bound.ts";
import { classifyFailure } from "./classify.ts";
import { describeFailure } from "./describe.ts";
import { hintFor } from "./hint.ts";
import { isErrorLike, read } from "./read.ts";
import { redact } from "./redact.ts";
import type { Classification, Failure, FailureAction, FailureContext, FailureFacts, FailureKind } from "./types.ts";

const MESSAGE_LIMIT = 2000;

/**
 * An error described, classified and redacted. Never throws.
 *
 * @param value Anything thrown or received.
 * @param context What is known beside it; `classify` judges before our rules do.
 */
export function toFailure(value: unknown, context: FailureContext = {}): Failure {
  return carriedFailure(value) ?? failureFromFacts(describeFailure(value, context), context);
}

/** The failure an error of our own carries along (`RetryExhausted`, `ExecFailed`): it was judged where more was known. */
function carriedFailure(value: unknown): Failure | undefined {
  if (!isErrorLike(value)) return undefined;
  const property = read(value, "failure");
  try {
    const failure: unknown = typeof property === "function" ? Reflect.apply(property, value, []) : property;
    return isFailure(failure) ? failure : undefined;
  } catch {
    return undefined;
  }
}

/** Failures made here, and no look-alikes: these have been redacted. */
const made = new WeakSet<object>();

function isFailure(value: unknown): value is Failure {
  return typeof value === "object" && value !== null && made.has(value);
}

function remember(failure: Failure): Failure {
  made.add(failure);
  return failure;
}

/** The failure that facts amount to. */
export function failureFromFacts(facts: FailureFacts, context: FailureContext = {}): Failure {
  const verdict = judge(facts, context);
  const code = facts.code ?? facts.type;
  return remember({
    action: verdict.action,
    kind: verdict.kind,
    message: messageOf(facts),
    hint: redact(hintFor(facts, verdict, context)),
    why: verdict.why,
    rule: verdict.rule,
    ...(facts.status === undefined ? {} : { status: facts.status }),
    ...(code === undefined ? {} : { code }),
    ...(facts.requestId === undefined ? {} : { requestId: facts.requestId }),
    ...(verdict.retryAfterMs === undefined ? {} : { retryAfterMs: verdict.retryAfterMs }),
    ...(verdict.resetAt === undefined ? {} : { resetAt: verdict.resetAt }),
    ...(verdict.kind === "context_overflow" && facts.tokens?.window !== undefined ? { contextWindow: facts.tokens.window } : {}),
    causes: facts.causes,
  });
}

/** The application's own verdict where it has one, else ours. */
function judge(facts: FailureFacts, context: FailureContext): Classification {
  try {
    return context.classify?.(facts) ?? classifyFailure(facts);
  } catch {
    return classifyFailure(facts);
  }
}

/** A failure of our own making, whose kind is known. */
export function makeFailure(parts: {
  action: FailureAction;
  kind: FailureKind;
  message: string;
  /** Default: the general hint of its kind. */
  hint?: string;
  /** Id of what decided, such as `watchdog.idle`. */
  rule: string;
  /** Default: the message. */
  why?: string;
}): Failure {
  const { action, kind, rule } = parts;
  const message = boundText(redact(parts.message), MESSAGE_LIMIT);
  const why = parts.why ?? message;
  const facts: FailureFacts = { codes: [], name: "", message, text: message, causes: [], partial: false };
  return remember({
    action,
    kind,
    message,
    hint: redact(parts.hint ?? hintFor(facts, { action, kind, rule, why })),
    why,
    rule,
    causes: [],
  });
}

/** Status, the provider's text, the deepest cause; `Name: text` for exceptions that are no provider's. */
function messageOf(facts: FailureFacts): string {
  const provided = facts.status !== undefined || facts.type !== undefined;
  let message = facts.message.trim();
  if (message === "") message = wordless(facts);
  else if (facts.name !== "" && !provided && !message.startsWith(facts.name)) message = `${facts.name}: ${message}`;
  if (facts.status !== undefined && facts.status >= 300 && !message.includes(String(facts.status)))
    message = `${facts.status} ${message}`;
  const deepest = facts.causes.at(-1);
  if (deepest) {
    const text = deepest.message === "" ? deepest.name : deepest.message;
    if (text !== "" && !message.includes(text)) message += `: ${text}`;
    if (deepest.code !== undefined && !message.includes(deepest.code)) message += ` (${deepest.code})`;
  }
  return boundText(message, MESSAGE_LIMIT);
}

/** What is said of a failure that has no text. */
function wordless({ name, code, type, status }: FailureFacts): string {
  const known = name || code || type;
  if (known) return known;
  return status === undefined ? "The model's stream ended without an error text" : "status code (no body)";
}
