/** Reason phrases that make a number before them a status. */
const REASON =
  "bad request|unauthorized|payment required|forbidden|not found|method not allowed|request timeout|conflict|payload too large|request entity too large|content too large|unprocessable|too many requests|internal server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out|web server|overloaded|status code|upstream|error code|a timeout|connection timed out|origin|ssl handshake";

const LEADING =
  /^\s*(?:\w{0,40}error:?\s{0,3})?(?:https?(?:\/[\d.]{1,3})?\s{0,2}|error\s|<|\[|\()?([1-5]\d\d)(?=[\s:>\])}{-]|$)/i;

const MENTIONED: readonly RegExp[] = [
  /\b(?:api error|error code|status code|statuscode|status_code|http status|status|http error|http|rejected|code)["']?\s{0,3}[:=(]?\s{0,3}[([]?([45]\d\d)\b/i,
  /\bhttp\/[\d.]{1,3}\s([45]\d\d)\b/i,
  new RegExp(String.raw`(?<![\d.,:=-])([45]\d\d)[:\s|-]{1,3}(?:${REASON})`, "i"),
];

/** The HTTP status a text states: the one it begins with, and one it mentions as such. Other digits decide nothing. */
export function statusInText(text: string): { leading?: number; mentioned?: number } {
  const head = text.slice(0, 600);
  const leading = LEADING.exec(head)?.[1];
  if (leading !== undefined) return { leading: Number(leading) };
  for (const pattern of MENTIONED) {
    const mentioned = pattern.exec(head)?.[1];
    if (mentioned !== undefined) return { mentioned: Number(mentioned) };
  }
  return {};
}

const GRPC =
  /(?<![\w.])(\d{1,2})[ :]{1,2}(CANCELLED|UNKNOWN|INVALID_ARGUMENT|DEADLINE_EXCEEDED|NOT_FOUND|ALREADY_EXISTS|PERMISSION_DENIED|RESOURCE_EXHAUSTED|FAILED_PRECONDITION|ABORTED|OUT_OF_RANGE|UNIMPLEMENTED|INTERNAL|UNAVAILABLE|DATA_LOSS|UNAUTHENTICATED)\b/;
/** The same as Go and Python write it: `rpc error: code = ResourceExhausted desc =`, `StatusCode.UNAVAILABLE`. */
const GRPC_NAMED = /\bcode = ([A-Z][A-Za-z]{2,20}) desc\b|\bStatusCode\.([A-Z_]{2,20})\b/;
/** A code that stands before the sentence: `insufficient_quota: You exceeded`, `500:server_error:The server`. */
const LEADING_CODE = /^\s*(?:[\w ]{0,40}error[ :]{1,3})?(?:\d{3}[ :]{1,2})?([a-z][a-z0-9]{1,30}(?:_[a-z0-9]{1,30}){1,5}):\s?/;
/** Exception names of cloud SDKs, where they introduce a message. */
const EXCEPTION = /(?:^|[\s.(:[])([A-Z][A-Za-z_]{2,50}(?:Exception|Error))(?=:|\)| - |$)/gm;
const MAX_EXCEPTIONS = 6;

/** Codes a text states in a place where codes stand. */
export function codesInText(text: string): string[] {
  const codes: string[] = [];
  const head = text.slice(0, 3000);
  const grpc = GRPC.exec(head)?.[2];
  if (grpc !== undefined) codes.push(grpc);
  const named = GRPC_NAMED.exec(head);
  const name = named?.[1] ?? named?.[2];
  if (name !== undefined) codes.push(name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase());
  const leading = LEADING_CODE.exec(head)?.[1];
  if (leading !== undefined) codes.push(leading);
  for (const match of head.matchAll(EXCEPTION)) {
    if (codes.length >= MAX_EXCEPTIONS) break;
    if (match[1] !== undefined) codes.push(match[1]);
  }
  return codes;
}
