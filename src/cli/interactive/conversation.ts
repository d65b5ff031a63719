import { logTail } from "../../session/log-tail.ts";
import type { SessionEvent } from "../../session/events.ts";
import type { Session } from "../../session/session.ts";
import type { Model, Usage } from "../../model/types.ts";
import { statsData, textOfMessage } from "../rpc/session-data.ts";
import { SessionHolder } from "../rpc/session-holder.ts";
import type { RunContext } from "../run-context.ts";

/** The session that is talked with, and what is known of it beside its state. */
export class Conversation {
  /** What the run under way is at, and since when. */
  activity = { what: "", since: 0 };
  queue: { steering: readonly string[]; followUp: readonly string[] } = { steering: [], followUp: [] };
  /** A prompt that was given and is not announced yet: a compaction goes first. */
  sending: string | undefined;
  /** US dollars, over the whole session, failed requests included; undefined when no price is known. */
  cost: number | undefined;
  readonly #context: RunContext;
  readonly #holder: SessionHolder;
  readonly #onEvent: (event: SessionEvent) => void;
  #runSince = 0;
  /** What was chosen here, for sessions that are opened later. */
  #model: Model | undefined;

  constructor(context: RunContext, onEvent: (event: SessionEvent) => void) {
    this.#context = context;
    this.#onEvent = onEvent;
    this.#holder = new SessionHolder(context, (session) => this.#attach(session));
  }

  get session(): Session {
    return this.#holder.session;
  }

  /** Tokens of the context as it is now, also in the middle of a run. */
  get contextTokens(): number {
    return this.session.state.contextTokens;
  }

  /** The session stopped in the middle of something, or before it: `continue()` takes it up. */
  get canGoOn(): boolean {
    const { state, log } = this.session;
    const status = state.outcome?.status;
    const unfinished = status === "interrupted" || status === "failed" || status === "aborted";
    return !state.busy && (unfinished || state.steering.length + state.followUp.length > 0 || logTail(log).tail !== "answered");
  }

  /** What was said last: the last question, and the last answer with a text. */
  get lastExchange(): { question: string | undefined; answer: string | undefined } {
    const { messages } = this.session;
    const asked = messages.findLastIndex(({ role }) => role === "user");
    const replies = messages
      .slice(Math.max(0, asked))
      .filter(({ role }) => role === "assistant")
      .map(textOfMessage);
    const question = messages[asked];
    return { question: question ? textOfMessage(question) : undefined, answer: replies.findLast((text) => text.trim() !== "") };
  }

  async begin(): Promise<void> {
    await this.#holder.begin();
    this.#keepModel();
  }

  async open(path: string): Promise<void> {
    await this.#holder.open(path);
    this.#keepModel();
  }

  async chooseModel(name: string): Promise<Model> {
    const model = await this.#context.createModel(name);
    this.session.setModel(model);
    this.#model = model;
    return model;
  }

  /** Ends the session. What waits for a retry can be taken up later. */
  close(): Promise<void> {
    return this.#holder.close();
  }

  #keepModel(): void {
    if (this.#model) this.session.setModel(this.#model);
  }

  #attach(session: Session): () => void {
    this.queue = { steering: [], followUp: [] };
    this.sending = undefined;
    this.cost = undefined;
    const spent = statsData(session).cost;
    if (session.model.prices !== undefined || spent > 0) this.cost = spent;
    return session.subscribe((event) => {
      this.#note(event);
      this.#onEvent(event);
    });
  }

  #note(event: SessionEvent): void {
    switch (event.type) {
      case "agent_start":
        this.#runSince = this.#context.io.clock.now();
        return this.#isAt("waiting for the model");
      case "turn_start":
        return this.#isAt("waiting for the model");
      case "message_start":
        if (event.message.role === "user") this.sending = undefined;
        return;
      case "message_update": {
        const { type } = event.assistantMessageEvent;
        if (type === "thinking_start") this.#isAt("thinking");
        else if (type === "text_start") this.#isAt("answering");
        else if (type === "toolcall_start") this.#isAt(`calling ${event.assistantMessageEvent.name}`);
        return;
      }
      case "message_end":
        if (event.message.role === "assistant") this.#spend(event.message.usage);
        return;
      case "tool_execution_start":
        // The tool has a row of its own.
        this.activity = { what: "working", since: this.#runSince };
        return;
      case "compaction_start":
        return this.#isAt("compacting");
      case "compaction_end":
        if (event.result?.usage) this.#spend(event.result.usage);
        return;
      case "queue_update":
        this.queue = { steering: event.steering, followUp: event.followUp };
        return;
      case "agent_settled":
        this.sending = undefined;
        return;
      default:
        return;
    }
  }

  #isAt(what: string): void {
    this.activity = { what, since: this.#context.io.clock.now() };
  }

  #spend({ cost }: Usage): void {
    if (cost !== undefined) this.cost = (this.cost ?? 0) + cost.total;
  }
}
