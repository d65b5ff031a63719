import type { Hello, TraceRecord } from "../view/records.ts";
import { apply, emptyView, viewAt, type SessionView } from "../view/session-view.ts";
import { Chart, toneOf } from "./chart.ts";
import { Controls } from "./controls.ts";
import { h, setText } from "./dom.ts";
import { Events } from "./events.ts";
import { Facts } from "./facts.ts";
import { FailureCard } from "./failure.ts";
import { Messages } from "./messages.ts";
import { Rules } from "./rules.ts";
import { Scrubber } from "./scrubber.ts";

/** One session on the page: its records, the view of the moment that is looked at, and what shows it. */
export class SessionPanel {
  readonly element: HTMLElement;
  readonly key: string;
  readonly title: string;
  readonly live: boolean;
  readonly #records: TraceRecord[] = [];
  /** The view of now: the sum of all records. */
  #latest = emptyView();
  /** The view of an earlier moment, with the number of records it is the sum of. */
  #past: { count: number; view: SessionView } | undefined;
  readonly #state = h("span", { class: "chip" });
  readonly #model = h("span", { class: "model" });
  readonly #facts = new Facts();
  readonly #chart: Chart;
  readonly #rules: Rules;
  readonly #failure = new FailureCard();
  readonly #messages = new Messages();
  readonly #events = new Events();
  readonly #controls: Controls | undefined;
  readonly #scrubber: Scrubber;

  constructor({ key, title, live }: Hello["sessions"][number], hello: Hello, onChange: () => void) {
    this.key = key;
    this.title = title;
    this.live = live;
    this.#chart = new Chart(key);
    this.#rules = new Rules(hello.rules);
    this.#controls = live && hello.control ? new Controls(key) : undefined;
    this.#scrubber = new Scrubber(this.#records, live, onChange);
    this.element = h(
      "article",
      { class: "session", "aria-label": `Session ${title}`, "data-session": key },
      h(
        "header",
        { class: "session-head" },
        h("h2", {}, title),
        this.#state,
        this.#model,
        ...(this.#controls ? [this.#controls.element] : []),
      ),
      this.#scrubber.element,
      this.#facts.element,
      h(
        "div",
        { class: "panels" },
        this.#chart.element,
        this.#rules.element,
        this.#failure.element,
        this.#messages.element,
        this.#events.element,
      ),
    );
  }

  get view(): SessionView {
    if (this.#scrubber.following) return this.#latest;
    const { count } = this.#scrubber;
    if (this.#past?.count !== count) this.#past = { count, view: viewAt(this.#records, count) };
    return this.#past.view;
  }

  /** For a short list of sessions. */
  get summary(): { state: string; tone: string; detail: string } {
    const { facts } = this.#latest;
    const detail = facts && facts.attempt > 0 ? `retry ${facts.attempt} of ${facts.maxAttempts}` : "";
    return { state: stateText(this.#latest), tone: toneOf(facts), detail };
  }

  get busy(): boolean {
    return this.#latest.facts?.state === "backoff";
  }

  add(records: readonly TraceRecord[]): void {
    for (const record of records) {
      // The session was recorded anew: the inspector came back.
      if (record.kind === "session") this.#clear();
      this.#records.push(record);
      apply(this.#latest, record);
    }
  }

  render(): void {
    const { view } = this;
    const tone = toneOf(view.facts);
    setText(this.#state, stateText(view));
    this.#state.dataset.tone = tone;
    setText(this.#model, view.facts?.model ?? "");
    const now = this.live && this.#scrubber.following && !view.ended ? Date.now() : view.t;
    this.#facts.update(view, now);
    this.#chart.update(view);
    this.#rules.update(view);
    this.#failure.update(view);
    this.#messages.update(view);
    this.#events.update(view);
    this.#controls?.update(view, this.#scrubber.following);
    this.#scrubber.update();
  }

  #clear(): void {
    this.#records.length = 0;
    this.#latest = emptyView();
    this.#past = undefined;
  }
}

function stateText({ facts, ended }: SessionView): string {
  if (!facts) return "…";
  const outcome = facts.outcome ? ` · ${facts.outcome.status}${facts.outcome.cut ? ", cut" : ""}` : "";
  const name = facts.state === "settled" ? `settled${outcome}` : (facts.state.split(".").at(-1) ?? "");
  const state = name === "live" ? "running" : name;
  return ended ? `${state} · closed` : state;
}
