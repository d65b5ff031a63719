import type { Fault } from "../fault.ts";
import { ALL_FORMATS, examples, respond } from "../fault.ts";
import { providerErrors } from "../provider-errors.ts";
import { ERROR_MEANINGS, PROVIDER_ERROR_NAMES } from "./stream-errors.ts";

const LOGIN_PAGE = "<!doctype html><html><head><title>Sign in</title></head><body><form>Sign in to go on</form></body></html>";

/** Faults of what comes under status 200, and of redirects: no stream, or a stream that says nothing. */
export const bodyFaults: Record<string, Fault> = {
  html: {
    title: "HTML page under 200",
    description: "The sign-in page of a proxy in place of the reply, as HTML or under the content type of a stream.",
    usage: "html:<html|stream>",
    formats: ALL_FORMATS,
    examples: examples(["html", "html:stream"], "config"),
    prepare: (words) => {
      const as = words.oneOf("the content type", ["html", "stream"], "html");
      const contentType = as === "html" ? "text/html; charset=utf-8" : "text/event-stream";
      return respond((exchange) => exchange.respond(200, contentType, LOGIN_PAGE));
    },
  },
  "error-200": {
    title: "JSON error under 200",
    description: `An error (${PROVIDER_ERROR_NAMES.join(", ")}) as a JSON body under status 200, where a stream was asked for.`,
    usage: "error-200:<error>",
    formats: ALL_FORMATS,
    examples: (["rate_limit", "overloaded", "insufficient_quota", "context_length_exceeded"] as const).map((name) => {
      return { step: `error-200:${name}`, means: ERROR_MEANINGS[name] };
    }),
    prepare: (words) => {
      const name = words.oneOf("the error", PROVIDER_ERROR_NAMES, "rate_limit");
      return respond((exchange) => {
        const body = exchange.format.errorBody(providerErrors[name], exchange.requestId);
        return exchange.respond(200, "application/json", JSON.stringify(body));
      });
    },
  },
  "whole-json": {
    title: "whole JSON reply in place of a stream",
    description: "The complete reply as one JSON body, although a stream was asked for.",
    usage: "whole-json",
    formats: ALL_FORMATS,
    examples: examples(["whole-json"], "server_error", "config", "stream_interrupted"),
    prepare: () =>
      respond((exchange) => {
        const body = exchange.format.whole(exchange.reply, exchange.context);
        return exchange.respond(200, "application/json", JSON.stringify(body));
      }),
  },
  text: {
    title: "plain text under 200",
    description: "A line of text of a proxy under status 200.",
    usage: "text[:<text>]",
    formats: ALL_FORMATS,
    examples: examples(["text"], "network", "stream_interrupted", "server_error"),
    prepare: (words) => {
      const text = words.text("upstream connect error or disconnect/reset before headers. reset reason: connection termination");
      return respond((exchange) => exchange.respond(200, "text/plain", text));
    },
  },
  empty: {
    title: "nothing under 200",
    description: "An empty body as JSON, an empty stream, a stream of comments only, the JSON value null, or status 204.",
    usage: "empty:<body|stream|comments|null|204>",
    formats: ALL_FORMATS,
    examples: examples(
      ["empty:body", "empty:stream", "empty:comments", "empty:null", "empty:204"],
      "stream_interrupted",
      "server_error",
    ),
    prepare: (words) => {
      const what = words.oneOf("what is empty", ["body", "stream", "comments", "null", "204"], "body");
      return respond(async (exchange) => {
        if (what === "204") return exchange.respond(204, "application/json", "");
        if (what === "null") return exchange.respond(200, "application/json", "null");
        if (what === "body") return exchange.respond(200, "application/json", "");
        exchange.head({ headers: { "content-type": "text/event-stream" } });
        if (what === "comments") await exchange.send(": one\n\n: two\n\n");
        await exchange.end();
      });
    },
  },
  "empty-answer": {
    title: "empty answer",
    description: "A stream that is whole but says nothing: `silent` with a good stop reason, `terminal` only the terminal event.",
    usage: "empty-answer:<silent|terminal>",
    formats: ALL_FORMATS,
    examples: examples(["empty-answer:silent", "empty-answer:terminal"], "stream_interrupted"),
    prepare: (words) => {
      const how = words.oneOf("the form", ["silent", "terminal"], "silent");
      return respond(async (exchange) => {
        const pieces = exchange.pieces({ usage: { output: 0 } });
        exchange.head();
        const sent = how === "silent" ? pieces : pieces.filter((piece) => piece.part === "terminal");
        for (const piece of sent) await exchange.send(piece.bytes);
        await exchange.end();
      });
    },
  },
  "redirect-loop": {
    title: "redirect loop",
    description: "A redirect (307) to itself, without end. The step answers all of them.",
    usage: "redirect-loop",
    formats: ALL_FORMATS,
    examples: examples(["redirect-loop"], "config"),
    prepare: () => respond((exchange) => exchange.respond(307, "text/plain", "", { location: "?fault-step=redirect-loop" })),
  },
  "redirect-html": {
    title: "redirect to an HTML page",
    description: "A redirect (302) to the sign-in page of a proxy.",
    usage: "redirect-html",
    formats: ALL_FORMATS,
    examples: examples(["redirect-html"], "config"),
    prepare: () => respond((exchange) => exchange.respond(302, "text/plain", "", { location: "?fault-step=html" })),
  },
  "redirect-nowhere": {
    title: "redirect without a target",
    description: "Status 307 without a location.",
    usage: "redirect-nowhere",
    formats: ALL_FORMATS,
    examples: examples(["redirect-nowhere"], "config"),
    prepare: () => respond((exchange) => exchange.respond(307, "text/plain", "")),
  },
};
