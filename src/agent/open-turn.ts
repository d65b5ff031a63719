import type { Failure } from "../errors/types.ts";
import type { AssistantMessage, Message, ModelEvent, ToolCallBlock, ToolResultMessage, UserMessage } from "../model/types.ts";
import type { QueuedMessage } from "./run.ts";
import type { CallProgress } from "./tool-batch.ts";
import { failed, toResultMessage, type ToolCallOutcome } from "./tool-result.ts";
import type { AgentEvent } from "./types.ts";

export interface OpenTurnPorts {
  clock: { now(): number };
  append(message: Message): string;
  emit(event: AgentEvent): void;
  deliver(messages: QueuedMessage[]): void;
}

/** Thrown into a run that goes on after it was cut. */
class RunCutError extends Error {
  override readonly name = "RunCutError";
}

const NOT_STARTED = "The user aborted before this tool was started: it has not run.";

interface OpenCall {
  readonly call: ToolCallBlock;
  /** How far it has come; absent until it is announced. */
  progress?: CallProgress;
  outcome?: ToolCallOutcome;
  recorded: boolean;
}

/**
 * The turn under way: everything a run writes and announces goes through here, entry first, event after. It knows what is
 * still open, so that it can close it at any moment; after `cut` it refuses all.
 */
export class OpenTurn {
  readonly #ports: OpenTurnPorts;
  #cut = false;
  #open = false;
  /** The reply under way, from its first event until it is recorded. */
  #live: AssistantMessage | undefined;
  #reply: AssistantMessage | undefined;
  #replyEntries: string[] = [];
  #results: ToolResultMessage[] = [];
  /** In their order. Not by id: a model may give two calls of one reply the same. */
  #calls: OpenCall[] = [];

  constructor(ports: OpenTurnPorts) {
    this.#ports = ports;
  }

  /** @param announced User messages that are in the log already. */
  begin(announced: UserMessage[]): void {
    this.#open = true;
    this.#reply = undefined;
    this.#replyEntries = [];
    this.#results = [];
    this.#calls = [];
    this.emit({ type: "turn_start" });
    for (const message of announced) this.#announce(message);
  }

  deliver(queued: QueuedMessage[]): void {
    this.#refuseAfterCut();
    this.#ports.deliver(queued);
    for (const { message } of queued) this.#announce(message);
  }

  update(event: ModelEvent, message: AssistantMessage): void {
    if (this.#cut) return;
    if (this.#live === undefined) {
      this.#live = message;
      this.#ports.emit({ type: "message_start", message });
    }
    if (event.type !== "start") this.#ports.emit({ type: "message_update", message, assistantMessageEvent: event });
  }

  /** @returns A list that grows with the entries of the reply's tool results. */
  recordReply(message: AssistantMessage): string[] {
    this.#refuseAfterCut();
    if (this.#live === undefined) this.emit({ type: "message_start", message });
    this.#live = message;
    this.#replyEntries = [this.#ports.append(message)];
    this.#live = undefined;
    this.#reply = message;
    this.emit({ type: "message_end", message });
    return this.#replyEntries;
  }

  openCalls(calls: readonly ToolCallBlock[]): void {
    for (const call of calls) this.#calls.push({ call, recorded: false });
  }

  setProgress(call: ToolCallBlock, progress: CallProgress): void {
    const open = this.#calls.find((other) => other.call === call);
    if (open) open.progress = progress;
  }

  setOutcome(call: ToolCallBlock, outcome: ToolCallOutcome): void {
    const open = this.#calls.find((other) => other.call === call);
    if (open) open.outcome = outcome;
  }

  recordResult(result: ToolResultMessage): void {
    this.#refuseAfterCut();
    this.#replyEntries.push(this.#ports.append(result));
    this.#results.push(result);
    const open = this.#calls.find(({ call, recorded }) => !recorded && call.id === result.toolCallId);
    if (open) open.recorded = true;
    this.#announce(result);
  }

  /** A call that is not run gets its result at once. */
  refuse(call: ToolCallBlock, outcome: ToolCallOutcome): void {
    this.recordResult(toResultMessage(call, outcome, this.#ports.clock.now()));
  }

  emit(event: AgentEvent): void {
    this.#refuseAfterCut();
    this.#ports.emit(event);
  }

  end(): void {
    if (!this.#open) return;
    this.#open = false;
    if (this.#reply) this.emit({ type: "turn_end", message: this.#reply, toolResults: this.#results });
  }

  /** The log failed under the turn: what was announced is brought to an end, without being written. */
  breakOff(failure: Failure): void {
    if (this.#cut) return;
    if (this.#live) {
      this.#reply = { ...this.#live, stopReason: "error", errorMessage: failure.message, failure };
      this.#live = undefined;
      this.emit({ type: "message_end", message: this.#reply });
    }
    this.end();
  }

  /** Closes what is open, in the run's place. */
  close(): void {
    if (this.#cut) return;
    if (this.#live) this.recordReply({ ...this.#live, stopReason: "aborted", errorMessage: "Aborted by the user." });
    for (const open of this.#calls) if (!open.recorded) this.#closeCall(open);
    this.end();
  }

  /** Refuses whatever comes from now on. */
  cut(): void {
    this.#cut = true;
  }

  #closeCall({ call, progress, outcome }: OpenCall): void {
    const stubborn = `The tool "${call.name}" was told to stop and did not: it may still be running.`;
    const known = outcome ?? failed(progress === "started" ? stubborn : NOT_STARTED);
    if (progress && !outcome) {
      this.emit({ type: "tool_execution_end", toolCallId: call.id, toolName: call.name, result: known.result, isError: true });
    }
    this.recordResult(toResultMessage(call, known, this.#ports.clock.now()));
  }

  #announce(message: Message): void {
    this.emit({ type: "message_start", message });
    this.emit({ type: "message_end", message });
  }

  #refuseAfterCut(): void {
    if (this.#cut) throw new RunCutError("The run was cut: its session has gone on without it.");
  }
}
