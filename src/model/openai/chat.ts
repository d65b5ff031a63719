import { readEvent } from "../adapter/json-event.ts";
import { replyStream } from "../adapter/reply-stream.ts";
import { ResponseEvents } from "../adapter/response-events.ts";
import { ToolNames } from "../adapter/shapes.ts";
import { modelFacts, NO_CLIENT_TIMEOUT_MS } from "../model-options.ts";
import type { Model } from "../types.ts";
import { ChatEvents } from "./chat-events.ts";
import { chatRequest, LONGEST_TOOL_NAME } from "./chat-request.ts";
import { KEY_VARIABLE, openaiClient, type OpenAIOptions } from "./client.ts";
import { CHAT_DIALECTS, dialectOf, type ChatDialect, type ChatDialectName } from "./dialects.ts";

export interface OpenAIChatOptions extends OpenAIOptions {
  /** How the server differs from OpenAI's own: a name, or single differences; default by the host of `baseURL`. */
  dialect?: ChatDialectName | Partial<ChatDialect>;
}

/**
 * A model behind OpenAI's Chat Completions API or a server that speaks it, over the official client with its own retries off.
 *
 * @throws MissingApiKeyError when there is no key and `baseURL` is not local.
 */
export function openaiChat(options: OpenAIChatOptions): Model {
  const { client, provider } = openaiClient(options);
  const named = typeof options.dialect === "string" ? options.dialect : dialectOf(client.baseURL);
  const dialect: ChatDialect = { ...CHAT_DIALECTS[named], ...(typeof options.dialect === "object" ? options.dialect : {}) };
  const model: Model = {
    ...modelFacts(options),
    api: "openai-completions",
    provider,
    stream: (request, call) =>
      replyStream(model, call, () => {
        const names = new ToolNames((request.tools ?? []).map((tool) => tool.name), LONGEST_TOOL_NAME);
        const body = chatRequest(request, model, names, dialect);
        let events: ChatEvents;
        return {
          terminalEvent: "[DONE]",
          keyVariable: KEY_VARIABLE,
          baseUrl: client.baseURL,
          async open(signal) {
            const response = await client.chat.completions.create(body, { signal, timeout: NO_CLIENT_TIMEOUT_MS, maxRetries: 0 }).asResponse();
            events = new ChatEvents(names, dialect, response.headers);
            return new ResponseEvents(response);
          },
          accept: (event, reply) => readEvent(event, () => events.accept(event, reply)),
          end: (reply) => events.end(reply),
        };
      }),
  };
  return model;
}
