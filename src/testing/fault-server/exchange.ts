import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Part, ReplyContext, WireEvent, WireFormat, WireFormatName } from "./formats/wire-format.ts";
import { frame } from "./formats/wire-format.ts";
import type { Point } from "./point.ts";
import { piecesBefore } from "./point.ts";
import type { FaultReply, FaultReplyToolCall } from "./reply.ts";

/** A request as the server got it. */
export interface FaultRequest {
  /** Counts the requests from 1. */
  n: number;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** The body as JSON; undefined when it is none. */
  body: unknown;
  /** Undefined when the path belongs to no format; such a request gets 404 and plays no step. */
  format: WireFormatName | undefined;
  /** Whether a stream was asked for. */
  stream: boolean;
  /** The step that answered it, as the script has it. */
  step?: string;
  /** When its body had arrived, in milliseconds since the epoch. */
  at: number;
}

/**
 * How a response stops: `clean` ends it as if it were whole (the last chunk is sent), `fin` closes the connection without the
 * last chunk, `rst` resets it, `eof` is the close of a body that has no length and no chunks, so that nobody can tell.
 */
export type Ending = (typeof ENDINGS)[number];

export const ENDINGS = ["fin", "rst", "clean", "eof"] as const;

/** A part of a good reply as bytes of the body. */
export interface Piece {
  bytes: string;
  part: Part;
}

export interface HeadOptions {
  /** Default 200. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** True for a body that only the close of the connection ends; default chunks. */
  untilClose?: boolean;
}

/** A reset overtakes bytes the other side has not read yet; on loopback it has them after this many milliseconds. */
const BEFORE_RESET_MS = 10;

/** One request and the response a step plays to it. */
export class Exchange {
  readonly request: FaultRequest;
  readonly format: WireFormat;
  /** What the model says, whole or broken. */
  readonly reply: FaultReply;
  /** What steps about tool calls call. */
  readonly toolCall: FaultReplyToolCall;
  /** Aborts when the client has left or the server closes. */
  readonly left: AbortSignal;
  readonly #response: ServerResponse;

  constructor(init: {
    request: FaultRequest;
    format: WireFormat;
    reply: FaultReply;
    toolCall: FaultReplyToolCall;
    left: AbortSignal;
    response: ServerResponse;
  }) {
    this.request = init.request;
    this.format = init.format;
    this.reply = init.reply;
    this.toolCall = init.toolCall;
    this.left = init.left;
    this.#response = init.response;
  }

  get context(): ReplyContext {
    const { body, n } = this.request;
    const fields: { model?: unknown; stream_options?: { include_usage?: unknown } } = isObject(body) ? body : {};
    return {
      n,
      model: typeof fields.model === "string" ? fields.model : "fault-server-model",
      includeUsage: fields.stream_options?.include_usage === true,
    };
  }

  get requestId(): string {
    return `req_${this.request.n}`;
  }

  /** The events of `reply`, whether a stream was asked for or not. */
  events(reply: FaultReply = this.reply): WireEvent[] {
    return this.format.events(reply, this.context);
  }

  /** `reply` as the request wants it: a stream of events, or one JSON value in four pieces. */
  pieces(reply: FaultReply = this.reply): Piece[] {
    if (this.request.stream) return this.events(reply).map((event) => ({ bytes: frame(event), part: event.part }));
    const json = JSON.stringify(this.format.whole(reply, this.context));
    const quarter = Math.ceil(json.length / 4);
    return [0, 1, 2, 3].map((index) => ({
      bytes: json.slice(index * quarter, (index + 1) * quarter),
      part: index === 3 ? "terminal" : "content",
    }));
  }

  /** Sends status and headers at once. A reply's own content type is the default. */
  head({ status = 200, headers = {}, untilClose = false }: HeadOptions = {}): void {
    const response = this.#response;
    if (untilClose) response.removeHeader("transfer-encoding");
    response.writeHead(status, {
      "content-type": this.request.stream ? "text/event-stream; charset=utf-8" : "application/json",
      "cache-control": "no-cache",
      [this.format.requestIdHeader]: this.requestId,
      ...headers,
    });
    response.flushHeaders();
  }

  /** Sends bytes of the body; resolves when the system has taken them, rejects when the client has left. */
  async send(bytes: string | Uint8Array): Promise<void> {
    this.left.throwIfAborted();
    if (bytes.length === 0) return;
    await new Promise<void>((resolve, reject) => {
      this.#response.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Sends the events of the reply that come before `point`. */
  async sendUntil(point: Point, pieces: readonly Piece[] = this.pieces()): Promise<void> {
    for (const piece of pieces.slice(0, piecesBefore(point, pieces))) await this.send(piece.bytes);
  }

  /** Sends the headers and the events of the reply that come before `point`. */
  async begin(point: Point): Promise<void> {
    this.head();
    await this.sendUntil(point);
  }

  /** Writes past HTTP, onto the bare connection. */
  async raw(bytes: string | Uint8Array): Promise<void> {
    this.left.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      this.#socket.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }

  async end(how: Ending = "clean"): Promise<void> {
    if (how === "fin" || how === "eof") {
      this.#socket.end();
    } else if (how === "rst") {
      await this.pause(BEFORE_RESET_MS);
      this.#socket.resetAndDestroy();
    } else {
      this.#response.end();
    }
  }

  /** A whole response with a body that is not a reply. */
  async respond(
    status: number,
    contentType: string,
    body: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const length = status === 204 ? {} : { "content-length": String(Buffer.byteLength(body)) };
    this.head({ status, headers: { "content-type": contentType, ...length, ...headers } });
    await this.send(body);
    await this.end();
  }

  /** Waits; rejects as soon as the client has left. */
  async pause(milliseconds: number): Promise<void> {
    await delay(milliseconds, undefined, { signal: this.left });
  }

  /** Never answers: waits until the client has left. */
  async stall(): Promise<void> {
    if (this.left.aborted) return;
    await new Promise<void>((resolve) => this.left.addEventListener("abort", () => resolve(), { once: true }));
  }

  get #socket(): Socket {
    const { socket } = this.#response;
    if (socket === null) throw new Error("the response has ended already");
    return socket;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
