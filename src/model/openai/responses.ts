import { readEvent } from "../adapter/json-event.ts";
import { replyStream } from "../adapter/reply-stream.ts";
import { ResponseEvents } from "../adapter/response-events.ts";
import { ToolNames } from "../adapter/shapes.ts";
import { modelFacts, NO_CLIENT_TIMEOUT_MS } from "../model-options.ts";
import type { Model } from "../types.ts";
import { KEY_VARIABLE, openaiClient, type OpenAIOptions } from "./client.ts";
import { ResponsesEvents } from "./responses-events.ts";
import { LONGEST_TOOL_NAME, responsesRequest } from "./responses-request.ts";

/**
 * A model behind OpenAI's Responses API, over the official client with its own retries off. Nothing is stored there: reasoning
 * comes encrypted and is sent back.
 *
 * @throws MissingApiKeyError when there is no key and `baseURL` is not local.
 */
export function openaiResponses(options: OpenAIOptions): Model {
  const { client, provider } = openaiClient(options);
  const model: Model = {
    ...modelFacts(options),
    api: "openai-responses",
    provider,
    stream: (request, call) =>
      replyStream(model, call, () => {
        const names = new ToolNames((request.tools ?? []).map((tool) => tool.name), LONGEST_TOOL_NAME);
        const body = responsesRequest(request, model, names);
        let events: ResponsesEvents;
        return {
          terminalEvent: "response.completed",
          keyVariable: KEY_VARIABLE,
          baseUrl: client.baseURL,
          async open(signal) {
            const response = await client.responses.create(body, { signal, timeout: NO_CLIENT_TIMEOUT_MS, maxRetries: 0 }).asResponse();
            events = new ResponsesEvents(names, response.headers);
            return new ResponseEvents(response);
          },
          accept: (event, reply) => readEvent(event, () => events.accept(event, reply)),
        };
      }),
  };
  return model;
}
