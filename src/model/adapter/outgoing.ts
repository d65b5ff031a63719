import type { AssistantMessage, Message, Model, TextBlock, ToolCallBlock, ToolResultMessage, UserContent } from "../types.ts";
import { IdShaper, type IdShape } from "./shapes.ts";

/** What a wire format takes, where it is less than what our messages can say. */
export interface WireLimits {
  /** MIME types of images it takes; default any. */
  imageTypes?: ReadonlySet<string>;
  callId: IdShape;
}

/** A user's or assistant's message as it can be sent, or one tool call's result. */
export type OutgoingMessage =
  | { role: "user"; content: UserContent[] }
  | { role: "assistant"; content: AssistantMessage["content"] }
  | { role: "toolResult"; toolCallId: string; toolName: string; content: UserContent[]; isError: boolean };

type OutgoingResult = Extract<OutgoingMessage, { role: "toolResult" }>;

const NO_RESULT = "No result was recorded for this tool call; it may or may not have run.";

/**
 * The messages of a request as a provider takes them, in the order it needs: a copy in which nothing can make every later
 * request fail too. What is repaired or left out is found by position, never by an id alone, for ids repeat across turns.
 *
 * - Lone surrogates become U+FFFD; blank text blocks and messages left without content go.
 * - Failed and aborted replies go.
 * - Each tool call is followed by its result, once: a missing one says so, one that belongs to no call goes.
 * - Call ids are unique and of the shape the provider takes.
 * - Thinking stays only where the same model of the same provider gave it.
 * - An image that cannot be sent becomes a line that says so.
 */
export function outgoingMessages(messages: readonly Message[], model: Model, limits: WireLimits): OutgoingMessage[] {
  return new Outgoing(model, limits).build(messages);
}

/** An assistant message whose calls may still get results, which come right behind it. */
interface OpenTurn {
  /** Calls without result yet, by the id they have in the log. */
  waiting: Map<string, { sentId: string; call: ToolCallBlock }>;
  /** Where the next result goes. */
  end: number;
}

class Outgoing {
  readonly #model: Model;
  readonly #limits: WireLimits;
  readonly #ids: IdShaper;
  readonly #out: OutgoingMessage[] = [];
  #turn: OpenTurn | undefined;

  constructor(model: Model, limits: WireLimits) {
    this.#model = model;
    this.#limits = limits;
    this.#ids = new IdShaper(limits.callId);
  }

  build(messages: readonly Message[]): OutgoingMessage[] {
    for (const message of messages) {
      switch (message.role) {
        case "user":
          this.#user(message.content);
          break;
        case "assistant":
          if (message.stopReason !== "error" && message.stopReason !== "aborted") this.#assistant(message);
          break;
        case "toolResult":
          this.#result(message);
          break;
      }
    }
    this.#closeTurn();
    return this.#out;
  }

  #user(content: string | readonly UserContent[]): void {
    const blocks = this.#userContent(content);
    if (blocks.length > 0) this.#out.push({ role: "user", content: blocks });
  }

  #assistant(message: AssistantMessage): void {
    this.#closeTurn();
    const own = message.api === this.#model.api && message.provider === this.#model.provider && message.model === this.#model.id;
    const waiting: OpenTurn["waiting"] = new Map();
    const content: AssistantMessage["content"] = [];
    for (const block of message.content) {
      switch (block.type) {
        case "text":
          if (block.text.trim() !== "") content.push({ type: "text", text: block.text.toWellFormed() });
          break;
        case "thinking":
          // A signature is verified over the very bytes it was made for.
          if (own) content.push(block);
          break;
        case "toolCall": {
          const sentId = this.#ids.next(block.id);
          waiting.set(waiting.has(block.id) ? `${block.id}#${sentId}` : block.id, { sentId, call: block });
          content.push(outgoingCall(block, sentId, own));
          break;
        }
      }
    }
    if (!content.some((block) => block.type !== "thinking")) return;
    this.#out.push({ role: "assistant", content });
    this.#turn = { waiting, end: this.#out.length };
  }

  #result(message: ToolResultMessage): void {
    const waiting = this.#turn?.waiting.get(message.toolCallId);
    if (this.#turn === undefined || waiting === undefined) return;
    this.#turn.waiting.delete(message.toolCallId);
    // A second call of the same id in the same turn takes the next result of that id.
    const twin = [...this.#turn.waiting].find(([key, other]) => key !== other.call.id && other.call.id === message.toolCallId);
    if (twin !== undefined) {
      this.#turn.waiting.delete(twin[0]);
      this.#turn.waiting.set(message.toolCallId, twin[1]);
    }
    this.#insert({
      role: "toolResult",
      toolCallId: waiting.sentId,
      toolName: waiting.call.name,
      content: this.#userContent(message.content),
      isError: message.isError,
    });
  }

  /** No more results can come for the open turn: what is missing is said. */
  #closeTurn(): void {
    for (const { sentId, call } of this.#turn?.waiting.values() ?? []) {
      this.#insert({
        role: "toolResult",
        toolCallId: sentId,
        toolName: call.name,
        content: [textBlock(NO_RESULT)],
        isError: true,
      });
    }
    this.#turn = undefined;
  }

  /** Results stand right behind their call, before anything that was said meanwhile. */
  #insert(result: OutgoingResult): void {
    if (this.#turn === undefined) return;
    this.#out.splice(this.#turn.end, 0, result);
    this.#turn.end++;
  }

  #userContent(content: string | readonly UserContent[]): UserContent[] {
    if (typeof content === "string") return content.trim() === "" ? [] : [textBlock(content)];
    const blocks: UserContent[] = [];
    for (const block of content) {
      if (block.type === "image") blocks.push(this.#image(block));
      else if (block.text.trim() !== "") blocks.push(textBlock(block.text));
    }
    return blocks;
  }

  #image(block: Extract<UserContent, { type: "image" }>): UserContent {
    if (this.#model.input?.includes("image") === false) return textBlock("[An image was left out: this model takes no images.]");
    if (this.#limits.imageTypes?.has(block.mimeType) === false) {
      return textBlock(`[An image was left out: this model takes no ${block.mimeType}.]`);
    }
    return block.data === "" ? textBlock("[An image was left out: it has no data.]") : block;
  }
}

const textBlock = (text: string): TextBlock => ({ type: "text", text: text.toWellFormed() });

function outgoingCall(block: ToolCallBlock, id: string, own: boolean): ToolCallBlock {
  const call: ToolCallBlock = { type: "toolCall", id, name: block.name, arguments: wellFormed(block.arguments) };
  if (own && block.signature !== undefined) call.signature = block.signature;
  return call;
}

/** The same value with no lone surrogate in any string of it. */
function wellFormed<Value>(value: Value): Value {
  const json = JSON.stringify(value);
  // JSON.stringify writes lone surrogates as escapes, and only those.
  return /\\ud[89a-f][0-9a-f]{2}/.test(json)
    ? JSON.parse(json, (_, inner: unknown) => (typeof inner === "string" ? inner.toWellFormed() : inner))
    : value;
}
