import { condense } from "./condense.ts";
import { isArray, isErrorLike, isObject, nameOf, read, readString, statusOf } from "./read.ts";
import { brokenBody, findBody, parseLoosely } from "./text-body.ts";
import { isValidationReport, withoutFrames } from "./echo.ts";
import type { FailureCause, FailureTokens } from "./types.ts";
import { parseDuration, parseRetryAfter, saneMoment, saneWait } from "./waits.ts";

/** How many objects of one error are looked at, in all; a cycle or a huge array ends there. */
const MAX_NODES = 150;
const MAX_DEPTH = 12;
const MAX_ITEMS = 8;
const MAX_CAUSES = 12;
const MAX_CODES = 40;

const STATUS_KEYS = ["status", "statusCode", "status_code", "httpStatusCode", "http_status", "httpStatus"];
const CODE_KEYS = ["code", "error_code", "errorCode", "type", "error_type", "errorType", "__type", "reason", "status", "name", "quotaId", "quotaMetric", "error", "Code"];
const MESSAGE_KEYS = ["message", "Message", "msg", "error_msg", "error_message", "errorMessage", "error_description", "description", "detail", "details", "error", "title"];
/** Where an error body keeps another one. Request data (`request`, `input`, `config`, `requestBodyValues`) is never entered: it is the caller's own. */
const BODY_KEYS = [
  "error", "errors", "detail", "details", "body", "responseBody", "data", "response", "metadata", "raw", "param", "upstream_error",
  "external_model_error", "innererror", "inner_error", "fault", "exception", "lastError", "last_error", "violations", "$response", "$metadata", "Error",
];
const REQUEST_ID_KEYS = ["requestID", "request_id", "requestId", "_request_id", "RequestId"];
const REQUEST_ID_HEADERS = ["request-id", "x-request-id", "x-amzn-requestid", "x-ms-request-id", "x-goog-request-id", "cf-ray"];

/** A message found in an error. The deepest one of a body is the provider's own; of errors alone, the outermost. */
interface FoundMessage {
  text: string;
  depth: number;
  inBody: boolean;
}

/** What is gathered while an error is walked through, raw: redaction follows, but for texts, which are condensed as they come. */
export class Collector {
  status: number | undefined;
  readonly statuses: number[] = [];
  /** The innermost code and type: the wrapper speaks first, the provider last. */
  code: string | undefined;
  type: string | undefined;
  readonly codes: string[] = [];
  requestId: string | undefined;
  retryAfterMs: number | undefined;
  resetAt: number | undefined;
  readonly tokens: FailureTokens = {};
  readonly messages: FoundMessage[] = [];
  readonly prose: string[] = [];
  readonly causes: FailureCause[] = [];
  readonly #seen = new Set<object>();
  readonly #now: number;
  #nodes = 0;
  #inBody = false;

  constructor(now: number) {
    this.#now = now;
  }

  /** The value itself, whatever it is. */
  value(value: unknown): void {
    if (typeof value === "string") this.text(value, 0);
    else if (isErrorLike(value)) this.error(value, 0);
    else if (isObject(value)) this.#enterBody(value, 0);
    else if (value !== undefined && value !== null) this.prose.push(String(value));
  }

  /** An error object: its own facts, its body, then its chain of causes. */
  error(error: object, depth: number): void {
    if (!this.#enter(error)) return;
    this.#facts(error);
    const message = readString(error, "message");
    if (message !== undefined && message !== "") this.text(message, depth);
    for (const key of ["error", "body", "responseBody", "data", "response", "detail", "details", "$response", "$metadata", "metadata", "lastError"]) {
      // What a parser of HTTP stumbled over is no body of anyone's: it can be any bytes.
      if (key === "data" && nameOf(error) === "HTTPParserError") continue;
      this.#enterBody(read(error, key), depth + 1);
    }
    this.#causes(error, depth);
  }

  #enterBody(body: unknown, depth: number): void {
    const outside = this.#inBody;
    this.#inBody = true;
    this.body(body, depth);
    this.#inBody = outside;
  }

  #causes(error: object, depth: number): void {
    const several = read(error, "errors");
    const inner = [read(error, "cause"), read(error, "lastError"), ...(isArray(several) ? several.slice(0, MAX_ITEMS) : [])];
    for (const cause of inner) {
      if (cause === undefined || cause === null || this.causes.length >= MAX_CAUSES) continue;
      if (isErrorLike(cause)) {
        if (this.#seen.has(cause)) continue;
        const code = codeOf(read(cause, "code"));
        const message = condense(readString(cause, "message") ?? "").slice(0, 1000);
        this.causes.push({ name: nameOf(cause), message, ...(code === undefined ? {} : { code: condense(code) }) });
        this.error(cause, depth + 1);
      } else if (typeof cause === "string") {
        this.causes.push({ name: "", message: condense(cause).slice(0, 1000) });
        this.text(cause, depth + 1);
      } else this.#enterBody(cause, depth + 1);
    }
  }

