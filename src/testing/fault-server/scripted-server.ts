import { createServer as createHttpServer } from "node:http";
import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer as createNetServer } from "node:net";
import type { Socket } from "node:net";
import { publicTestCertificate, publicTestKey } from "./certificate.ts";
import { Exchange } from "./exchange.ts";
import type { FaultRequest } from "./exchange.ts";
import { FaultScriptError } from "./arguments.ts";
import { wireFormats } from "./formats/index.ts";
import { LoopbackPort } from "./port.ts";
import { readRequest } from "./read-request.ts";
import { defaultReply, defaultToolCall } from "./reply.ts";
import type { FaultReply, FaultReplyToolCall } from "./reply.ts";
import { prepareStep, ScriptCursor, STEP_PARAMETER } from "./script.ts";
import type { AfterScript, FaultScript, PreparedStep } from "./script.ts";

export interface FaultServerOptions {
  /** What happens, request by request; default none, which is good replies only. */
  script?: FaultScript;
  /** What follows the last step of a list; default `reply`, good replies. */
  afterScript?: AfterScript;
  /** What the model says in good replies, and what broken ones break; default a sentence. */
  reply?: FaultReply | ((request: FaultRequest) => FaultReply);
  /** The call of the steps about tool calls; default one of a tool that no common agent has. */
  toolCall?: FaultReplyToolCall;
  /** Speak TLS, with a self-signed certificate; default only when a step of the script needs it. */
  tls?: boolean;
  /** Default any free one. */
  port?: number;
  /** Called for each request before it is answered; a request without a step gets 404. */
  onRequest?: (request: FaultRequest) => void;
}

export interface FaultServer {
  /** Where it is, as in `http://127.0.0.1:40123`: a base URL for every format, with `/v1` at the end or without. */
  readonly url: string;
  readonly port: number;
  /** Every request so far, in the order they came. */
  readonly requests: readonly FaultRequest[];
  /** Whether every step of a list has been played; never, when it is repeated, or is a function. */
  readonly scriptDone: boolean;
  /** Connections that are open now. */
  readonly connections: number;
  /** The certificate as PEM, for a client that is to trust it. */
  readonly certificate: string;
  /** Stops listening and ends every connection and timer. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The server behind `startFaultServer`. */
export class ScriptedServer implements FaultServer {
  readonly requests: FaultRequest[] = [];
  readonly certificate = publicTestCertificate;
  readonly #options: FaultServerOptions;
  readonly #cursor: ScriptCursor;
  readonly #tls: boolean;
  readonly #http: HttpServer;
  readonly #port: LoopbackPort;
  readonly #closing = new AbortController();
  #reopening: ReturnType<typeof setTimeout> | undefined;
  /** Client ports of TLS connections on which no request has come yet. */
  readonly #silent = new Set<number>();

  constructor(options: FaultServerOptions) {
    this.#options = options;
    const { script = [], afterScript = "reply" } = options;
    this.#cursor = new ScriptCursor(typeof script === "function" ? [] : script, afterScript);
    this.#tls = options.tls ?? this.#cursor.needsTls;
    const answer = (message: IncomingMessage, response: ServerResponse): void => void this.#answer(message, response);
    // The limits Node sets on slow clients are not what is tested here.
    const settings = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 };
    this.#http = this.#tls
      ? createHttpsServer({ ...settings, key: publicTestKey, cert: publicTestCertificate }, answer)
      : createHttpServer(settings, answer);
    this.#http.on("clientError", (_error, socket) => socket.destroy());
    this.#http.on("tlsClientError", (_error, socket) => socket.destroy());
    this.#port = new LoopbackPort(createNetServer((socket) => this.#connected(socket)));
  }

  get url(): string {
    return `${this.#tls ? "https" : "http"}://127.0.0.1:${this.#port.number}`;
  }

  get port(): number {
    return this.#port.number;
  }

  get scriptDone(): boolean {
    return typeof this.#options.script !== "function" && this.#cursor.current === undefined;
  }

  get connections(): number {
    return this.#port.connections;
  }

  async start(): Promise<void> {
    await this.#port.open(this.#options.port);
    this.#refuseIfTold();
  }

  async close(): Promise<void> {
    clearTimeout(this.#reopening);
    this.#closing.abort();
    await this.#port.close();
    this.#http.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #connected(socket: Socket): void {
    const step = this.#cursor.current;
    if (step?.play.on === "connection") {
      this.#advance();
      step.play.play(socket);
      return;
    }
    if (this.#tls) this.#watchHandshake(socket);
    this.#http.emit("connection", socket);
  }

  /** A client that refuses the certificate says so by leaving: that was the request of this step. */
  #watchHandshake(socket: Socket): void {
    const { remotePort = 0 } = socket;
    this.#silent.add(remotePort);
    socket.on("close", () => {
      if (this.#silent.delete(remotePort) && !this.#closing.signal.aborted) this.#advance();
    });
  }

  #advance(): void {
    this.#cursor.advance();
    this.#refuseIfTold();
  }

  #refuseIfTold(): void {
    const play = this.#cursor.current?.play;
    if (play?.on !== "port") return;
    this.#port.refuse();
    if (play.closedForMs === undefined) return;
    this.#reopening = setTimeout(() => {
      void this.#port.open().then(() => this.#advance());
    }, play.closedForMs);
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    response.shouldKeepAlive = false;
    this.#silent.delete(message.socket.remotePort ?? 0);
    const left = new AbortController();
    response.on("close", () => left.abort());
    // A client that leaves in the middle ends the play; that is no error of the server's.
    response.on("error", () => left.abort());
    try {
      const read = await readRequest(message);
      const request: FaultRequest = { ...read, n: this.requests.length + 1, at: Date.now() };
      this.requests.push(request);
      await this.#play(request, response, AbortSignal.any([left.signal, this.#closing.signal]));
    } catch (error) {
      if (left.signal.aborted || this.#closing.signal.aborted) return;
      mistake(response, error);
    }
  }

  async #play(request: FaultRequest, response: ServerResponse, left: AbortSignal): Promise<void> {
    if (request.format === undefined) {
      this.#options.onRequest?.(request);
      response.writeHead(404, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: `nothing is served at ${request.method} ${request.path}` } }));
      return;
    }
    const step = this.#stepOf(request);
    request.step = step.name;
    this.#options.onRequest?.(request);
    const { reply = defaultReply, toolCall = defaultToolCall } = this.#options;
    const exchange = new Exchange({
      request,
      format: wireFormats[request.format],
      reply: typeof reply === "function" ? reply(request) : reply,
      toolCall,
      left,
      response,
    });
    if (step.play.on !== "request")
      throw new FaultScriptError(`step "${step.name}" has no request: a function cannot ask for it`);
    await step.play.play(exchange);
  }

  #stepOf(request: FaultRequest): PreparedStep {
    const { script } = this.#options;
    const asked = new URL(request.path, this.url).searchParams.get(STEP_PARAMETER);
    if (asked !== null) return prepareStep(asked);
    if (typeof script === "function") return prepareStep(script(request, request.n));
    const step = this.#cursor.current;
    if (step === undefined) return prepareStep("reply");
    this.#advance();
    return step;
  }
}

/** Tells the client, and so whoever reads its error, what is wrong with the script or with its functions. */
function mistake(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const message = `the fault server could not play this step: ${error instanceof Error ? error.message : String(error)}`;
  response.writeHead(500, { "content-type": "application/json", "x-should-retry": "false" });
  response.end(JSON.stringify({ error: { type: "fault_server_mistake", message } }));
}
