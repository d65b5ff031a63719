import type { EntryDraft } from "../log/types.ts";
import type { UserMessage } from "../model/types.ts";
import { queueDraft, type QueueName } from "./durable-state.ts";
import { contextTokensWith, type SessionParts } from "./session-parts.ts";

/** A new id is tried for again this often when it is taken. */
const ID_ATTEMPTS = 100;

/** Messages that wait to be delivered. A message is durable as soon as it is accepted, and leaves only when it is in the log. */
export class Queues {
  readonly #parts: SessionParts;
  readonly #newId: () => string;

  constructor(parts: SessionParts, newId: () => string) {
    this.#parts = parts;
    this.#newId = newId;
  }

  /** @returns The id it waits under. @throws LogError; it is not accepted then. */
  add(queue: QueueName, message: UserMessage, onAccepted?: (id: string) => void): string {
    const { log, actor, queue: waiting } = this.#parts;
    const id = this.#freshId();
    // First: an estimator of the application's that throws must not leave a message in the log that is not queued.
    const contextTokens = contextTokensWith(this.#parts, [{ message }]);
    log.append(queueDraft({ op: "add", queue, id, content: message.content }));
    waiting.add({ id, queue, message });
    onAccepted?.(id);
    actor.send({ type: queue === "steering" ? "STEER" : "FOLLOW_UP", id, contextTokens });
    // Inside a listener the statechart takes it only when it is done with what it tells of.
    if (actor.getSnapshot().context[queue].includes(id)) this.announce();
    else queueMicrotask(() => this.announce());
    return id;
  }

  /** Messages are matched by their ids: one that is taken, by a message of an earlier process perhaps, would lose one of the two. */
  #freshId(): string {
    for (let attempt = 0; attempt < ID_ATTEMPTS; attempt++) {
      const id = this.#newId();
      if (this.#parts.queue.get([id]).length === 0) return id;
    }
    throw new RangeError(`No free id for a queued message in ${ID_ATTEMPTS} attempts: newId gives ids that are taken.`);
  }

  /** The messages become part of the conversation, in one write with their leaving the queue. @throws LogError */
  deliver(ids: string[], token: number): void {
    const { log, actor, queue: waiting, prompts } = this.#parts;
    const messages: EntryDraft[] = waiting.get(ids).map(({ message }) => ({ type: "message", message }));
    log.appendAll([...messages, queueDraft({ op: "remove", ids })]);
    waiting.remove(ids);
    prompts.deliver(ids);
    actor.send({ type: "DELIVERED", token, ids });
    this.announce();
  }

  /** Takes messages back; prompts that wait for them end as aborted. @throws LogError */
  remove(ids: string[]): void {
    if (ids.length === 0) return;
    const { log, actor, queue: waiting, prompts } = this.#parts;
    log.append(queueDraft({ op: "remove", ids }));
    waiting.remove(ids);
    actor.send({ type: "UNQUEUE", ids });
    prompts.remove(ids);
    this.announce();
  }

  announce(): void {
    const { actor, queue: waiting, emitter } = this.#parts;
    const { steering, followUp } = actor.getSnapshot().context;
    emitter.emit({ type: "queue_update", steering: waiting.texts(steering), followUp: waiting.texts(followUp) });
  }
}
