import { modelFacts, type ModelOptions } from "../model-options.ts";
import type { Model, ModelRequest } from "../types.ts";
import { readEvent } from "./json-event.ts";
import { replyStream } from "./reply-stream.ts";
import type { ReplyWriter } from "./reply-writer.ts";
import { ResponseEvents } from "./response-events.ts";
import { ToolNames } from "./shapes.ts";
import type { SseEvent } from "./sse.ts";

/** Reads the events of one stream into a reply. */
export interface EventReader {
  accept(event: SseEvent, reply: ReplyWriter): void;
  /** The connection has ended, or broken, without the terminal event. */
  end?(reply: ReplyWriter): void;
}

/** How a request is to be sent: by us alone, and without a time limit of the client's own. */
export interface SendOptions {
  signal: AbortSignal;
  timeout: number;
  maxRetries: 0;
}

/** What one wire format over an official client knows. */
export interface ClientFormat<Body> {
  api: string;
  provider: string;
  baseUrl: string;
  keyVariable: string;
  terminalEvent: string;
  longestToolName: number;
  /** Builds the body of a request, on a copy of what it is given. */
  build(request: ModelRequest, model: Model, names: ToolNames): Body;
  /** Sends it. Rejects with what the client throws. */
  send(body: Body, options: SendOptions): Promise<Response>;
  reader(names: ToolNames, headers: Headers): EventReader;
}

/** The clients insist on a time limit up to the headers; ours are `stream.firstEventMs` and `retry.provider.timeoutMs`. */
const NO_CLIENT_TIMEOUT_MS = 2_147_483_647;

/** A model of a wire format, over an official client. */
export function clientModel<Body>(options: ModelOptions, format: ClientFormat<Body>): Model {
  const { api, provider, baseUrl, keyVariable, terminalEvent } = format;
  const model: Model = {
    ...modelFacts(options),
    api,
    provider,
    stream: (request, call) =>
      replyStream(model, call, () => {
        const names = new ToolNames(
          (request.tools ?? []).map((tool) => tool.name),
          format.longestToolName,
        );
        const body = format.build(request, model, names);
        let reader: EventReader;
        return {
          terminalEvent,
          baseUrl,
          keyVariable,
          async open(signal) {
            const response = await format.send(body, { signal, timeout: NO_CLIENT_TIMEOUT_MS, maxRetries: 0 });
            reader = format.reader(names, response.headers);
            return new ResponseEvents(response);
          },
          accept: (event, reply) => readEvent(event, () => reader.accept(event, reply)),
          end: (reply) => reader.end?.(reply),
        };
      }),
  };
  return model;
}
