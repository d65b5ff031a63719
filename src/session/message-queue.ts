import type { UserMessage } from "../model/types.ts";
import type { QueueName } from "./durable-state.ts";

/** A message that waits to be delivered. */
export interface WaitingMessage {
  id: string;
  queue: QueueName;
  message: UserMessage;
  /** Called when it is in the log: the `prompt()` that queued it now waits for the settle. */
  onDelivered?: () => void;
  /** Called when it was taken back. */
  onRemoved?: () => void;
}

/** The contents of both queues. Their order is the statechart's, which knows the ids alone. */
export class MessageQueue {
  readonly #waiting = new Map<string, WaitingMessage>();

  add(message: WaitingMessage): void {
    this.#waiting.set(message.id, message);
  }

  get(ids: readonly string[]): WaitingMessage[] {
    return ids.map((id) => this.#waiting.get(id)).filter((message) => message !== undefined);
  }

  remove(ids: readonly string[]): void {
    for (const id of ids) this.#waiting.delete(id);
  }

  texts(ids: readonly string[]): string[] {
    return this.get(ids).map(({ message }) => textOf(message));
  }
}

/** The text of a user message; images are left out. */
export function textOf({ content }: UserMessage): string {
  if (typeof content === "string") return content;
  return content
    .filter((block) => block.type === "text")
    .map(({ text }) => text)
    .join("\n");
}
