import type { Hello, TraceRecord } from "../view/records.ts";
import { setShown, setText } from "./dom.ts";
import { SessionList } from "./session-list.ts";
import { SessionPanel } from "./session-panel.ts";
import { WatchedSession } from "./watched-session.ts";

/** The page: a list of sessions, and the panels of those that are looked at. */
class Page {
  readonly #sessions = new Map<string, WatchedSession>();
  /** Made when a session is looked at for the first time. */
  readonly #panels = new Map<string, SessionPanel>();
  readonly #list = new SessionList(element("sessions"), (key) => this.#choose(key));
  readonly #main = element("main");
  readonly #empty = element("empty");
  readonly #connection = element("connection");
  readonly #mode = element("mode");
  readonly #announcement = element("announcement");
  #hello: Hello | undefined;
  #sideBySide = false;
  #chosen: string | undefined;
  #awaited = false;

  /** Listens to the inspector, for as long as the page is open. */
  start(): void {
    const source = new EventSource("events");
    source.addEventListener("open", () => this.#connected(true));
    source.addEventListener("error", () => this.#connected(false));
    source.addEventListener("hello", ({ data }: MessageEvent<string>) => this.#greet(JSON.parse(data) as Hello));
    source.addEventListener("records", ({ data }: MessageEvent<string>) => {
      const { session, records } = JSON.parse(data) as { session: string; records: TraceRecord[] };
      this.#sessions.get(session)?.add(records);
      this.#render();
    });
    this.#mode.addEventListener("click", () => {
      this.#sideBySide = !this.#sideBySide;
      this.#mode.setAttribute("aria-pressed", String(this.#sideBySide));
      this.#render();
    });
    // A countdown goes on between two records.
    window.setInterval(() => {
      if ([...this.#sessions.values()].some(({ counts }) => counts)) this.#render();
    }, 100);
  }

  #connected(connected: boolean): void {
    setText(this.#connection, connected ? "connected" : "connection lost");
    this.#connection.dataset.tone = connected ? "good" : "bad";
  }

  #greet(hello: Hello): void {
    this.#hello = hello;
    const keys = new Set(hello.sessions.map(({ key }) => key));
    for (const key of this.#sessions.keys()) if (!keys.has(key)) this.#forget(key);
    for (const session of hello.sessions) {
      if (!this.#sessions.has(session.key)) this.#sessions.set(session.key, new WatchedSession(session));
    }
    this.#chosen ??= hello.sessions[0]?.key;
    setText(element("permission"), hello.control ? "control on" : "read only");
    this.#render();
  }

  #forget(key: string): void {
    this.#sessions.delete(key);
    this.#panels.get(key)?.element.remove();
    this.#panels.delete(key);
    if (this.#chosen === key) this.#chosen = undefined;
  }

  #choose(key: string): void {
    this.#chosen = key;
    this.#render();
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
    const sideBySide = this.#sideBySide && this.#sessions.size > 1;
    setShown(this.#empty, this.#sessions.size === 0);
    setShown(this.#mode, this.#sessions.size > 1);
    document.body.classList.toggle("side-by-side", sideBySide);
    const isShown = (key: string): boolean => sideBySide || key === this.#chosen;
    for (const [key, session] of this.#sessions) {
      const panel = this.#panels.get(key) ?? (isShown(key) ? this.#open(session) : undefined);
      if (!panel) continue;
      setShown(panel.element, isShown(key));
      if (isShown(key)) panel.render();
    }
    this.#list.update(this.#sessions, isShown);
    const chosen = this.#sessions.get(this.#chosen ?? "");
    // Screen readers are told of states, not of every number.
    if (chosen) setText(this.#announcement, `Session ${chosen.title}: ${chosen.summary.state} ${chosen.summary.detail}`);
  }

  #open(session: WatchedSession): SessionPanel | undefined {
    if (!this.#hello) return undefined;
    const panel = new SessionPanel(session, this.#hello, () => this.#render());
    this.#panels.set(session.key, panel);
    // In the order of the list, whatever was looked at first.
    const later = [...this.#panels].find(([key]) => Number(key) > Number(session.key));
    this.#main.insertBefore(panel.element, later?.[1].element ?? null);
    return panel;
  }
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element "${id}".`);
  return found;
}

const page = new Page();
page.start();
