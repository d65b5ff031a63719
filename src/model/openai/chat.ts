import { clientModel } from "../adapter/client-model.ts";
import type { Model } from "../types.ts";
import { ChatEvents } from "./chat-events.ts";
import { chatRequest, LONGEST_TOOL_NAME } from "./chat-request.ts";
import { openaiClient, type OpenAIOptions } from "./client.ts";
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
  const { client, ...server } = openaiClient(options);
  const dialect = chatDialect(options.dialect, server.baseUrl);
  return clientModel(options, {
    ...server,
    api: "openai-completions",
    terminalEvent: dialect.ends === "done" ? "[DONE]" : "a finish reason",
    longestToolName: LONGEST_TOOL_NAME,
    build: (request, model, names) => chatRequest(request, model, names, dialect),
    send: (body, how) => client.chat.completions.create(body, how).asResponse(),
    reader: (names, headers) => new ChatEvents(names, dialect, headers),
  });
}

/** @throws TypeError for a name that is none. */
function chatDialect(asked: ChatDialectName | Partial<ChatDialect> | undefined, baseUrl: string): ChatDialect {
  const name = typeof asked === "string" ? asked : dialectOf(baseUrl);
  if (!Object.hasOwn(CHAT_DIALECTS, name)) {
    throw new TypeError(
      `dialect is "${name}"; it takes ${Object.keys(CHAT_DIALECTS).join(", ")}, or an object of single differences`,
    );
  }
  return { ...CHAT_DIALECTS[name], ...(typeof asked === "object" ? asked : {}) };
}
