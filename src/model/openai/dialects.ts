import type { IdShape } from "../adapter/shapes.ts";

/** Where servers that speak Chat Completions differ from each other. */
export interface ChatDialect {
  /** What completes a stream: the closing `[DONE]`, or a finish reason alone, for servers that send no `[DONE]`. */
  ends: "done" | "finish-reason";
  /** `optional` for servers that leave the finish reason out: `[DONE]` alone completes an answer then. */
  finishReason: "required" | "optional";
  /** Whether to ask for usage at the end of the stream; some servers refuse the question. */
  streamUsage: boolean;
  /** Name of the field that bounds the output. */
  maxTokensField: "max_completion_tokens" | "max_tokens";
  /** Whether a thinking level is sent, as `reasoning_effort`. */
  reasoningEffort: boolean;
  /** The field in which the model's own reasoning is sent back to it; absent: it is not. */
  reasoningField?: "reasoning_content" | "reasoning";
  callId: IdShape;
}

export type ChatDialectName =
  | "openai"
  | "compatible"
  | "deepseek"
  | "groq"
  | "llama.cpp"
  | "mistral"
  | "ollama"
  | "openrouter"
  | "vllm";

const COMPATIBLE: ChatDialect = {
  ends: "done",
  finishReason: "required",
  streamUsage: true,
  maxTokensField: "max_tokens",
  reasoningEffort: false,
  callId: { foreign: /[^A-Za-z0-9_-]/g, maxLength: 40 },
};

export const CHAT_DIALECTS: Readonly<Record<ChatDialectName, ChatDialect>> = {
  openai: { ...COMPATIBLE, maxTokensField: "max_completion_tokens", reasoningEffort: true },
  compatible: COMPATIBLE,
  // Asks for the reasoning of turns with tool calls, and passes over any other.
  deepseek: { ...COMPATIBLE, reasoningField: "reasoning_content" },
  groq: { ...COMPATIBLE, maxTokensField: "max_completion_tokens", reasoningEffort: true },
  "llama.cpp": COMPATIBLE,
  // Refuses ids that are not nine letters and digits.
  mistral: { ...COMPATIBLE, streamUsage: false, callId: { foreign: /[^A-Za-z0-9]/g, maxLength: 9, minLength: 9 } },
  ollama: { ...COMPATIBLE, reasoningEffort: true },
  openrouter: { ...COMPATIBLE, reasoningEffort: true },
  vllm: COMPATIBLE,
};

const HOSTS: readonly [RegExp, ChatDialectName][] = [
  [/(?:^|\.)openai\.(?:com|azure\.com)$/, "openai"],
  [/(?:^|\.)deepseek\.com$/, "deepseek"],
  [/(?:^|\.)groq\.com$/, "groq"],
  [/(?:^|\.)mistral\.ai$/, "mistral"],
  [/(?:^|\.)openrouter\.ai$/, "openrouter"],
];

/** The dialect of a server, by its host; Ollama by its port. What is not known is `compatible`. */
export function dialectOf(baseUrl: string): ChatDialectName {
  try {
    const { hostname, port } = new URL(baseUrl);
    return HOSTS.find(([host]) => host.test(hostname))?.[1] ?? (port === "11434" ? "ollama" : "compatible");
  } catch {
    return "compatible";
  }
}
