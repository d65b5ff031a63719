import type { Hello } from "../view/records.ts";
import { viewAt, type SessionView } from "../view/session-view.ts";
import { Chart, toneOf } from "./chart.ts";
import { Controls } from "./controls.ts";
import { h, setText } from "./dom.ts";
import { Events } from "./events.ts";
import { Facts } from "./facts.ts";
import { FailureCard } from "./failure.ts";
import { Messages } from "./messages.ts";
import { Rules } from "./rules.ts";
import { Scrubber } from "./scrubber.ts";
import { stateText, type WatchedSession } from "./watched-session.ts";

/** What shows one session, at the moment that is looked at. */
export class SessionPanel {
  readonly element: HTMLElement;
  readonly #session: WatchedSession;
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

  constructor(session: WatchedSession, hello: Hello, onChange: () => void) {
    const { key, title, live, records } = session;
    this.#session = session;
    this.#chart = new Chart(key);
    this.#rules = new Rules(hello.rules);
    this.#controls = live && hello.control ? new Controls(key) : undefined;
    this.#scrubber = new Scrubber(records, live, onChange);
    const controls = this.#controls ? [this.#controls.element] : [];
    this.element = h(
      "article",
      { class: "session", "aria-label": `Session ${title}`, "data-session": key },
      h("header", { class: "session-head" }, h("h2", {}, title), this.#state, this.#model, ...controls),
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

  render(): void {
    const { live } = this.#session;
    const { following } = this.#scrubber;
    const view = following ? this.#session.latest : this.#viewOf(this.#scrubber.count);
    setText(this.#state, stateText(view));
    this.#state.dataset.tone = toneOf(view.facts);
    setText(this.#model, view.facts?.model ?? "");
    this.#facts.update(view, live && following && !view.ended ? Date.now() : view.t);
    this.#chart.update(view);
    this.#rules.update(view);
    this.#failure.update(view);
    this.#messages.update(view);
    this.#events.update(view);
    this.#controls?.update(view, following);
    this.#scrubber.update();
  }

  #viewOf(count: number): SessionView {
    if (this.#past?.count !== count) this.#past = { count, view: viewAt(this.#session.records, count) };
    return this.#past.view;
  }
}
