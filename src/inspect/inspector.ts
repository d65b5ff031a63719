import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { runAfterRules } from "../../machines/run-after.ts";
import type { Session } from "../session/session.ts";
import { carryOut, parseControl } from "./control.ts";
import { EventChannel, type ChannelMessage } from "./event-channel.ts";
import { liveFeed, recordedFeed, type Feed } from "./feed.ts";
import { admit, SECURITY_HEADERS } from "./guard.ts";
import { pageFiles, type PageFile } from "./page-files.ts";
import type { RecorderOptions } from "./recorder.ts";
import type { Trace } from "./trace.ts";
import type { Hello } from "./view/records.ts";

export interface InspectorOptions extends RecorderOptions {
  /** Whether the page may abort, compact and steer; default false: it only shows. */
  control?: boolean;
  /** Default any free one. */
  port?: number;
}

/** A page that shows sessions as they run. It is reachable from this machine only, under an address nobody can guess. */
export interface Inspector extends AsyncDisposable {
  /** The page's address, its token included: who has it can read along. */
  readonly url: string;
  /**
   * Shows a session from now on. What was seen of one that has ended stays on the page, for the last 20 of them.
   *
   * @returns Ends the showing of this one.
   */
  attach(session: Session): () => void;
  /** Shows a recorded session, to go back and forth in. */
  show(title: string, trace: Trace): void;
  /** Ends the page. Sessions go on. */
  close(): Promise<void>;
}

const BODY_LIMIT = 1024 * 1024;

/** Sessions that have ended and are still shown; with one more the one that was attached first is forgotten. */
const ENDED_LIMIT = 20;

/** Starts an inspector on 127.0.0.1. @throws the error of the network when the port is taken. */
export async function createInspector(options: InspectorOptions = {}): Promise<Inspector> {
  const server = new InspectorServer(options, await pageFiles());
  await server.listen(options.port ?? 0);
  return server;
}

class InspectorServer implements Inspector {
  readonly #options: InspectorOptions;
  readonly #files: Map<string, PageFile>;
  readonly #token = randomBytes(24).toString("base64url");
  readonly #channel = new EventChannel();
  readonly #feeds = new Map<string, Feed>();
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #port = 0;
  #count = 0;

  constructor(options: InspectorOptions, files: Map<string, PageFile>) {
    this.#options = options;
    this.#files = files;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/${this.#token}/`;
  }

  async listen(port: number): Promise<void> {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
    // An inspector keeps no process alive.
    this.#server.unref();
  }

  attach(session: Session): () => void {
    const key = this.#newKey();
    const feed = liveFeed(key, session, (record) => this.#channel.send(key, record), this.#options);
    this.#add(feed);
    return () => feed.stop();
  }

  show(title: string, { records }: Trace): void {
    this.#add(recordedFeed(this.#newKey(), title, records));
  }

  async close(): Promise<void> {
    for (const feed of this.#feeds.values()) feed.stop();
    this.#channel.close();
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #newKey(): string {
    this.#count += 1;
    return String(this.#count);
  }

  #add(feed: Feed): void {
    this.#feeds.set(feed.key, feed);
    this.#forgetEnded();
    this.#channel.announce(this.#hello());
    this.#channel.announce(known(feed));
  }

  /** So that a server that attaches each of its sessions does not grow. */
  #forgetEnded(): void {
    const ended = [...this.#feeds.values()].filter((feed) => feed.ended);
    for (const { key } of ended.slice(0, -ENDED_LIMIT)) this.#feeds.delete(key);
  }

  #hello(): ChannelMessage {
    const data: Hello = {
      control: this.#options.control ?? false,
      rules: runAfterRules.map(({ name, when, then }) => ({ name, when, then })),
      sessions: [...this.#feeds.values()].map(({ key, title, session }) => ({ key, title, live: session !== undefined })),
    };
    return { event: "hello", data };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    const verdict = admit({ method, url, headers }, { port: this.#port, token: this.#token });
    if ("refused" in verdict) return refuse(response, verdict.refused);
    if (method === "POST") return this.#control(verdict.path, request, response);
    if (verdict.path === "events") return this.#channel.add(response, [this.#hello(), ...[...this.#feeds.values()].map(known)]);
    const file = this.#files.get(verdict.path);
    if (!file) return refuse(response, 404);
    response.writeHead(200, { "content-type": file.type });
    response.end(method === "HEAD" ? undefined : file.body);
  }

  async #control(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (path !== "control") return refuse(response, 404);
    if (!this.#options.control) return refuse(response, 403);
    const body = await readBody(request);
    if (body === undefined) return refuse(response, 413);
    const asked = parseControl(body);
    if (!asked) return refuse(response, 400);
    const session = this.#feeds.get(asked.session)?.session;
    if (!session) return refuse(response, 404);
    const error = await carryOut(session, asked);
    response.writeHead(error === undefined ? 200 : 409, { "content-type": "application/json" });
    response.end(JSON.stringify(error === undefined ? {} : { error }));
  }
}

/** All that is known of a session, for a page that comes anew. */
function known({ key, records }: Feed): ChannelMessage {
  return { event: "records", data: { session: key, records } };
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status);
  response.end();
}

/** Undefined when it is too long, or breaks off. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > BODY_LIMIT) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString("utf8");
}
