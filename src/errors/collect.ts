import { condense } from "./condense.ts";
import { codeOf, isArray, isErrorLike, isIdentifier, isObject, nameOf, read, readString } from "./read.ts";
import { StatedFacts } from "./stated-facts.ts";
import { brokenBody, findBody, parseLoosely } from "./text-body.ts";
import { isValidationReport, withoutFrames } from "./echo.ts";
import type { FailureCause } from "./types.ts";

/** How many objects of one error are looked at, in all; a cycle or a huge array ends there. */
const MAX_NODES = 150;
const MAX_DEPTH = 12;
const MAX_ITEMS = 8;
const MAX_CAUSES = 12;

const MESSAGE_KEYS = [
  "message",
  "Message",
  "msg",
  "error_msg",
  "error_message",
  "errorMessage",
  "error_description",
  "description",
  "detail",
  "details",
  "error",
  "title",
];
/** Where an error body keeps another one. Request data (`request`, `input`, `config`, `requestBodyValues`) is never entered: it is the caller's own. */
const BODY_KEYS = [
  "error",
  "errors",
  "detail",
  "details",
  "body",
  "responseBody",
  "data",
  "response",
  "metadata",
  "raw",
  "param",
  "upstream_error",
  "external_model_error",
  "incomplete_details",
  "promptFeedback",
  "innererror",
  "inner_error",
  "fault",
  "exception",
  "lastError",
  "last_error",
  "violations",
  "$response",
  "$metadata",
  "Error",
];
/** A message found in an error. The deepest one of a body is the provider's own; of errors alone, the outermost. */
interface FoundMessage {
  text: string;
  depth: number;
  inBody: boolean;
}

/** What is gathered while an error is walked through, raw: redaction follows, but for texts, which are condensed as they come. */
export class Collector {
  readonly stated: StatedFacts;
  readonly messages: FoundMessage[] = [];
  readonly prose: string[] = [];
  readonly causes: FailureCause[] = [];
  readonly #seen = new Set<object>();
  #nodes = 0;
  #inBody = false;

  constructor(now: number) {
    this.stated = new StatedFacts(now);
  }

  /** The value itself, whatever it is. */
  value(value: unknown): void {
    if (typeof value === "string") this.text(value, 0);
    else if (isErrorLike(value)) this.error(value, 0);
    else if (isObject(value)) this.#enterBody(value, 0);
    else if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") this.prose.push(`${value}`);
  }

  /** An error object: its own facts, its body, then its chain of causes. */
  error(error: object, depth: number): void {
    if (!this.#enter(error)) return;
    this.stated.readObject(error);
    const message = readString(error, "message");
    if (message !== undefined && message !== "") this.text(message, depth);
    for (const key of [
      "error",
      "body",
      "responseBody",
      "data",
      "response",
      "detail",
      "details",
      "$response",
      "$metadata",
      "metadata",
      "lastError",
    ]) {
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
    this.stated.readObject(body);
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
      for (const code of broken.codes) this.stated.readCode(code, "code");
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
