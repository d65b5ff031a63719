import Anthropic from "@anthropic-ai/sdk";
import { apiKeyFor } from "../adapter/api-key.ts";
import { readEvent } from "../adapter/json-event.ts";
import { replyStream } from "../adapter/reply-stream.ts";
import { ResponseEvents } from "../adapter/response-events.ts";
import { ToolNames } from "../adapter/shapes.ts";
import { modelFacts, NO_CLIENT_TIMEOUT_MS, type ModelOptions } from "../model-options.ts";
import type { Model } from "../types.ts";
import { AnthropicEvents } from "./events.ts";
import { anthropicRequest, LONGEST_TOOL_NAME } from "./request.ts";

export { MissingApiKeyError } from "../adapter/api-key.ts";
export type { ModelOptions } from "../model-options.ts";

const DEFAULT_MAX_TOKENS = 8192;

export interface AnthropicOptions extends ModelOptions {
  /** Default `https://api.anthropic.com`, or `ANTHROPIC_BASE_URL`. */
  baseURL?: string;
  /** Default `ANTHROPIC_API_KEY`. */
  apiKey?: string;
  /** How long the marked part of the prompt stays in the provider's cache; false marks nothing. Default `5m`. */
  cache?: false | "5m" | "1h";
  /** How a thinking level is asked for: as a budget of tokens, or as an effort (`adaptive`, newer models). Default `budget`. */
  thinking?: "budget" | "adaptive";
}

/**
 * A model of Anthropic's Messages API, over the official client with its own retries off.
 *
 * @throws MissingApiKeyError when there is no key and `baseURL` is not local.
 */
export function anthropic(options: AnthropicOptions): Model {
  const baseUrl = options.baseURL ?? process.env["ANTHROPIC_BASE_URL"];
  const keyVariable = "ANTHROPIC_API_KEY";
  const { provider = "anthropic", cache = "5m", thinking = "budget" } = options;
  const client = new Anthropic({
    apiKey: apiKeyFor(provider, keyVariable, options.apiKey, baseUrl),
    // Null keeps the client from looking for a second credential in the environment.
    authToken: null,
    maxRetries: 0,
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    ...(options.headers === undefined ? {} : { defaultHeaders: options.headers }),
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  });
  const model: Model = {
    ...modelFacts(options),
    api: "anthropic-messages",
    provider,
    stream: (request, call) =>
      replyStream(model, call, () => {
        const names = new ToolNames((request.tools ?? []).map((tool) => tool.name), LONGEST_TOOL_NAME);
        const body = anthropicRequest(request, model, names, { cache, thinking, defaultMaxTokens: DEFAULT_MAX_TOKENS });
        let events: AnthropicEvents;
        return {
          terminalEvent: "message_stop",
          keyVariable,
          baseUrl: client.baseURL,
          async open(signal) {
            const response = await client.messages.create(body, { signal, timeout: NO_CLIENT_TIMEOUT_MS, maxRetries: 0 }).asResponse();
            events = new AnthropicEvents(names, response.headers);
            return new ResponseEvents(response);
          },
          accept: (event, reply) => readEvent(event, () => events.accept(event, reply)),
        };
      }),
  };
  return model;
}
