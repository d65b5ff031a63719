import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import { outgoingMessages, type OutgoingMessage } from "../adapter/outgoing.ts";
import type { ToolNames } from "../adapter/shapes.ts";
import type { Model, ModelRequest, UserContent } from "../types.ts";
import type { ChatDialect } from "./dialects.ts";

/** Longest tool name the API takes. */
export const LONGEST_TOOL_NAME = 64;

/** Builds the body of a Chat Completions request. */
export function chatRequest(
  request: ModelRequest,
  model: Model,
  names: ToolNames,
  dialect: ChatDialect,
): ChatCompletionCreateParamsStreaming {
  const messages: ChatCompletionMessageParam[] = [];
  const system = request.systemPrompt?.toWellFormed() ?? "";
  if (system.trim() !== "") messages.push({ role: "system", content: system });
  addMessages(messages, outgoingMessages(request.messages, model, { callId: dialect.callId }), names, dialect);
  const body: ChatCompletionCreateParamsStreaming = { model: model.id, messages, stream: true };
  if (dialect.streamUsage) body.stream_options = { include_usage: true };
  const maxTokens = request.maxOutputTokens ?? model.maxOutputTokens;
  if (maxTokens !== undefined) body[dialect.maxTokensField] = maxTokens;
  if (request.tools !== undefined && request.tools.length > 0) {
    body.tools = request.tools.map((tool) => ({
      type: "function",
      function: { name: names.sent(tool.name), description: tool.description.toWellFormed(), parameters: tool.parameters },
    }));
  }
  if (dialect.reasoningEffort && request.thinkingLevel !== undefined && request.thinkingLevel !== "off") {
    body.reasoning_effort = request.thinkingLevel;
  }
  return body;
}

function addMessages(
  messages: ChatCompletionMessageParam[],
  outgoing: readonly OutgoingMessage[],
  names: ToolNames,
  dialect: ChatDialect,
): void {
  /** Images of tool results, which only a user may show; the results of one turn must stay together. */
  let images: ChatCompletionContentPart[] = [];
  const showImages = (): void => {
    if (images.length > 0) messages.push({ role: "user", content: images });
    images = [];
  };
  for (const message of outgoing) {
    if (message.role !== "toolResult") showImages();
    switch (message.role) {
      case "user":
        messages.push({ role: "user", content: userContent(message.content) });
        break;
      case "assistant":
        messages.push(assistantMessage(message, names, dialect));
        break;
      case "toolResult": {
        const shown = message.content.filter((block) => block.type === "image");
        const text = message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
        const instead = shown.length > 0 ? "(see the image below)" : "(no output)";
        messages.push({ role: "tool", tool_call_id: message.toolCallId, content: text === "" ? instead : text });
        if (shown.length > 0)
          images.push({ type: "text", text: `Image from the result of tool ${message.toolName}:` }, ...shown.map(part));
        break;
      }
    }
  }
  showImages();
}

/** Plain text as a string, which every server takes. */
function userContent(content: readonly UserContent[]): string | ChatCompletionContentPart[] {
  const [only, ...others] = content;
  return only?.type === "text" && others.length === 0 ? only.text : content.map(part);
}

function part(block: UserContent): ChatCompletionContentPart {
  if (block.type === "text") return { type: "text", text: block.text };
  return { type: "image_url", image_url: { url: `data:${block.mimeType};base64,${block.data}` } };
}

/** With the one field in which some servers want the model's reasoning back. */
type AssistantParam = ChatCompletionAssistantMessageParam & { reasoning_content?: string; reasoning?: string };

function assistantMessage(
  message: Extract<OutgoingMessage, { role: "assistant" }>,
  names: ToolNames,
  dialect: ChatDialect,
): AssistantParam {
  const text: string[] = [];
  const thinking: string[] = [];
  const calls: NonNullable<ChatCompletionAssistantMessageParam["tool_calls"]> = [];
  for (const block of message.content) {
    if (block.type === "text") text.push(block.text);
    else if (block.type === "thinking") thinking.push(block.thinking);
    else
      calls.push({
        type: "function",
        id: block.id,
        function: { name: names.sent(block.name), arguments: JSON.stringify(block.arguments) },
      });
  }
  const param: AssistantParam = { role: "assistant", content: text.length > 0 ? text.join("\n") : null };
  if (calls.length > 0) param.tool_calls = calls;
  if (dialect.reasoningField !== undefined && thinking.length > 0) param[dialect.reasoningField] = thinking.join("\n");
  return param;
}
