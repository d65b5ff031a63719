import type {
  ContentBlockParam,
  ImageBlockParam,
  MessageCreateParamsStreaming,
  RawMessageStreamEvent,
  TextBlockParam,
  Tool,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages/messages";
import { outgoingMessages, type OutgoingMessage, type WireLimits } from "../adapter/outgoing.ts";
import type { ToolNames } from "../adapter/shapes.ts";
import type { AssistantMessage, Model, ModelRequest, ThinkingLevel, UserContent } from "../types.ts";

export interface AnthropicRequestOptions {
  cache: false | "5m" | "1h";
  thinking: "budget" | "adaptive";
  /** Output tokens when neither the request nor the model says. */
  defaultMaxTokens: number;
}

export type StreamEvent = RawMessageStreamEvent;

const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;
type ImageType = (typeof IMAGE_TYPES)[number];

const LIMITS: WireLimits = { imageTypes: new Set(IMAGE_TYPES), callId: { foreign: /[^A-Za-z0-9_-]/g, maxLength: 64 } };

/** Longest tool name the API takes. */
export const LONGEST_TOOL_NAME = 128;

/** Tokens for thinking, by level; the API takes 1024 at least. */
const BUDGETS: Record<Exclude<ThinkingLevel, "off">, number> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
};
const LEAST_BUDGET = 1024;
const EFFORTS: Record<Exclude<ThinkingLevel, "off">, "low" | "medium" | "high" | "xhigh"> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
};

/** Builds the body of a Messages request. */
export function anthropicRequest(
  request: ModelRequest,
  model: Model,
  names: ToolNames,
  options: AnthropicRequestOptions,
): MessageCreateParamsStreaming {
  const outgoing = outgoingMessages(request.messages, model, LIMITS);
  const messages = toMessages(outgoing, names);
  const mark = options.cache === false ? undefined : { type: "ephemeral" as const, ttl: options.cache };
  if (mark !== undefined) markLast(messages, mark);
  const maxTokens = request.maxOutputTokens ?? model.maxOutputTokens ?? options.defaultMaxTokens;
  const body: MessageCreateParamsStreaming = { model: model.id, max_tokens: maxTokens, messages, stream: true };
  const system = request.systemPrompt?.toWellFormed() ?? "";
  if (system.trim() !== "") {
    body.system = mark === undefined ? system : [{ type: "text", text: system, cache_control: mark }];
  }
  if (request.tools !== undefined && request.tools.length > 0) {
    body.tools = request.tools.map((tool, index, all): Tool => ({
      name: names.sent(tool.name),
      description: tool.description.toWellFormed(),
      input_schema: { ...tool.parameters, type: "object" },
      ...(mark !== undefined && index === all.length - 1 ? { cache_control: mark } : {}),
    }));
  }
  const level = request.thinkingLevel ?? "off";
  if (level !== "off" && thinkingAllowed(outgoing)) addThinking(body, level, options.thinking);
  return body;
}

function addThinking(
  body: MessageCreateParamsStreaming,
  level: Exclude<ThinkingLevel, "off">,
  mode: AnthropicRequestOptions["thinking"],
): void {
  if (mode === "adaptive") {
    body.thinking = { type: "adaptive", display: "summarized" };
    body.output_config = { effort: EFFORTS[level] };
    return;
  }
  // The budget is part of max_tokens; half of it at least is left for the answer.
  const budget = Math.min(BUDGETS[level], Math.floor(body.max_tokens / 2));
  if (budget >= LEAST_BUDGET) body.thinking = { type: "enabled", budget_tokens: budget };
}

/** In the middle of a tool loop the API wants the thinking that led to the calls; another model's calls have none of ours. */
function thinkingAllowed(outgoing: readonly OutgoingMessage[]): boolean {
  if (outgoing.at(-1)?.role !== "toolResult") return true;
  return outgoing.findLast((message) => message.role === "assistant")?.content[0]?.type === "thinking";
}

/** A message as we build it: its content is always a list. */
interface BuiltMessage {
  role: "user" | "assistant";
  content: ContentBlockParam[];
}

function toMessages(outgoing: readonly OutgoingMessage[], names: ToolNames): BuiltMessage[] {
  const messages: BuiltMessage[] = [];
  const add = (role: BuiltMessage["role"], blocks: ContentBlockParam[]): void => {
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else messages.push({ role, content: blocks });
  };
  if (outgoing[0]?.role === "assistant") add("user", [{ type: "text", text: "[What was said before is not shown.]" }]);
  for (const message of outgoing) {
    switch (message.role) {
      case "user":
        add("user", message.content.map(userBlock));
        break;
      case "assistant":
        add("assistant", assistantBlocks(message.content, names));
        break;
      case "toolResult":
        add("user", [toolResult(message)]);
        break;
    }
  }
  return messages;
}

function userBlock(block: UserContent): TextBlockParam | ImageBlockParam {
  if (block.type === "text") return { type: "text", text: block.text };
  return { type: "image", source: { type: "base64", data: block.data, media_type: imageType(block.mimeType) } };
}

function imageType(mimeType: string): ImageType {
  return IMAGE_TYPES.find((type) => type === mimeType) ?? "image/png";
}

function toolResult(message: Extract<OutgoingMessage, { role: "toolResult" }>): ToolResultBlockParam {
  const content = message.content.map(userBlock);
  return {
    type: "tool_result",
    tool_use_id: message.toolCallId,
    content: content.length > 0 ? content : [{ type: "text", text: "(no output)" }],
    ...(message.isError ? { is_error: true } : {}),
  };
}

function assistantBlocks(content: AssistantMessage["content"], names: ToolNames): ContentBlockParam[] {
  const blocks: ContentBlockParam[] = [];
  for (const block of content) {
    switch (block.type) {
      case "text":
        blocks.push({ type: "text", text: block.text });
        break;
      case "thinking":
        if (block.redacted === true) blocks.push({ type: "redacted_thinking", data: block.signature ?? "" });
        else if (block.signature) blocks.push({ type: "thinking", thinking: block.thinking, signature: block.signature });
        break;
      case "toolCall":
        blocks.push({ type: "tool_use", id: block.id, name: names.sent(block.name), input: block.arguments });
        break;
    }
  }
  return blocks;
}

/** Marks the end of the last two user turns, so that the next request finds the one before it in the cache. */
function markLast(messages: readonly BuiltMessage[], mark: { type: "ephemeral"; ttl: "5m" | "1h" }): void {
  for (const message of messages.filter(({ role }) => role === "user").slice(-2)) {
    const last = message.content.at(-1);
    if (last?.type === "text" || last?.type === "image" || last?.type === "tool_result") last.cache_control = mark;
  }
}
