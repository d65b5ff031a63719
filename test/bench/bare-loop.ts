import type { AssistantMessage, Message, Model, ModelEvent } from "../../src/model/types.ts";

/** What people write by hand: a list of messages, a loop over the stream, a retry after a wait. No log, no abort, no classification. */
export class BareLoop {
  readonly messages: Message[] = [];
  readonly #model: Model;
  readonly #onEvent: (event: ModelEvent) => void;

  constructor(model: Model, onEvent: (event: ModelEvent) => void = () => {}) {
    this.#model = model;
    this.#onEvent = onEvent;
  }

  async prompt(text: string, wait: () => Promise<void> = () => Promise.resolve()): Promise<AssistantMessage> {
    this.messages.push({ role: "user", content: text, timestamp: Date.now() });
    for (let attempt = 0; ; attempt++) {
      const message = await this.#ask();
      if (message.stopReason !== "error" || attempt === 3) {
        this.messages.push(message);
        return message;
      }
      await wait();
    }
  }

  async #ask(): Promise<AssistantMessage> {
    const { signal } = new AbortController();
    for await (const event of this.#model.stream({ messages: this.messages }, { signal })) {
      this.#onEvent(event);
      if (event.type === "done" || event.type === "error") return event.message;
    }
    throw new Error("The stream ended without a terminal event.");
  }
}
