import Anthropic from "@anthropic-ai/sdk";
import { apiKeyFor } from "../adapter/api-key.ts";
import { clientModel } from "../adapter/client-model.ts";
import { clientOptions, type ModelOptions } from "../model-options.ts";
import type { Model } from "../types.ts";
import { AnthropicEvents } from "./events.ts";
import { anthropicRequest, LONGEST_TOOL_NAME } from "./request.ts";

export { MissingApiKeyError } from "../adapter/api-key.ts";
export type { ModelOptions } from "../model-options.ts";

const KEY_VARIABLE = "ANTHROPIC_API_KEY";
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
  const baseURL = options.baseURL ?? process.env["ANTHROPIC_BASE_URL"];
  const { provider = "anthropic", cache = "5m", thinking = "budget" } = options;
  const client = new Anthropic({
    ...clientOptions(options, baseURL),
    apiKey: apiKeyFor(provider, KEY_VARIABLE, options.apiKey, baseURL),
    // Null keeps the client from looking for a second credential in the environment.
    authToken: null,
  });
  return clientModel(options, {
    api: "anthropic-messages",
    provider,
    baseUrl: client.baseURL,
    keyVariable: KEY_VARIABLE,
    terminalEvent: "message_stop",
    longestToolName: LONGEST_TOOL_NAME,
    build: (request, model, names) =>
      anthropicRequest(request, model, names, { cache, thinking, defaultMaxTokens: DEFAULT_MAX_TOKENS }),
    send: (body, how) => client.messages.create(body, how).asResponse(),
    reader: (names, headers) => new AnthropicEvents(names, headers),
  });
}
