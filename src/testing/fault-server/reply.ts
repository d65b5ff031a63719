/** A tool call the fault server's model makes. */
export interface FaultReplyToolCall {
  /** Default `call_<n>_<index>`, where n counts the requests. */
  id?: string;
  name: string;
  arguments: Record<string, unknown>;
}

/** Tokens a reply reports. `input` counts what was neither read from nor written to a cache. */
export interface FaultReplyUsage {
  /** Default 12. */
  input?: number;
  /** Default 7. */
  output?: number;
  /** Default 0. */
  cacheRead?: number;
  /** Default 0. */
  cacheWrite?: number;
}

/** What the fault server's model says, in no wire format yet. Plain JSON. */
export interface FaultReply {
  thinking?: string;
  text?: string;
  toolCalls?: readonly FaultReplyToolCall[];
  usage?: FaultReplyUsage;
  /** Default `toolUse` when there are tool calls, else `stop`. */
  stopReason?: "stop" | "length" | "toolUse";
  /** The provider's word for why it stopped, sent as it is in place of what `stopReason` says; null leaves it out. */
  rawStopReason?: string | null;
}

/** Said when neither the script nor the server's options give another reply. */
export const defaultReply: FaultReply = { text: "The fault server says hello, in a few words." };

/** Called where a fault is about tool calls and the server's options name no other. No common agent has this tool. */
export const defaultToolCall: FaultReplyToolCall = {
  name: "fault_server_weather",
  arguments: { city: "Paris", days: 2 },
};

export function completeUsage(usage: FaultReplyUsage = {}): Required<FaultReplyUsage> {
  return { input: 12, output: 7, cacheRead: 0, cacheWrite: 0, ...usage };
}

export function stopReasonOf(reply: FaultReply): "stop" | "length" | "toolUse" {
  return reply.stopReason ?? (reply.toolCalls?.length ? "toolUse" : "stop");
}

/** Words with the space after them: how text is cut into deltas. */
export function words(text: string): string[] {
  return text.match(/\s*\S+\s*/gu) ?? (text === "" ? [] : [text]);
}

/** JSON text in pieces that are no JSON by themselves, as models stream arguments. */
export function fragments(json: string): string[] {
  const size = Math.max(1, Math.ceil(json.length / 4));
  return Array.from({ length: Math.ceil(json.length / size) }, (_, index) => json.slice(index * size, (index + 1) * size));
}
