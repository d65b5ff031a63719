import { makeFailure, toFailure } from "../../errors/index.ts";
import type { Failure } from "../../errors/types.ts";
import { interrupted, StreamedError, StreamFault } from "../faults.ts";

/** As much of a foreign body as is read, in characters. */
export const FOREIGN_LIMIT = 65_536;

const HINT_BASE_URL = "Check the base URL, and whether a proxy or a sign-in page stands in between.";

/**
 * What came instead of an event stream, under a status that promised one: a page, an error body, a whole completion, a
 * gateway's text, or nothing.
 *
 * @returns What to throw: an error that was reported, or a fault.
 */
export function notAStream(body: string, response: Response): StreamedError | StreamFault {
  const text = body.trim();
  if (text.startsWith("{") || text.startsWith("[") || text === "null") return json(text, response);
  if (text !== "" && !text.startsWith("<")) return plainText(text, response);
  return new StreamFault(text === "" ? emptyBody(response) : page(text, response));
}

/** A gateway's text speaks for itself, if it says anything that is known. */
function plainText(text: string, response: Response): StreamedError | StreamFault {
  const error = new StreamedError(text, response.headers);
  if (toFailure(error).kind !== "unknown") return error;
  return new StreamFault(
    serverError("plain-text", `The server answered with plain text instead of a stream: ${text.slice(0, 300)}`),
  );
}

function emptyBody(response: Response): Failure {
  if (response.headers.get("content-type")?.includes("event-stream") === true) {
    return interrupted(
      "empty-stream",
      "The stream ended before it began: no event came",
      "A stream without its terminal event is never an answer.",
    );
  }
  return serverError("empty-body", `The server answered ${response.status} with an empty body instead of a stream`);
}

function page(text: string, response: Response): Failure {
  const title = /<title[^>]*>([^<]{1,200})/i.exec(text)?.[1]?.trim();
  const from = response.redirected ? `, after a redirect to ${new URL(response.url).origin}` : "";
  return makeFailure({
    action: "stop",
    kind: "config",
    rule: "stream.html-page",
    message: `The server answered with an HTML page${title === undefined ? "" : ` ("${title}")`} instead of a stream${from}`,
    why: "A page under a good status is a gateway's or a website's, not a model's.",
    hint: HINT_BASE_URL,
  });
}

function json(text: string, response: Response): StreamedError | StreamFault {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return new StreamFault(
      interrupted(
        "truncated-body",
        "The server answered with a JSON body that breaks off",
        "Half a body is a connection that was cut.",
      ),
    );
  }
  const error = errorIn(value);
  if (error !== undefined) return new StreamedError(error, response.headers);
  return new StreamFault(serverError("whole-body", "The server answered with a whole JSON body although a stream was asked for"));
}

/** The error an object reports, if it reports one: under `error`, or by calling itself one. */
export function errorIn(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  if ("error" in value && Boolean(value.error)) return value.error;
  return "type" in value && value.type === "error" ? value : undefined;
}

const serverError = (rule: string, message: string): Failure =>
  makeFailure({
    action: "retry",
    kind: "server_error",
    rule: `stream.${rule}`,
    message,
    why: "A good status without an answer is a fault of the server or a gateway.",
    hint: `If it goes on: ${HINT_BASE_URL.charAt(0).toLowerCase()}${HINT_BASE_URL.slice(1)}`,
  });
