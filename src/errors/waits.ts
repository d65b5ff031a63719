/** Waits longer than this are no waits but mistakes, in milliseconds (a year). */
const LONGEST_WAIT_MS = 366 * 24 * 3600 * 1000;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A wait and, where the error names one, the moment it ends. */
export interface Wait {
  retryAfterMs?: number;
  resetAt?: number;
}

/** A wait that makes sense: not negative, not absurd; in whole milliseconds. */
export function saneWait(milliseconds: number): number | undefined {
  return Number.isFinite(milliseconds) && milliseconds >= 0 && milliseconds <= LONGEST_WAIT_MS
    ? Math.ceil(milliseconds)
    : undefined;
}

/** A moment that makes sense: after `now`, and not absurdly far. Takes seconds or milliseconds since the epoch. */
export function saneMoment(value: number, now: number): number | undefined {
  // Seconds since the epoch have ten digits until the year 2286.
  const milliseconds = value < 1e11 ? value * 1000 : value;
  return milliseconds > now && saneWait(milliseconds - now) !== undefined ? Math.round(milliseconds) : undefined;
}

/** Retry-After as a header gives it: seconds, fractions of them, or an HTTP date. */
export function parseRetryAfter(value: string, now: number): number | undefined {
  const text = value.trim();
  if (/^\d{1,15}(?:\.\d{1,9})?$/.test(text)) return saneWait(Number(text) * 1000);
  // An HTTP date begins with the name of the day.
  if (!/^[A-Za-z]{3,9},?\s/.test(text) || text.length > 60) return parseDuration(text);
  const moment = Date.parse(text);
  return Number.isNaN(moment) || moment <= now ? undefined : saneWait(moment - now);
}

const DURATION_PART =
  /(\d{1,9}(?:\.\d{1,9})?)\s{0,3}(milliseconds?|millis|msecs?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)(?![a-z])/gi;

/** A duration such as `6m0s`, `18h2m`, `34.07s`, `174ms`, "10 days 19 hours". Milliseconds. */
export function parseDuration(text: string): number | undefined {
  let total = 0;
  let end: number | undefined;
  for (const part of text.matchAll(DURATION_PART)) {
    if (end === undefined ? part.index > 0 : text.slice(end, part.index).replace(/^[\s,]*(?:and\s)?/i, "") !== "") break;
    total += Number(part[1]) * unitMs(part[2] ?? "");
    end = part.index + part[0].length;
  }
  return end === undefined ? undefined : saneWait(total);
}

function unitMs(unit: string): number {
  const name = unit.toLowerCase();
  return UNIT_MS[name.startsWith("ms") || name.startsWith("mil") ? "ms" : name.slice(0, 1)] ?? Number.NaN;
}

/** Where a text begins to speak of a wait; the duration follows. */
const WAIT_LEAD =
  /(?:(?:try|retry)(?:ing)?(?: your request)?(?: again)?|available(?: again)?|resets?|reset|wait(?:ing)?(?: for)?|come back|back)(?:\s(?:again|after|in|for|at least|about|is|will be)){0,3}[\s:~=]{1,3}(?=\d)|reset after\s(?=\d)|requested\s(?=\d)|retry[-_ ]after["']?\s?[:=]\s?["']?(?=\d)/gi;

const WAIT_END =
  /(?:resets?|again|access|available|until)(?: at| on)? (\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d))/i;
const DAY_END = /(?:resets?|again|access|available|until)(?: at| on)? (\d{4}-\d\d-\d\d)(?: at (\d\d:\d\d))?(?: UTC)?/i;
/** "usage limit reached|1758225600": seconds since the epoch. */
const EPOCH_END = /reached\|(\d{10})\b/;

function endInText(text: string, now: number): number | undefined {
  const moment = WAIT_END.exec(text)?.[1];
  if (moment !== undefined) return saneMoment(Date.parse(moment), now);
  const day = DAY_END.exec(text);
  if (day) return saneMoment(Date.parse(`${day[1]}T${day[2] ?? "00:00"}:00Z`), now);
  const epoch = EPOCH_END.exec(text)?.[1];
  return epoch === undefined ? undefined : saneMoment(Number(epoch), now);
}

/** The wait a text names: "Please try again in 6m0s", "reset after 18h2m", "retry after 9 seconds", "resets at 2026-…Z". */
export function waitInText(text: string, now: number): Wait {
  const wait: Wait = {};
  const resetAt = endInText(text, now);
  if (resetAt !== undefined) wait.resetAt = resetAt;
  for (const lead of text.matchAll(WAIT_LEAD)) {
    const rest = text.slice(lead.index + lead[0].length, lead.index + lead[0].length + 80);
    // "Server requested 120s retry delay" has its word after the number; "requested 14137 tokens" is no wait.
    if (/^requested/i.test(lead[0]) && !/^\d+(?:\.\d+)?\s?m?s(?:ec\w*)? retry/i.test(rest)) continue;
    const bare = /^(\d{1,9}(?:\.\d{1,9})?)["']?(?=[\s,.;}]|$)/.exec(rest);
    const duration =
      parseDuration(rest) ?? (/after["']?\s?[:=]/i.test(lead[0]) && bare ? saneWait(Number(bare[1]) * 1000) : undefined);
    if (duration !== undefined) return { ...wait, retryAfterMs: duration };
  }
  return wait;
}
