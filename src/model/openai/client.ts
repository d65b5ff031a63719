import OpenAI from "openai";
import { apiKeyFor } from "../adapter/api-key.ts";
import type { ModelOptions } from "../model-options.ts";

export const KEY_VARIABLE = "OPENAI_API_KEY";

export interface OpenAIOptions extends ModelOptions {
  /** Any server that speaks the format, such as `http://localhost:11434/v1`; default OpenAI's own, or `OPENAI_BASE_URL`. */
  baseURL?: string;
  /** Default `OPENAI_API_KEY`. */
  apiKey?: string;
}

/** The official client, with its own retries off. @throws MissingApiKeyError */
export function openaiClient(options: OpenAIOptions): { client: OpenAI; provider: string } {
  const baseUrl = options.baseURL ?? process.env["OPENAI_BASE_URL"];
  const provider = options.provider ?? "openai";
  const client = new OpenAI({
    apiKey: apiKeyFor(provider, KEY_VARIABLE, options.apiKey, baseUrl),
    maxRetries: 0,
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    ...(options.headers === undefined ? {} : { defaultHeaders: options.headers }),
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  });
  return { client, provider };
}
