import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface WireRequest {
  path: string;
  headers: IncomingMessage["headers"];
  body: unknown;
}

export type Answer = (response: ServerResponse, request: WireRequest) => unknown;

/** A plain server on loopback that answers each request with the next of its answers, the last one for ever. */
export class WireServer implements AsyncDisposable {
  readonly requests: WireRequest[] = [];
  readonly #server: Server;
  /** Answers that are neither finished nor given up. */
  active = 0;
  /** Sockets that are open. */
  readonly sockets = new Set<object>();

  private constructor(answers: readonly Answer[]) {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks).toString();
        const received = {
          path: request.url ?? "",
          headers: request.headers,
          body: body === "" ? undefined : (JSON.parse(body) as unknown),
        };
        this.requests.push(received);
        this.active++;
        response.on("close", () => this.active--);
        answers[Math.min(this.requests.length, answers.length) - 1]?.(response, received);
      });
      request.on("error", () => undefined);
    });
    this.#server.on("connection", (socket) => {
      this.sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => this.sockets.delete(socket));
    });
  }

  static async start(...answers: Answer[]): Promise<WireServer> {
    const server = new WireServer(answers);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}

export function sse(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { "content-type": "text/event-stream" });
}

/** A stream of these frames, ended in the ordinary way. */
export const stream =
  (...frames: string[]): Answer =>
  (response) =>
    sse(response).end(frames.join(""));

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

export const body =
  (text: string | Uint8Array, contentType: string, status = 200): Answer =>
  (response) =>
    response.writeHead(status, { "content-type": contentType }).end(text);

/** These frames, and then whatever is done to the connection. */
export const breakAfter =
  (frames: readonly string[], act: (response: ServerResponse) => void): Answer =>
  (response) => {
    sse(response).write(frames.join(""), () => setTimeout(act, 5, response));
  };

export const reset = (response: ServerResponse): void => void response.socket?.resetAndDestroy();
export const hangUp = (response: ServerResponse): void => void response.socket?.destroy();
export const stall = (): void => undefined;
