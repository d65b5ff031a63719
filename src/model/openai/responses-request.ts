import type {
  EasyInputMessage,
  ResponseCreateParamsStreaming,
  ResponseFunctionToolCall,
  ResponseInputContent,
  ResponseInputItem,
  ResponseReasoningItem,
} from "openai/resources/responses/responses";
import { outgoingMessages, type OutgoingMessage, type WireLimits } from "../adapter/outgoing.ts";
import type { ToolNames } from "../adapter/shapes.ts";
import type { Model, ModelRequest, ThinkingBlock, ToolCallBlock, UserContent } from "../types.ts";
import { LONGEST_TOOL_NAME } from "./chat-request.ts";

export { LONGEST_TOOL_NAME };

const LIMITS: WireLimits = {
  imageTypes: new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]),
  callId: { foreign: /[^A-Za-z0-9_-]/g, maxLength: 64 },
};

/** Builds the body of a Responses request. Nothing is stored at the provider: the log is the memory. */
export function responsesRequest(request: ModelRequest, model: Model, names: ToolNames): ResponseCreateParamsStreaming {
  const input = outgoingMessages(request.messages, model, LIMITS).flatMap((message) => inputItems(message, names));
  const body: ResponseCreateParamsStreaming = { model: model.id, input, stream: true, store: false };
  const system = request.systemPrompt?.toWellFormed() ?? "";
  if (system.trim() !== "") body.instructions = system;
  const maxTokens = request.maxOutputTokens ?? model.maxOutputTokens;
  if (maxTokens !== undefined) body.max_output_tokens = maxTokens;
  if (request.tools !== undefined && request.tools.length > 0) {
    body.tools = request.tools.map((tool) => ({
      type: "function",
      name: names.sent(tool.name),
      description: tool.description.toWellFormed(),
      parameters: tool.parameters,
      strict: false,
    }));
  }
  if (request.thinkingLevel !== undefined && request.thinkingLevel !== "off") {
    body.reasoning = { effort: request.thinkingLevel, summary: "auto" };
    body.include = ["reasoning.encrypted_content"];
  }
  return body;
}

function inputItems(message: OutgoingMessage, names: ToolNames): ResponseInputItem[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: message.content.map(inputContent) }];
    case "toolResult": {
      const hasImage = message.content.some((block) => block.type === "image");
      const text = message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
      const output = hasImage ? message.content.map(inputContent) : text === "" ? "(no output)" : text;
      return [{ type: "function_call_output", call_id: message.toolCallId, output }];
    }
    case "assistant":
      return message.content.flatMap((block): ResponseInputItem[] => {
        switch (block.type) {
          case "text":
            return [{ role: "assistant", content: block.text } satisfies EasyInputMessage];
          case "thinking":
            return reasoningItem(block);
          case "toolCall":
            return [functionCall(block, names)];
        }
      });
  }
}

function inputContent(block: UserContent): ResponseInputContent {
  if (block.type === "text") return { type: "input_text", text: block.text };
  return { type: "input_image", detail: "auto", image_url: `data:${block.mimeType};base64,${block.data}` };
}

function functionCall(block: ToolCallBlock, names: ToolNames): ResponseFunctionToolCall {
  return {
    type: "function_call",
    call_id: block.id,
    name: names.sent(block.name),
    arguments: JSON.stringify(block.arguments),
    // The item's own id ties the call to the reasoning before it.
    ...(block.signature === undefined ? {} : { id: block.signature }),
  };
}

/** What of a reasoning item has to be sent back, as the signature of a thinking block. */
export function reasoningSignature(item: ResponseReasoningItem): string | undefined {
  return item.encrypted_content == null ? undefined : JSON.stringify({ id: item.id, encrypted_content: item.encrypted_content });
}

/** Reasoning without its encrypted content cannot be looked up, for nothing is stored, and is left out. */
function reasoningItem(block: ThinkingBlock): ResponseReasoningItem[] {
  if (block.signature === undefined) return [];
  let kept: unknown;
  try {
    kept = JSON.parse(block.signature);
  } catch {
    return [];
  }
  if (typeof kept !== "object" || kept === null || !("id" in kept) || !("encrypted_content" in kept)) return [];
  if (typeof kept.id !== "string" || typeof kept.encrypted_content !== "string") return [];
  const summary = block.thinking === "" ? [] : [{ type: "summary_text" as const, text: block.thinking }];
  return [{ type: "reasoning", id: kept.id, encrypted_content: kept.encrypted_content, summary }];
}
