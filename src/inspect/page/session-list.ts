import { h, setShown, setText } from "./dom.ts";
import type { WatchedSession } from "./watched-session.ts";

/** The list of sessions, each with its state, to choose what is looked at. */
export class SessionList {
  readonly #element: HTMLElement;
  readonly #onChoose: (key: string) => void;
  readonly #tiles = new Map<string, { item: HTMLElement; button: HTMLButtonElement; state: HTMLElement; detail: HTMLElement }>();

  constructor(element: HTMLElement, onChoose: (key: string) => void) {
    this.#element = element;
    this.#onChoose = onChoose;
  }

  /** @param isShown Whether a session is looked at. */
  update(sessions: ReadonlyMap<string, WatchedSession>, isShown: (key: string) => boolean): void {
    setShown(this.#element, sessions.size > 1);
    for (const [key, { item }] of this.#tiles) {
      if (sessions.has(key)) continue;
      item.remove();
      this.#tiles.delete(key);
    }
    for (const [key, session] of sessions) {
      const { button, state, detail } = this.#tiles.get(key) ?? this.#add(session);
      const { summary } = session;
      button.setAttribute("aria-pressed", String(isShown(key)));
      state.dataset.tone = summary.tone;
      setText(state, summary.state);
      setText(detail, summary.detail);
    }
  }

  #add({ key, title }: WatchedSession): { button: HTMLButtonElement; state: HTMLElement; detail: HTMLElement } {
    const state = h("span", { class: "chip" });
    const detail = h("span", { class: "note" });
    const button = h("button", { type: "button", class: "tile" }, h("span", { class: "tile-title" }, title), state, detail);
    button.addEventListener("click", () => this.#onChoose(key));
    const tile = { item: h("li", {}, button), button, state, detail };
    this.#tiles.set(key, tile);
    this.#element.append(tile.item);
    return tile;
  }
}
