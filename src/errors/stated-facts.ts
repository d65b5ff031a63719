import { condense } from "./condense.ts";
import { headerReader } from "./headers.ts";
import { codeOf, isObject, read, readString, statusOf } from "./read.ts";
import type { FailureTokens } from "./types.ts";
import { parseDuration, parseRetryAfter, saneMoment, saneWait } from "./waits.ts";

const MAX_CODES = 40;
/** Types of events and of `Response` objects, which say nothing of a failure. */
const NO_CODE = /^(?:default|basic|cors|opaque|close|object|failed|incomplete)$/;

const STATUS_KEYS = ["status", "statusCode", "status_code", "httpStatusCode", "http_status", "httpStatus"];
const CODE_KEYS = [
  "code",
  "error_code",
  "errorCode",
  "type",
  "error_type",
  "errorType",
  "__type",
  "reason",
  "status",
  "name",
  "blockReason",
  "quotaId",
  "quotaMetric",
  "error",
  "Code",
];
const REQUEST_ID_KEYS = ["requestID", "request_id", "requestId", "_request_id", "RequestId"];
const REQUEST_ID_HEADERS = ["request-id", "x-request-id", "x-amzn-requestid", "x-ms-request-id", "x-goog-request-id", "cf-ray"];

/** What the objects of an error state in fields: status, codes, request id, waits, token numbers. The first to say something wins. */
export class StatedFacts {
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
  readonly #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  /** Status, codes, ids, waits and token numbers that one object states. */
  readObject(object: object): void {
    for (const key of STATUS_KEYS) this.#status(read(object, key));
    for (const key of CODE_KEYS) this.readCode(read(object, key), key);
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

  /** A code found under `key`; sentences are none. */
  readCode(value: unknown, key: string): void {
    if (key === "status" && statusOf(value) !== undefined) return;
    const code = codeOf(value);
    if (code === undefined || this.codes.length >= MAX_CODES) return;
    if (NO_CODE.test(code)) return;
    if (key === "name" && /^(?:[A-Z][a-z]+)?Error$/.test(code)) return;
    const redacted = condense(code);
    if (!this.codes.includes(redacted)) this.codes.push(redacted);
    if (/type$/i.test(key)) this.type = redacted === "error" ? (this.type ?? redacted) : redacted;
    else if (/code$/i.test(key) || key === "status" || key === "reason")
      this.code = statusOf(value) === undefined ? redacted : (this.code ?? redacted);
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
    if (milliseconds !== undefined && /^\d{1,12}(?:\.\d{1,9})?$/.test(milliseconds.trim()))
      this.#wait(saneWait(Number(milliseconds)));
    const retryAfter = get("retry-after");
    if (retryAfter !== undefined) this.#wait(parseRetryAfter(retryAfter, this.#now));
    // Sent with every response; only of a throttle do they say how long it lasts.
    if (!this.statuses.includes(429)) return;
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
