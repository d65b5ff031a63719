import { clientModel } from "../adapter/client-model.ts";
import type { Model } from "../types.ts";
import { openaiClient, type OpenAIOptions } from "./client.ts";
import { ResponsesEvents } from "./responses-events.ts";
import { LONGEST_TOOL_NAME, responsesRequest } from "./responses-request.ts";

/**
 * A model behind OpenAI's Responses API, over the official client with its own retries off. Nothing is stored there: reasoning
 * comes encrypted and is sent back.
 *
 * @throws MissingApiKeyError when there is no key and `baseURL` is not local.
 */
export function openaiResponses(options: OpenAIOptions): Model {
  const { client, ...server } = openaiClient(options);
  return clientModel(options, {
    ...server,
    api: "openai-responses",
    terminalEvent: "response.completed",
    longestToolName: LONGEST_TOOL_NAME,
    build: responsesRequest,
    send: (body, how) => client.responses.create(body, how).asResponse(),
    reader: (names, headers) => new ResponsesEvents(names, headers),
  });
}
