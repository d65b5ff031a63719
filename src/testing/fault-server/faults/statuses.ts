import type { StepArguments } from "../arguments.ts";
import type { Exchange } from "../exchange.ts";
import type { Fault, FaultExample, Meaning } from "../fault.ts";
import { ALL_FORMATS, examples, respond } from "../fault.ts";
import { errorOfStatus, providerErrors } from "../provider-errors.ts";
import type { ProviderError } from "../provider-errors.ts";
import { ERROR_MEANINGS, PROVIDER_ERROR_NAMES } from "./stream-errors.ts";

type Headers = Readonly<Record<string, string>>;

const WAIT_FORMS = ["retry-after", "retry-after-ms", "retry-after-date", "x-should-retry"] as const;

const WAIT_WORDS =
  "`retry-after=<seconds>` (a fraction is allowed), `retry-after-ms=<ms>`, `retry-after-date=<seconds from now>` for an HTTP " +
  "date, `x-should-retry=<true|false>`, or nothing";

/** The header a step asks for, made when it is played: an HTTP date counts from then. */
function waitArgument(words: StepArguments): () => Headers {
  const parse = (word: string): (() => Headers) | undefined => {
    const [name, value = ""] = word.split("=", 2);
    const form = WAIT_FORMS.find((candidate) => candidate === name);
    if (form === undefined || value === "") return undefined;
    if (form !== "retry-after-date") return () => ({ [form]: value });
    const seconds = Number(value);
    if (!Number.isFinite(seconds)) return undefined;
    return () => ({ "retry-after": new Date(Date.now() + seconds * 1000).toUTCString() });
  };
  return words.parsed("the header", WAIT_WORDS.replaceAll("`", ""), parse, () => ({}));
}

async function sendError(exchange: Exchange, error: ProviderError, headers: Headers): Promise<void> {
  const { status } = exchange.format.name === "anthropic-messages" ? error.anthropic : error.openai;
  const body = exchange.format.errorBody(error, exchange.requestId);
  await exchange.respond(status, "application/json", JSON.stringify(body), headers);
}

/** What a status means by itself, where nothing in the body says otherwise. */
const STATUS_MEANINGS: Readonly<Record<string, readonly [Meaning, ...Meaning[]]>> = {
  400: ["invalid_request"],
  401: ["auth"],
  403: ["auth"],
  404: ["model_not_found", "config"],
  408: ["timeout"],
  409: ["server_error"],
  413: ["context_overflow"],
  422: ["invalid_request"],
  425: ["server_error"],
  429: ["rate_limited"],
  504: ["timeout", "server_error"],
  522: ["timeout", "network", "server_error"],
  523: ["network", "server_error"],
  524: ["timeout", "server_error"],
  529: ["overloaded"],
};

const STATUSES = [
  ...[400, 401, 403, 404, 408, 409, 413, 422, 425, 429, 500, 502, 503, 504],
  ...[520, 521, 522, 523, 524, 525, 526, 527, 528, 529],
];

function meaningOf(status: number): readonly [Meaning, ...Meaning[]] {
  return STATUS_MEANINGS[status] ?? ["server_error", "overloaded", "network"];
}

function statusExamples(name: string, statuses: readonly number[]): FaultExample[] {
  return statuses.map((status) => ({ step: `${name}:${status}`, means: meaningOf(status) }));
}

const HTTP_STATUSES = { least: 300, most: 599 };

/** Responses that say no, with status, body and the forms of Retry-After. */
export const statusFaults: Record<string, Fault> = {
  status: {
    title: "error status",
    description: `A status from 300 to 599 with an error body of the provider's shape, and a header: ${WAIT_WORDS}.`,
    usage: "status:<status>:<header>",
    formats: ALL_FORMATS,
    examples: [
      ...statusExamples("status", STATUSES),
      ...examples(
        ["retry-after=7", "retry-after=1.5", "retry-after-ms=1500", "retry-after-date=7"].map((form) => `status:429:${form}`),
        "rate_limited",
      ),
      ...examples(["status:503:retry-after=7"], "server_error", "overloaded"),
      ...examples(["status:529:retry-after-ms=250"], "overloaded"),
    ],
    prepare: (words) => {
      const status = words.integer("the status", 500, HTTP_STATUSES.least, HTTP_STATUSES.most);
      const headers = waitArgument(words);
      return respond((exchange) => sendError(exchange, errorOfStatus(status), headers()));
    },
  },
  error: {
    title: "provider error",
    description:
      `An error in the provider's own words, with the status it goes under (${PROVIDER_ERROR_NAMES.join(", ")}), and a ` +
      `header: ${WAIT_WORDS}.`,
    usage: "error:<error>:<header>",
    formats: ALL_FORMATS,
    examples: PROVIDER_ERROR_NAMES.map((name) => ({ step: `error:${name}`, means: ERROR_MEANINGS[name] })),
    prepare: (words) => {
      const name = words.oneOf("the error", PROVIDER_ERROR_NAMES, "overloaded");
      const headers = waitArgument(words);
      return respond((exchange) => sendError(exchange, providerErrors[name], headers()));
    },
  },
  "status-body": {
    title: "error status with another body",
    description: "An error status whose body is no JSON of a provider: empty, a line of text, or a gateway's HTML page.",
    usage: "status-body:<status>:<empty|text|html>",
    formats: ALL_FORMATS,
    examples: [
      ...examples(["status-body:500:empty", "status-body:502:text", "status-body:502:html"], "server_error"),
      ...examples(["status-body:503:html"], "server_error", "overloaded"),
      ...examples(["status-body:413:html"], "context_overflow"),
      ...examples(["status-body:429:empty"], "rate_limited"),
      ...examples(["status-body:401:html"], "auth"),
    ],
    prepare: (words) => {
      const status = words.integer("the status", 502, HTTP_STATUSES.least, HTTP_STATUSES.most);
      const body = words.oneOf("the body", ["empty", "text", "html"], "html");
      return respond((exchange) => {
        const text = { empty: "", text: `error ${status}`, html: `<html><body><h1>${status}</h1></body></html>` }[body];
        return exchange.respond(status, body === "html" ? "text/html" : "text/plain", text);
      });
    },
  },
};
