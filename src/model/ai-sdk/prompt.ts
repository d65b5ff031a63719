import type {
  LanguageModelV2,
  LanguageModelV3,
  LanguageModelV4,
  SharedV2ProviderOptions,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { outgoingMessages, type OutgoingMessage, type WireLimits } from "../adapter/outgoing.ts";
import type { ToolNames } from "../adapter/shapes.ts";
import type { ImageBlock, Model, ModelRequest, ThinkingBlock, ToolCallBlock, UserContent } from "../types.ts";

export type LanguageModel = LanguageModelV2 | LanguageModelV3 | LanguageModelV4;

/** Providers' names may be shorter still, but none takes more. */
export const LONGEST_TOOL_NAME = 64;

const LIMITS: WireLimits = { callId: { foreign: /[^A-Za-z0-9_-]/g, maxLength: 64 } };

/** Data of one provider, by its name, as a JSON object. */
export type Metadata = SharedV2ProviderOptions;

interface Text {
  type: "text";
  text: string;
}

type ResultOutput<ResultFile> =
  | { type: "text" | "error-text"; value: string }
  | { type: "content"; value: (Text | ResultFile)[] };

type AssistantPart =
  | Text
  | { type: "reasoning"; text: string; providerOptions?: Metadata }
  | { type: "tool-call"; toolCallId: string; toolName: string; input: unknown; providerOptions?: Metadata };

/** A prompt, whose versions differ in nothing we use but in how a file is written. */
export type Prompt<File, ResultFile> = (
  | { role: "system"; content: string }
  | { role: "user"; content: (Text | File)[] }
  | { role: "assistant"; content: AssistantPart[] }
  | { role: "tool"; content: { type: "tool-result"; toolCallId: string; toolName: string; output: ResultOutput<ResultFile> }[] }
)[];

/** How one version of the interface writes an image, in a user's message and in a tool's result. */
export interface FileShape<File, ResultFile> {
  file(block: ImageBlock): File;
  resultFile(block: ImageBlock): ResultFile;
}

export function buildPrompt<File, ResultFile>(
  request: ModelRequest,
  model: Model,
  names: ToolNames,
  shape: FileShape<File, ResultFile>,
): Prompt<File, ResultFile> {
  const prompt: Prompt<File, ResultFile> = [];
  const system = request.systemPrompt?.toWellFormed() ?? "";
  if (system.trim() !== "") prompt.push({ role: "system", content: system });
  for (const message of outgoingMessages(request.messages, model, LIMITS)) {
    switch (message.role) {
      case "user":
        prompt.push({
          role: "user",
          content: message.content.map((block) => (block.type === "text" ? text(block.text) : shape.file(block))),
        });
        break;
      case "assistant":
        prompt.push({ role: "assistant", content: message.content.flatMap((block) => assistantPart(block, names)) });
        break;
      case "toolResult": {
        const { toolCallId, toolName, isError } = message;
        const part = {
          type: "tool-result" as const,
          toolCallId,
          toolName: names.sent(toolName),
          output: output(message.content, isError, shape),
        };
        const last = prompt.at(-1);
        if (last?.role === "tool") last.content.push(part);
        else prompt.push({ role: "tool", content: [part] });
        break;
      }
    }
  }
  return prompt;
}

const text = (value: string): Text => ({ type: "text", text: value });

function output<File, ResultFile>(
  content: readonly UserContent[],
  isError: boolean,
  shape: FileShape<File, ResultFile>,
): ResultOutput<ResultFile> {
  if (content.some((block) => block.type === "image")) {
    return {
      type: "content",
      value: content.map((block) => (block.type === "text" ? text(block.text) : shape.resultFile(block))),
    };
  }
  const value = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  return { type: isError ? "error-text" : "text", value: value === "" ? "(no output)" : value };
}

function assistantPart(
  block: Extract<OutgoingMessage, { role: "assistant" }>["content"][number],
  names: ToolNames,
): AssistantPart[] {
  switch (block.type) {
    case "text":
      return [text(block.text)];
    case "thinking":
      return reasoning(block);
    case "toolCall":
      return [
        { type: "tool-call", toolCallId: block.id, toolName: names.sent(block.name), input: block.arguments, ...sentBack(block) },
      ];
  }
}

/** Reasoning that is only a reference to something stored at the provider is left out: what follows it there is not referred to. */
function reasoning(block: ThinkingBlock): AssistantPart[] {
  const options = sentBack(block);
  const referenced = Object.values(options.providerOptions ?? {}).some(
    (data) => "itemId" in data && typeof data["reasoningEncryptedContent"] !== "string",
  );
  return referenced ? [] : [{ type: "reasoning", text: block.thinking, ...options }];
}

/** What the provider gave with a part, to be sent back with it: it was kept as the block's signature. */
function sentBack(block: ThinkingBlock | ToolCallBlock): { providerOptions?: Metadata } {
  return block.signature === undefined ? {} : { providerOptions: parseMetadata(block.signature) };
}

function parseMetadata(signature: string): Metadata {
  let value: unknown;
  try {
    value = JSON.parse(signature);
  } catch {
    return {};
  }
  return isMetadata(value) ? value : {};
}

function isMetadata(value: unknown): value is Metadata {
  return (
    typeof value === "object" && value !== null && Object.values(value).every((data) => typeof data === "object" && data !== null)
  );
}

/** Keeps what a provider gave with a part; several events of one part may each bring some of it. */
export function metadataSignature(kept: string | undefined, metadata: SharedV4ProviderMetadata | undefined): string | undefined {
  if (metadata === undefined) return kept;
  const merged: SharedV4ProviderMetadata = kept === undefined ? {} : parseMetadata(kept);
  for (const [provider, data] of Object.entries(metadata)) merged[provider] = { ...merged[provider], ...data };
  return JSON.stringify(merged);
}
