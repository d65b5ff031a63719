import { toFailure } from "../../errors/index.ts";
import type { Failure, FailureContext } from "../../errors/types.ts";
import { interrupted } from "../faults.ts";
import { emptyReply, failedReply } from "../reply.ts";
import type {
  AssistantMessage,
  Model,
  ModelEvent,
  StopReason,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
  Usage,
} from "../types.ts";
import { usageOf } from "../usage.ts";
import { parseArguments } from "./arguments.ts";

const unfinishedCall = (): Failure =>
  interrupted(
    "unfinished-call",
    "The stream ended with a tool call left unfinished",
    "A tool call counts only with all of its arguments.",
  );

/** A block that is still growing. */
export interface Open<Block> {
  readonly index: number;
  readonly block: Block;
}

/** A tool call that is still growing; `json` is the text of its arguments so far. */
export interface OpenCall extends Open<ToolCallBlock> {
  json: string;
}

/**
 * Turns what a wire format says into our events, and keeps the live message in step with them. An adapter calls it; the
 * stream hands out `events`. After `finish`, `fail` or `abort` everything further is ignored.
 */
export class ReplyWriter {
  readonly message: AssistantMessage;
  /** Events not yet handed out. */
  events: ModelEvent[] = [];
  ended = false;
  readonly #model: Model;
  readonly #now: () => number;
  readonly #open = new Set<Open<TextBlock | ThinkingBlock> | OpenCall>();
  readonly #endedCalls = new Set<number>();
  #started = false;

  constructor(model: Model, now: () => number) {
    this.#model = model;
    this.#now = now;
    this.message = emptyReply(model, now());
  }

  /** Says that the model has begun to answer; later calls do nothing. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.events.push({ type: "start", message: this.message });
  }

  /** The reply's id, and the model that answered where it is another than was asked. */
  identify(responseId: string | null | undefined, responseModel: string | null | undefined): void {
    if (responseId) this.message.responseId = responseId;
    if (responseModel && responseModel !== this.#model.id) this.message.responseModel = responseModel;
  }

  usage(counts: Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite">): void {
    this.message.usage = usageOf(counts, this.#model.prices);
  }

  openText(): Open<TextBlock> {
    const open = this.#add<TextBlock>({ type: "text", text: "" });
    this.#open.add(open);
    this.events.push({ type: "text_start", index: open.index });
    return open;
  }

  text(open: Open<TextBlock>, delta: string): void {
    if (delta === "") return;
    open.block.text += delta;
    this.events.push({ type: "text_delta", index: open.index, delta });
  }

  openThinking(signature?: string): Open<ThinkingBlock> {
    const open = this.#add<ThinkingBlock>({ type: "thinking", thinking: "" });
    if (signature !== undefined) open.block.signature = signature;
    this.#open.add(open);
    this.events.push({ type: "thinking_start", index: open.index });
    return open;
  }

  thinking(open: Open<ThinkingBlock>, delta: string): void {
    if (delta === "") return;
    open.block.thinking += delta;
    this.events.push({ type: "thinking_delta", index: open.index, delta });
  }

  openCall(id: string, name: string): OpenCall {
    const open: OpenCall = { ...this.#add<ToolCallBlock>({ type: "toolCall", id, name, arguments: {} }), json: "" };
    this.#open.add(open);
    this.events.push({ type: "toolcall_start", index: open.index, id, name });
    return open;
  }

  callArguments(open: OpenCall, delta: string): void {
    if (delta === "") return;
    open.json += delta;
    this.events.push({ type: "toolcall_delta", index: open.index, delta });
  }

  /** Closes a block. A tool call's arguments are parsed now, and not before. */
  close(open: Open<TextBlock | ThinkingBlock> | OpenCall): void {
    if (!this.#open.delete(open)) return;
    const { index, block } = open;
    if ("json" in open) {
      Object.assign(open.block, parseArguments(open.json));
      this.#endedCalls.add(index);
      this.events.push({ type: "toolcall_end", index, toolCall: open.block });
    } else if (block.type === "text") {
      this.events.push({ type: "text_end", index });
    } else {
      this.events.push({ type: "thinking_end", index });
    }
  }

  /** The terminal event of a good reply. Blocks still open are complete with it. */
  finish(stopReason: Exclude<StopReason, "error" | "aborted">, rawStopReason: string | undefined): void {
    if (this.ended) return;
    for (const open of this.#open) this.close(open);
    const calls = this.message.content.some((block) => block.type === "toolCall");
    // Some servers say "stop" although they call tools.
    this.message.stopReason = stopReason === "stop" && calls ? "toolUse" : stopReason;
    if (rawStopReason !== undefined) this.message.rawStopReason = rawStopReason;
    this.ended = true;
    this.events.push({ type: "done", message: this.message });
  }

  /** As `finish`, for formats that say where each block ends: a good reply has no tool call left open. */
  finishClosed(stopReason: Exclude<StopReason, "error" | "aborted">, rawStopReason: string | undefined): void {
    const unfinished = stopReason !== "length" && [...this.#open].some((open) => "json" in open);
    if (unfinished) this.fail(unfinishedCall(), rawStopReason);
    else this.finish(stopReason, rawStopReason);
  }

  /** The terminal event of a failed one: a `Failure`, or anything that was thrown or reported. */
  fail(failure: Failure, rawStopReason?: string): void {
    if (rawStopReason !== undefined) this.message.rawStopReason = rawStopReason;
    this.#failed("error", failure);
  }

  abort(): void {
    this.#failed("aborted", undefined);
  }

  /** Describes what was thrown or reported. */
  describe(value: unknown, context: FailureContext): Failure {
    return toFailure(value, { provider: this.#model.provider, now: this.#now(), ...context });
  }

  #failed(stopReason: "error" | "aborted", failure: Failure | undefined): void {
    if (this.ended) return;
    this.ended = true;
    this.events.push({ type: "error", message: failedReply(this.message, stopReason, failure, this.#endedCalls) });
  }

  #add<Block extends TextBlock | ThinkingBlock | ToolCallBlock>(block: Block): Open<Block> {
    this.start();
    const open = { index: this.message.content.length, block };
    this.message.content.push(block);
    return open;
  }
}
