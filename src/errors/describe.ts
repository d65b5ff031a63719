import { boundText, FAILURE_TEXT_LIMIT } from "./bound.ts";
import { Collector } from "./collect.ts";
import { isValidationReport, withoutEchoes } from "./echo.ts";
import { nameOf } from "./read.ts";
import { codesInText, statusInText } from "./text-codes.ts";
import { complete, tokensInText } from "./tokens.ts";
import type { FailureContext, FailureFacts } from "./types.ts";
import { waitInText } from "./waits.ts";

const MESSAGE_LIMIT = 2000;
const ID_LIMIT = 200;
/** Longest text kept in the facts; head and tail are kept, and the parts in the middle that decide. */
const TEXT_LIMIT = 4 * FAILURE_TEXT_LIMIT;

/** Texts that say nothing: an error that has only these is an empty one. */
const EMPTY = /^(?:\s*|\{\s*\}|\[\s*\]|null|undefined|""|''|\[object \w+\])$/;

/**
 * Everything an error says, as plain JSON: redacted, bounded, and made without ever throwing, whatever `value` is (an error of
 * an SDK, of `fetch` or Node, a response body, text, or nothing at all).
 *
 * @param context What is known beside the value itself; the value's own facts win.
 */
export function describeFailure(value: unknown, context: FailureContext = {}): FailureFacts {
  try {
    return describe(value, context);
  } catch {
    // Only a hostile object gets here (a proxy whose every trap throws, say): it has told us nothing.
    return {
      ...(context.provider === undefined ? {} : { provider: context.provider }),
      ...(context.status === undefined ? {} : { status: context.status }),
      codes: [],
      name: "",
      message: "",
      text: "",
      causes: [],
      partial: context.partial ?? false,
    };
  }
}

function describe(value: unknown, context: FailureContext): FailureFacts {
  const now = context.now ?? Date.now();
  const found = new Collector(now);
  found.value(value);
  const { stated } = found;

  const messages = found.messages
    .filter(({ text }) => !EMPTY.test(text.trim()))
    .toSorted((one, other) => other.depth - one.depth);
  const own = messages.find(({ inBody }) => inBody) ?? messages.at(-1);
  const message = own?.text ?? found.prose.find((text) => !EMPTY.test(text)) ?? "";
  const texts = [message, ...messages.map(({ text }) => text), ...found.prose, ...found.causes.map((cause) => cause.message)];
  const text = boundText([...new Set(texts)].filter((line) => line !== "").join("\n"), TEXT_LIMIT);

  const head = found.prose[0] ?? messages.at(-1)?.text ?? "";
  const textStatus = statusInText(head);
  const status = pickStatus(
    stated.status,
    textStatus.leading,
    context.status,
    isValidationReport(message) ? undefined : textStatus.mentioned,
    stated.statuses,
  );
  const codes = [...stated.codes, ...codesInText(text)].filter((code, index, all) => all.indexOf(code) === index);
  const spoken = waitInText(text, now);
  const resetAt = stated.resetAt ?? spoken.resetAt;
  const untilReset = status === 429 && resetAt !== undefined ? resetAt - now : undefined;
  const retryAfterMs = stated.retryAfterMs ?? spoken.retryAfterMs ?? untilReset;
  const tokens = complete({ ...tokensInText(withoutEchoes(text)), ...stated.tokens });
  const type = stated.type;
  const code = stated.code ?? found.causes.findLast((cause) => cause.code !== undefined)?.code;

  return {
    ...(context.provider === undefined ? {} : { provider: context.provider }),
    ...(status === undefined ? {} : { status }),
    ...(code === undefined ? {} : { code }),
    ...(type === undefined ? {} : { type }),
    codes,
    ...(stated.requestId === undefined ? {} : { requestId: stated.requestId.slice(0, ID_LIMIT) }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(resetAt === undefined ? {} : { resetAt }),
    ...(tokens === undefined ? {} : { tokens }),
    name: nameOf(value),
    message: boundText(message, MESSAGE_LIMIT),
    text,
    causes: found.causes,
    partial: context.partial ?? false,
  };
}

/** The error's own status, then the one its text begins with, then the one the caller knows, then one the text mentions. */
function pickStatus(
  own: number | undefined,
  leading: number | undefined,
  known: number | undefined,
  mentioned: number | undefined,
  all: readonly number[],
): number | undefined {
  const status = own ?? leading ?? known ?? mentioned;
  // A gateway that answers 200 and puts the real status into the body.
  if (status === undefined || status < 300) return all.find((other) => other >= 400) ?? mentioned ?? status;
  return status;
}
