/** The public API. Models of providers are in their own subpaths, test doubles in `/testing`, the statechart in `/machines`. */
export { createSession, Session } from "./session/session.ts";
export type { PromptOptions, SessionOptions } from "./session/session-options.ts";
export type { PromptOutcome, SessionEvent } from "./session/events.ts";
export type { SessionState } from "./session/state.ts";
export type { CompactionOptions, SessionActor } from "./session/session-parts.ts";
export type { MoveOptions } from "./session/branch-moves.ts";
export { hostedMachine } from "./session/hosted-machine.ts";
export {
  CompactionError,
  InvalidPromptError,
  NothingToContinueError,
  SessionBusyError,
  SessionDisposedError,
} from "./session/errors.ts";
export { EVENT_STREAM_LIMIT, EventStreamOverflowError } from "./session/event-stream.ts";
export { InvalidSettingError, mergeSettings } from "./session/merge-settings.ts";
export { defaultSettings, type QueueMode, type Settings, type SettingsPatch } from "./session/settings.ts";

export { defineTool, InvalidToolError } from "./agent/tool-set.ts";
export type {
  AgentEvent,
  AnyTool,
  JsonSchema,
  StandardSchema,
  Tool,
  ToolContext,
  ToolOutput,
  ToolResult,
} from "./agent/types.ts";

export * from "./errors/index.ts";
export * from "./log/index.ts";
export * from "./retry/index.ts";
export { MissingApiKeyError, readReply } from "./model/index.ts";
export type * from "./model/types.ts";
export { estimateTokens, type CompactionResult, type TokenEstimator } from "./compaction/index.ts";
export type { SummarizeInput, SummaryEvent } from "./compaction/types.ts";
export type * from "../machines/types.ts";
