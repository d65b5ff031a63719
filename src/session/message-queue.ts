import type { UserMessage } from "../model/types.ts";
import { textOf } from "./user-message.ts";

/** A message that waits to be delivered. */
export interface WaitingMessage {
  id: string;
  message: UserMessage;
}

/** The contents of both queues. Their order is the statechart's, which knows the ids alone. */
export class MessageQueue {
  readonly #waiting: Map<string, WaitingMessage>;

  constructor(waiting: readonly WaitingMessage[] = []) {
    this.#waiting = new Map(waiting.map((message) => [message.id, message]));
  }

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
