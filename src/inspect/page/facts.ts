import { duration, tokens } from "../view/format.ts";
import type { SessionView } from "../view/session-view.ts";
import { h, setShown, setText } from "./dom.ts";

/** The numbers of a session: context against window, retries, the wait, queues. */
export class Facts {
  readonly element: HTMLElement;
  readonly #context = h("strong");
  readonly #contextNote = h("span", { class: "note" });
  readonly #gauge = h(
    "div",
    { class: "gauge", role: "meter", "aria-label": "Context used", "aria-valuemin": 0, "aria-valuemax": 100 },
    h("span", { class: "fill" }),
    h("span", { class: "tick" }),
  );
  readonly #retry = h("strong");
  readonly #retryDots = h("span", { class: "dots", "aria-hidden": "true" });
  readonly #wait = h("strong");
  readonly #waitBar = h("div", { class: "gauge wait", "aria-hidden": "true" }, h("span", { class: "fill" }));
  readonly #waitNote = h("span", { class: "note" });
  readonly #queues = h("strong");
  readonly #queueList = h("ul", { class: "queue" });
  readonly #recovery = h("strong");
  readonly #recoveryNote = h("span", { class: "note" });

  constructor() {
    this.element = h(
      "div",
      { class: "facts" },
      fact("Context", this.#context, this.#gauge, this.#contextNote),
      fact("Retries", this.#retry, this.#retryDots),
      fact("Wait", this.#wait, this.#waitBar, this.#waitNote),
      fact("Overflow recovery", this.#recovery, this.#recoveryNote),
      fact("Queues", this.#queues, this.#queueList),
    );
  }

  /** @param now Milliseconds since the epoch: of the clock, or of the moment that is looked at. */
  update(view: SessionView, now: number): void {
    const { facts } = view;
    if (!facts) return;
    this.#updateContext(view.contextTokens, facts);
    setText(this.#retry, facts.attempt === 0 ? "none" : `${facts.attempt} of ${facts.maxAttempts}`);
    const dots = Array.from({ length: Math.min(facts.maxAttempts, 12) }, (_, index) => (index < facts.attempt ? "●" : "○"));
    setText(this.#retryDots, dots.join(" "));
    this.#updateWait(view, now);
    setText(this.#recovery, facts.overflowRecoveryUsed ? "used" : "available");
    setText(this.#recoveryNote, facts.thresholdMuted ? "threshold muted until the next message" : "once per user message");
    this.#updateQueues(view);
  }

  #updateContext(contextTokens: number, { contextWindow, threshold }: NonNullable<SessionView["facts"]>): void {
    const share = contextWindow === null ? 0 : Math.min(1, contextTokens / contextWindow);
    setText(
      this.#context,
      contextWindow === null ? `${tokens(contextTokens)} tokens` : `${tokens(contextTokens)} of ${tokens(contextWindow)}`,
    );
    setText(this.#contextNote, threshold === null ? "window unknown" : `compacts above ${tokens(threshold)}`);
    this.#gauge.setAttribute("aria-valuenow", String(Math.round(share * 100)));
    this.#gauge.style.setProperty("--share", String(share));
    this.#gauge.style.setProperty("--tick", String(threshold === null || contextWindow === null ? 1 : threshold / contextWindow));
    this.#gauge.classList.toggle("over", threshold !== null && contextTokens > threshold);
  }

  #updateWait({ facts, wait }: SessionView, now: number): void {
    const waiting = facts?.state === "backoff" && facts.retryAt !== null;
    const left = waiting ? Math.max(0, (facts.retryAt ?? now) - now) : 0;
    setText(this.#wait, waiting ? duration(left) : "none");
    setText(this.#waitNote, waiting ? `of ${duration(wait?.delayMs ?? 0)}` : "");
    setShown(this.#waitBar, waiting);
    this.#waitBar.style.setProperty("--share", String(wait && wait.delayMs > 0 ? Math.min(1, left / wait.delayMs) : 0));
  }

  #updateQueues({ facts, queue }: SessionView): void {
    const [steering, followUp] = [facts?.steering.length ?? 0, facts?.followUp.length ?? 0];
    setText(this.#queues, steering + followUp === 0 ? "empty" : `${steering} steering, ${followUp} follow-up`);
    const items = [...queue.steering.map((text) => `steer: ${text}`), ...queue.followUp.map((text) => `follow-up: ${text}`)];
    if (this.#queueList.dataset.items === items.join("\n")) return;
    this.#queueList.dataset.items = items.join("\n");
    this.#queueList.replaceChildren(...items.map((item) => h("li", {}, item)));
  }
}

function fact(title: string, ...children: HTMLElement[]): HTMLElement {
  return h("div", { class: "fact", role: "group", "aria-label": title }, h("span", { class: "fact-title" }, title), ...children);
}
