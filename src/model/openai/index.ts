export { MissingApiKeyError } from "../adapter/api-key.ts";
export type { ModelOptions } from "../model-options.ts";
export { openaiChat, type OpenAIChatOptions } from "./chat.ts";
export type { OpenAIOptions } from "./client.ts";
export { openaiResponses } from "./responses.ts";
export { CHAT_DIALECTS, type ChatDialect, type ChatDialectName } from "./dialects.ts";
