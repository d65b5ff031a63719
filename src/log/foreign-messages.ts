import type { AssistantContent, Message, Usage, UserContent, UserMessage } from "../model/types.ts";

const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };

/**
 * The user message that stands for a message of a role that only other programs write: `custom` (an extension's message) and
 * `bashExecution` (a command the user ran). Undefined for roles the model is not shown, such as `system`.
 */
export function foreignMessage(message: object): UserMessage | undefined {
  const fields: Record<string, unknown> = { ...message };
  const timestamp = typeof fields.timestamp === "number" ? fields.timestamp : 0;
  if (fields.role === "custom") return { role: "user", content: userContent(fields.content), timestamp };
  if (fields.role === "bashExecution" && fields.excludeFromContext !== true) {
    return { role: "user", content: [{ type: "text", text: commandText(fields) }], timestamp };
  }
  return undefined;
}

/**
 * The same message where it has the shape that readers rely on, as every message of ours has; else a copy with missing content
 * and counts made empty and signatures under the names used here. The entry itself stays as it was read.
 */
export function wellFormed<M extends Message>(message: M): M {
  const { role } = message;
  if (role === "assistant" && !hasUsage(message)) return wellFormed({ ...message, usage: { ...NO_USAGE } });
  const content: unknown = message.content;
  if (role === "user") return typeof content === "string" || Array.isArray(content) ? message : { ...message, content: [] };
  if (!Array.isArray(content)) return { ...message, content: blocks(content) };
  if (role !== "assistant" || !content.some(hasForeignSignature)) return message;
  return { ...message, content: message.content.map(withOwnSignature) };
}

/** The counts of the providers come first of all where the context is measured. */
function hasUsage({ usage }: { usage: unknown }): boolean {
  return typeof usage === "object" && usage !== null && "totalTokens" in usage && typeof usage.totalTokens === "number";
}

/** Content as blocks: text is one, nothing is none. */
export function blocks(content: unknown): UserContent[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [];
}

function hasForeignSignature(block: object): boolean {
  return "thinkingSignature" in block || "thoughtSignature" in block;
}

function withOwnSignature(block: AssistantContent): AssistantContent {
  if (block.type === "text") return block;
  const fields: Record<string, unknown> = { ...block };
  const signature = fields.thinkingSignature ?? fields.thoughtSignature;
  return typeof signature === "string" && block.signature === undefined ? { ...block, signature } : block;
}

function userContent(content: unknown): string | UserContent[] {
  return typeof content === "string" || Array.isArray(content) ? content : [];
}

function commandText(fields: Record<string, unknown>): string {
  const output = typeof fields.output === "string" && fields.output !== "" ? fields.output : "(nothing)";
  const lines = [`The user ran this command: ${String(fields.command)}`, "It printed:", "", output];
  if (fields.cancelled === true) lines.push("", "It was cancelled.");
  else if (typeof fields.exitCode === "number" && fields.exitCode !== 0) lines.push("", `It ended with code ${fields.exitCode}.`);
  if (fields.truncated === true && typeof fields.fullOutputPath === "string") {
    lines.push("", `This is a part of it; all of it is in ${fields.fullOutputPath}.`);
  }
  return lines.join("\n");
}
