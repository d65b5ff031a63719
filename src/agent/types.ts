import type {
  AssistantMessage,
  Message,
  ModelEvent,
  ProviderRetryEvent,
  ToolResultMessage,
  UserContent,
} from "../model/types.ts";

/**
 * A schema of the Standard Schema specification (https://standardschema.dev), such as a zod, valibot or arktype schema.
 * Its JSON Schema, which the model is shown, comes from the specification's `jsonSchema` part.
 */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: number;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly jsonSchema?: { readonly input: (options: { target: "draft-2020-12" }) => Record<string, unknown> } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** A JSON Schema whose top level is an object. */
export type JsonSchema = { readonly type: "object"; readonly [keyword: string]: unknown };

export interface ToolContext {
  toolCallId: string;
  /** Aborts when the session is aborted, or when the tool's time limit is over. */
  signal: AbortSignal;
  /** Shows progress: a `tool_execution_update` event. Ignored once the tool has answered. */
  update(partialResult: ToolOutput): void;
}

export type ToolOutput =
  | string
  | {
      content: string | UserContent[];
      /** For displays; never sent to the model. */
      details?: unknown;
      /** The tool ran and says that it failed; default false. */
      isError?: boolean;
      /** When all results of a turn say so, the run ends without asking the model again; default false. */
      terminate?: boolean;
    };

/** A tool the model may call. */
export interface Tool<Arguments = never> {
  name: string;
  /** Tells the model what it does and when to use it. */
  description: string;
  parameters: StandardSchema<Arguments> | JsonSchema;
  /**
   * Runs the tool. A thrown error becomes an error result the model reads; it never ends the session. A retry of a model call
   * never runs a tool again, but undoes nothing either.
   */
  execute(args: Arguments, context: ToolContext): ToolOutput | Promise<ToolOutput>;
  /** The tool must not run beside others: its whole batch then runs one after another; default false. */
  sequential?: boolean;
  /** Time limit in milliseconds; default `tools.timeoutMs`. */
  timeoutMs?: number;
  /** Running it twice does no harm: `continue()` runs it again after a crash; default false. */
  idempotent?: boolean;
}

/** A tool of any arguments. */
export type AnyTool = Tool;

/** What a tool call came to, as events show it. */
export interface ToolResult {
  content: UserContent[];
  details?: unknown;
}

/** Events of one run, between the session's `agent_start` and `agent_end`. */
export type AgentEvent =
  | { type: "turn_start" }
  | { type: "turn_end"; message: AssistantMessage; toolResults: ToolResultMessage[] }
  | { type: "message_start"; message: Message }
  /** `message` is one live object that grows; `assistantMessageEvent` says what was added. */
  | { type: "message_update"; message: AssistantMessage; assistantMessageEvent: ModelEvent }
  | { type: "message_end"; message: Message }
  | { type: "tool_execution_start"; toolCallId: string; toolName: string; args: Record<string, unknown> }
  | {
      type: "tool_execution_update";
      toolCallId: string;
      toolName: string;
      args: Record<string, unknown>;
      partialResult: ToolResult;
    }
  | {
      type: "tool_execution_end";
      toolCallId: string;
      toolName: string;
      result: ToolResult;
      isError: boolean;
      /** Milliseconds; absent when the tool did not run. */
      durationMs?: number;
    }
  | ProviderRetryEvent;
