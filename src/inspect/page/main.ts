import type { Hello, TraceRecord } from "../view/records.ts";
import { h, setShown, setText } from "./dom.ts";
import { SessionPanel } from "./session-panel.ts";

/** The page: a list of sessions, and the panels of those that are looked at. */
class Page {
  readonly #panels = new Map<string, SessionPanel>();
  readonly #tiles = new Map<string, { button: HTMLButtonElement; state: HTMLElement; detail: HTMLElement }>();
  readonly #list = element("sessions");
  readonly #main = element("main");
  readonly #empty = element("empty");
  readonly #connection = element("connection");
  readonly #mode = element("mode");
  readonly #announcement = element("announcement");
  #sideBySide = false;
  #selected: string | undefined;
  #awaited = false;

  /** Listens to the inspector, for as long as the page is open. */
  start(): void {
    const source = new EventSource("events");
    source.addEventListener("open", () => this.#connected(true));
    source.addEventListener("error", () => this.#connected(false));
    source.addEventListener("hello", ({ data }: MessageEvent<string>) => this.#greet(JSON.parse(data) as Hello));
    source.addEventListener("records", ({ data }: MessageEvent<string>) => {
      const { session, records } = JSON.parse(data) as { session: string; records: TraceRecord[] };
      this.#panels.get(session)?.add(records);
      this.#render();
    });
    this.#mode.addEventListener("click", () => {
      this.#sideBySide = !this.#sideBySide;
      this.#mode.setAttribute("aria-pressed", String(this.#sideBySide));
      this.#render();
    });
    // A countdown goes on between two records.
    window.setInterval(() => {
      if ([...this.#panels.values()].some(({ busy, live }) => busy && live)) this.#render();
    }, 100);
  }

  #connected(connected: boolean): void {
    setText(this.#connection, connected ? "connected" : "connection lost");
    this.#connection.dataset.tone = connected ? "good" : "bad";
  }

  #greet(hello: Hello): void {
    document.body.dataset.control = String(hello.control);
    for (const session of hello.sessions) {
      if (this.#panels.has(session.key)) continue;
      const panel = new SessionPanel(session, hello, () => this.#render());
      this.#panels.set(session.key, panel);
      this.#main.append(panel.element);
      this.#list.append(this.#tile(panel));
    }
    this.#selected ??= hello.sessions[0]?.key;
    setText(element("permission"), hello.control ? "control on" : "read only");
    this.#render();
  }

  #tile(panel: SessionPanel): HTMLElement {
    const state = h("span", { class: "chip" });
    const detail = h("span", { class: "note" });
    const button = h("button", { type: "button", class: "tile" }, h("span", { class: "tile-title" }, panel.title), state, detail);
    button.addEventListener("click", () => {
      this.#selected = panel.key;
      this.#render();
    });
    this.#tiles.set(panel.key, { button, state, detail });
    return h("li", {}, button);
  }

  /** Draws with the next frame, once, however much comes until then. */
  #render(): void {
    if (this.#awaited) return;
    this.#awaited = true;
    window.requestAnimationFrame(() => {
      this.#awaited = false;
      this.#draw();
    });
  }

  #draw(): void {
    const many = this.#panels.size > 1;
    setShown(this.#empty, this.#panels.size === 0);
    setShown(this.#mode, many);
    setShown(this.#list, many);
    document.body.classList.toggle("side-by-side", this.#sideBySide && many);
    for (const [key, panel] of this.#panels) {
      const shown = (this.#sideBySide && many) || key === this.#selected;
      setShown(panel.element, shown);
      if (shown) panel.render();
      this.#drawTile(key, panel, shown);
    }
    const selected = this.#panels.get(this.#selected ?? "");
    // Screen readers are told of states, not of every number.
    if (selected) setText(this.#announcement, `Session ${selected.title}: ${selected.summary.state} ${selected.summary.detail}`);
  }

  #drawTile(key: string, panel: SessionPanel, shown: boolean): void {
    const tile = this.#tiles.get(key);
    if (!tile) return;
    const { state, tone, detail } = panel.summary;
    tile.button.setAttribute("aria-pressed", String(shown));
    tile.state.dataset.tone = tone;
    setText(tile.state, state);
    setText(tile.detail, detail);
  }
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element "${id}".`);
  return found;
}

const page = new Page();
page.start();