  /** A body: parsed JSON in any of the shapes providers and gateways give it. */
  body(body: unknown, depth: number): void {
    if (typeof body === "string") {
      this.text(body, depth);
      return;
    }
    if (!isObject(body) || depth > MAX_DEPTH) return;
    if (isArray(body)) {
      if (!this.#enter(body)) return;
      for (const item of body.slice(0, MAX_ITEMS)) this.body(item, depth);
      return;
    }
    if (isErrorLike(body) && body instanceof Error) {
      this.error(body, depth);
      return;
    }
    if (!this.#enter(body)) return;
    this.#facts(body);
    for (const key of MESSAGE_KEYS) {
      const text = readString(body, key);
      if (text !== undefined && text !== "" && (key !== "error" || !isIdentifier(text))) this.text(text, depth + 1);
    }
    for (const key of BODY_KEYS) {
      const inner = read(body, key);
      if (isObject(inner)) this.body(inner, depth + 1);
      else if (typeof inner === "string" && !MESSAGE_KEYS.includes(key)) this.text(inner, depth + 1);
    }
    this.#causes(body, depth);
  }

  /** A text: the body inside it when there is one, and the prose around that. */
  text(raw: string, depth: number): void {
    const text = withoutFrames(raw);
    const found = depth > MAX_DEPTH || !/[{[]/.test(text) ? undefined : findBody(text);
    const before = found ? text.slice(0, found.start) : text;
    if (found && looksLikeErrorBody(found.value) && !isValidationReport(before.slice(-2000))) {
      const after = text.slice(found.end);
      const around = `${before} ${after}`.trim();
      if (around !== "") this.prose.push(condense(around));
      this.#enterBody(found.value, depth + 1);
      return;
    }
    if (!found && this.#quoted(text, depth)) return;
    const broken = found ? undefined : brokenBody(text);
    if (broken && !isValidationReport(broken.before)) {
      for (const code of broken.codes) this.#code(code, "code");
      this.prose.push(condense(text));
      this.messages.push({ text: condense(broken.message), depth: depth + 1, inBody: true });
      return;
    }
    this.messages.push({ text: condense(text), depth, inBody: this.#inBody });
  }

  /** A text that is a JSON string, as some servers send their message; a status may stand before it. */
  #quoted(text: string, depth: number): boolean {
    const quote = text.slice(0, 60).indexOf('"');
    if (quote < 0 || depth > MAX_DEPTH || !text.trimEnd().endsWith('"')) return false;
    const inner = parseLoosely(text.slice(quote).trim());
    const before = text.slice(0, quote).trim();
    if (typeof inner !== "string" || !/^(?:[\w ]{0,30}error)?[\s:-]*(?:\d{3})?[\s:-]*$/i.test(before)) return false;
    if (before !== "") this.prose.push(before);
    this.text(inner, depth + 1);
    return true;
  }

  #enter(object: object): boolean {
    if (this.#seen.has(object) || this.#nodes >= MAX_NODES) return false;
    this.#seen.add(object);
    this.#nodes += 1;
    return true;
  }

  /** Status, codes, ids, waits and token numbers that one object states. */
  #facts(object: object): void {
    for (const key of STATUS_KEYS) this.#status(read(object, key));
    for (const key of CODE_KEYS) this.#code(read(object, key), key);
    for (const key of REQUEST_ID_KEYS) this.requestId ??= readString(object, key);
    this.#headers(read(object, "headers") ?? read(object, "responseHeaders"));
    this.#waits(object);
    this.#tokenNumbers(object);
  }

  #status(value: unknown): void {
    const status = statusOf(value);
    if (status === undefined) return;
    this.statuses.push(status);
    this.status ??= status;
  }

  #code(value: unknown, key: string): void {
    if (key === "status" && statusOf(value) !== undefined) return;
    const code = codeOf(value);
    if (code === undefined || this.codes.length >= MAX_CODES) return;
    if (key === "name" && /^(?:[A-Z][a-z]+)?Error$/.test(code)) return;
    const redacted = condense(code);
    if (!this.codes.includes(redacted)) this.codes.push(redacted);
    if (/type$/i.test(key)) this.type = redacted === "error" ? (this.type ?? redacted) : redacted;
    else if (/code$/i.test(key) || key === "status" || key === "reason") this.code = statusOf(value) === undefined ? redacted : (this.code ?? redacted);
    // A body's code is often the status of whoever answered.
    if (key === "code" || key === "error_code") {
      const status = statusOf(value);
      if (status !== undefined && status >= 400) this.statuses.push(status);
    }
  }

  #headers(headers: unknown): void {
    if (!isObject(headers)) return;
    const get = headerReader(headers);
    for (const name of REQUEST_ID_HEADERS) this.requestId ??= get(name);
    const milliseconds = get("retry-after-ms");
    if (milliseconds !== undefined && /^\d{1,12}(?:\.\d{1,9})?$/.test(milliseconds.trim())) this.#wait(saneWait(Number(milliseconds)));
    const retryAfter = get("retry-after");
    if (retryAfter !== undefined) this.#wait(parseRetryAfter(retryAfter, this.#now));
    for (const name of ["anthropic-ratelimit-unified-reset", "x-ratelimit-reset"]) {
      const reset = get(name);
      if (reset !== undefined && /^\d{10,13}$/.test(reset)) this.resetAt ??= saneMoment(Number(reset), this.#now);
    }
  }

  #wait(milliseconds: number | undefined): void {
    this.retryAfterMs ??= milliseconds;
  }

  #waits(object: object): void {
    for (const key of ["retry_after_ms", "retryAfterMs"]) this.#wait(numberWait(read(object, key), 1));
    for (const key of ["retry_after", "retryAfter", "retry_after_seconds", "resets_in_seconds", "reset_after"]) {
      const value = read(object, key);
      this.#wait(typeof value === "string" ? parseRetryAfter(value, this.#now) : numberWait(value, 1000));
    }
    for (const key of ["retryDelay", "quotaResetDelay"]) {
      const value = read(object, key);
      if (typeof value === "string") this.#wait(parseDuration(value));
      // A protobuf Duration as JSON objects have it.
      else if (isObject(value)) this.#wait(numberWait(Number(read(value, "seconds")), 1000));
    }
    for (const key of ["resets_at", "reset_at", "resetsAt", "resetAt", "quotaResetTimeStamp"]) {
      const value = read(object, key);
      const moment = typeof value === "string" ? (/^\d{10,13}$/.test(value) ? Number(value) : Date.parse(value)) : value;
      if (typeof moment === "number" && !Number.isNaN(moment)) this.resetAt ??= saneMoment(moment, this.#now);
    }
  }

  #tokenNumbers(object: object): void {
    const input = read(object, "n_prompt_tokens");
    const window = read(object, "n_ctx");
    if (typeof input === "number") this.tokens.input ??= input;
    if (typeof window === "number") this.tokens.window ??= window;
  }
}

function numberWait(value: unknown, unit: number): number | undefined {
  return typeof value === "number" ? saneWait(value * unit) : undefined;
}

/** A code as text. Sentences are none. */
function codeOf(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : undefined;
  return typeof value === "string" && isIdentifier(value) ? value : undefined;
}

function isIdentifier(text: string): boolean {
  return text.length > 0 && text.length <= 120 && /^[\w.:/#-]+$/.test(text);
}

/** What the fields of an error body are called. */
const ERROR_KEY = /error|message|^(?:msg|detail|details|code|type|status|response|body|violations|retryDelay|title|reason)$/i;

function looksLikeErrorBody(value: unknown): boolean {
  if (isArray(value)) return value.slice(0, 3).some(looksLikeErrorBody);
  return isObject(value) && keysOf(value).some((key) => ERROR_KEY.test(key));
}

function keysOf(object: object): string[] {
  try {
    return Object.keys(object).slice(0, 50);
  } catch {
    return [];
  }
}

/** Headers come as `Headers`, as a Map, or as an object with names in any case. */
function headerReader(headers: object): (name: string) => string | undefined {
  const get = read(headers, "get");
  if (typeof get === "function") {
    return (name) => {
      try {
        const value: unknown = Reflect.apply(get, headers, [name]);
        return typeof value === "string" ? value : undefined;
      } catch {
        return undefined;
      }
    };
  }
  const lower = new Map<string, string>();
  try {
    for (const key of Object.keys(headers).slice(0, 200)) {
      const value = read(headers, key);
      if (typeof value === "string") lower.set(key.toLowerCase(), value);
      else if (isArray(value) && typeof value[0] === "string") lower.set(key.toLowerCase(), value[0]);
    }
  } catch {
    return () => undefined;
  }
  return (name) => lower.get(name);
}
