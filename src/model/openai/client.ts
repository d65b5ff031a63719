import OpenAI from "openai";
import { apiKeyFor } from "../adapter/api-key.ts";
import { clientOptions, type ModelOptions } from "../model-options.ts";

const KEY_VARIABLE = "OPENAI_API_KEY";

export interface OpenAIOptions extends ModelOptions {
  /** Any server that speaks the format, such as `http://localhost:11434/v1`; default OpenAI's own, or `OPENAI_BASE_URL`. */
  baseURL?: string;
  /** Default `OPENAI_API_KEY`. */
  apiKey?: string;
}

/** The official client with its own retries off, and what is said of the server. @throws MissingApiKeyError */
export function openaiClient(options: OpenAIOptions): { client: OpenAI; provider: string; baseUrl: string; keyVariable: string } {
  const baseURL = options.baseURL ?? process.env["OPENAI_BASE_URL"];
  const provider = options.provider ?? "openai";
  const client = new OpenAI({
    ...clientOptions(options, baseURL),
    apiKey: apiKeyFor(provider, KEY_VARIABLE, options.apiKey, baseURL),
  });
  return { client, provider, baseUrl: client.baseURL, keyVariable: KEY_VARIABLE };
}
