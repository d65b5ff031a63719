import type { UserMessage } from "../model/types.ts";
import type { QueueName } from "./durable-state.ts";
import { textOf } from "./user-message.ts";

/** A message that waits to be delivered. */
export interface WaitingMessage {
  id: string;
  queue: QueueName;
  message: UserMessage;
}

const NOTHING: readonly WaitingMessage[] = [];

/** The contents of both queues, first to be delivered first. The statechart knows the ids alone. */
export class MessageQueue {
  #waiting: readonly WaitingMessage[];

  constructor(waiting: readonly WaitingMessage[] = NOTHING) {
    this.#waiting = waiting;
  }

  add(message: WaitingMessage): void {
    this.#waiting = [...this.#waiting, message];
  }

  /** All messages of one queue. */
  of(queue: QueueName): WaitingMessage[] {
    return this.#waiting.filter((message) => message.queue === queue);
  }

  /** The messages of these ids, in their order. */
  get(ids: readonly string[]): WaitingMessage[] {
    return ids.map((id) => this.#waiting.find((message) => message.id === id)).filter((message) => message !== undefined);
  }

  remove(ids: readonly string[]): void {
    this.#waiting = this.#waiting.filter(({ id }) => !ids.includes(id));
  }

  texts(ids: readonly string[]): string[] {
    return this.get(ids).map(({ message }) => textOf(message));
  }
}
