import type { Failure } from "../../errors/types.ts";
import type { Entry } from "../../log/types.ts";
import type { ImageBlock, Message, ThinkingLevel } from "../../model/types.ts";
import type { CompactionResult } from "../../compaction/types.ts";
import type { QueueMode } from "../../session/settings.ts";
import type { SessionState } from "../../session/state.ts";
import type { WireEvent } from "../wire/wire-event.ts";

/** A model as RPC names it. */
export interface RpcModel {
  provider: string;
  id: string;
  api?: string;
  contextWindow?: number;
  maxTokens?: number;
}

/** Where a session is, and what it is set to. */
export interface RpcState {
  model: RpcModel;
  thinkingLevel: ThinkingLevel;
  /** A run, a wait or what follows it is under way. */
  isStreaming: boolean;
  isCompacting: boolean;
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  /** Absent for a session in memory. */
  sessionFile?: string;
  sessionId: string;
  sessionName?: string;
  autoCompactionEnabled: boolean;
  autoRetryEnabled: boolean;
  /** Messages the model is shown. */
  messageCount: number;
  pendingMessageCount: number;
  /** The statechart's state. */
  state: SessionState["state"];
  /** The retry that is waited for or under way, from 1; 0 outside a streak. */
  attempt: number;
  maxAttempts: number;
  /** When the wait under way ends, in milliseconds since the epoch. */
  retryAt: number | null;
  contextTokens: number;
  contextWindow: number | null;
}

export interface RpcStats {
  sessionFile?: string;
  sessionId: string;
  userMessages: number;
  assistantMessages: number;
  toolCalls: number;
  toolResults: number;
  totalMessages: number;
  tokens: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
  /** US dollars, as far as prices are known. */
  cost: number;
}

export interface RpcTreeNode {
  entry: Entry;
  children: RpcTreeNode[];
  label?: string;
}

export interface RpcExplanation {
  failure: Failure;
  /** What a session would do, in words. */
  next: string;
}

type Content = { message: string; images?: ImageBlock[] };

/** Every command: the fields it takes, and the data of its response. */
export interface RpcCommands {
  prompt: { takes: Content & { streamingBehavior?: "steer" | "followUp" }; gives: { disposition: "started" | "queued" } };
  steer: { takes: Content; gives: { disposition: "started" | "queued" } };
  follow_up: { takes: Content; gives: { disposition: "started" | "queued" } };
  continue: { takes: object; gives: { disposition: "started" } };
  /** Answers when the session rests. */
  abort: { takes: object; gives: undefined };
  abort_retry: { takes: object; gives: undefined };
  clear_queue: { takes: object; gives: { steering: string[]; followUp: string[] } };
  new_session: { takes: { parentSession?: string }; gives: { cancelled: boolean } };
  switch_session: { takes: { sessionPath: string }; gives: { cancelled: boolean } };
  /** Copies the branch before a user message into a session of its own; `text` is that message's. */
  fork: { takes: { entryId: string }; gives: { text: string; cancelled: boolean } };
  get_state: { takes: object; gives: RpcState };
  get_messages: { takes: object; gives: { messages: Message[] } };
  /** `since`: entries after this one. */
  get_entries: { takes: { since?: string }; gives: { entries: Entry[]; leafId: string | null } };
  get_tree: { takes: object; gives: { tree: RpcTreeNode[]; leafId: string | null } };
  get_last_assistant_text: { takes: object; gives: { text: string | null } };
  get_session_stats: { takes: object; gives: RpcStats };
  set_model: { takes: { provider: string; modelId: string }; gives: RpcModel };
  get_available_models: { takes: object; gives: { models: RpcModel[] } };
  set_thinking_level: { takes: { level: ThinkingLevel }; gives: undefined };
  set_steering_mode: { takes: { mode: QueueMode }; gives: undefined };
  set_follow_up_mode: { takes: { mode: QueueMode }; gives: undefined };
  /** Aborts what is under way first; answers when the compaction is done. */
  compact: { takes: { customInstructions?: string }; gives: CompactionResult };
  set_auto_compaction: { takes: { enabled: boolean }; gives: undefined };
  set_auto_retry: { takes: { enabled: boolean }; gives: undefined };
  set_session_name: { takes: { name: string }; gives: undefined };
  /** Commands a prompt may begin with; there are none. */
  get_commands: { takes: object; gives: { commands: [] } };
  /** What a session makes of an error text. */
  explain: { takes: { text: string }; gives: RpcExplanation };
}

export type RpcCommandName = keyof RpcCommands;

export type RpcCommand = { [Name in RpcCommandName]: { type: Name; id?: string } & RpcCommands[Name]["takes"] }[RpcCommandName];

export type RpcResponse =
  | { id?: string; type: "response"; command: string; success: true; data?: unknown }
  /** `field`: the field of the command that is at fault. */
  | { id?: string; type: "response"; command: string; success: false; error: string; field?: string };

/** What a client reads that is no response. */
export type RpcEvent = WireEvent;
