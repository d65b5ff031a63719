import type { ProviderError } from "../provider-errors.ts";

/** How both OpenAI formats say an error in a body. */
export function openaiErrorBody({ openai: { message, type, code } }: ProviderError): { error: object } {
  return { error: { message, type, param: null, code } };
}
