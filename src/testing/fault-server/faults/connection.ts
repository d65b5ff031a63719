import type { Fault } from "../fault.ts";
import { ALL_FORMATS, examples, respond } from "../fault.ts";
import { sendReply } from "./replies.ts";

const SSH_BANNER = "SSH-2.0-OpenSSH_9.6\r\n";
const PLAIN_ANSWER = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/** Faults before there is a response. */
export const connectionFaults: Record<string, Fault> = {
  refuse: {
    title: "connection refused",
    description:
      "Nobody listens on the port: for the milliseconds given, then the next step is on; without a number until the server " +
      "is closed. Tries are not seen, so they are not counted.",
    usage: "refuse[:<ms>]",
    formats: ALL_FORMATS,
    examples: examples(["refuse"], "network"),
    prepare: (words) => {
      const closedForMs = words.integer("the time", 0, 1);
      return { on: "port", closedForMs: closedForMs === 0 ? undefined : closedForMs };
    },
  },
  reset: {
    title: "connection reset before headers",
    description: "The request arrives, then the connection is reset (RST).",
    usage: "reset",
    formats: ALL_FORMATS,
    examples: examples(["reset"], "network"),
    prepare: () => respond((exchange) => exchange.end("rst")),
  },
  close: {
    title: "connection closed before headers",
    description: "The request arrives, then the connection is closed (FIN) without an answer.",
    usage: "close",
    formats: ALL_FORMATS,
    examples: examples(["close"], "network"),
    prepare: () => respond((exchange) => exchange.end("fin")),
  },
  "half-headers": {
    title: "connection closed within the headers",
    description: "The status line and half a header line, then FIN.",
    usage: "half-headers",
    formats: ALL_FORMATS,
    examples: examples(["half-headers"], "network"),
    prepare: () =>
      respond(async (exchange) => {
        await exchange.raw("HTTP/1.1 200 OK\r\ncontent-ty");
        await exchange.end("fin");
      }),
  },
  "not-http": {
    title: "no HTTP",
    description: "What answers is no HTTP server: the banner of an SSH server.",
    usage: "not-http",
    formats: ALL_FORMATS,
    examples: examples(["not-http"], "network", "config"),
    prepare: () =>
      respond(async (exchange) => {
        await exchange.raw(SSH_BANNER);
        await exchange.end("fin");
      }),
  },
  "self-signed": {
    title: "self-signed certificate",
    description:
      "TLS with a certificate nobody has vouched for. A client that trusts the server's certificate gets a good reply; a " +
      "refused handshake uses up the step.",
    usage: "self-signed",
    formats: ALL_FORMATS,
    examples: examples(["self-signed"], "config"),
    prepare: () => ({ on: "request", scheme: "https", play: (exchange) => sendReply(exchange) }),
  },
  "not-tls": {
    title: "plain HTTP behind an https address",
    description: "The address says https, the server does not speak TLS: it answers in plain HTTP, or stays silent.",
    usage: "not-tls[:<answer|silent>]",
    formats: ALL_FORMATS,
    examples: [
      { step: "not-tls:answer", means: ["config"] },
      { step: "not-tls:silent", means: ["timeout"], endless: true },
    ],
    prepare: (words) => {
      const how = words.oneOf("the server", ["answer", "silent"], "answer");
      return {
        on: "connection",
        scheme: "https",
        play: (socket) => {
          socket.once("data", () => {
            if (how === "answer") socket.end(PLAIN_ANSWER);
          });
        },
      };
    },
  },
  "tls-reset": {
    title: "connection reset within the TLS handshake",
    description: "The client's hello arrives, then the connection is reset.",
    usage: "tls-reset",
    formats: ALL_FORMATS,
    examples: examples(["tls-reset"], "network"),
    prepare: () => ({
      on: "connection",
      scheme: "https",
      play: (socket) => {
        socket.once("data", () => socket.resetAndDestroy());
      },
    }),
  },
};
