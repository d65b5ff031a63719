import { EVENT_GROUPS, type EventGroup, type EventRow } from "../view/event-rows.ts";
import { clockTime } from "../view/format.ts";
import type { SessionView } from "../view/session-view.ts";
import { h, scroller, section, setText } from "./dom.ts";

/** Lines that are drawn; older ones are counted. */
const DRAWN = 400;

/** The event log, newest last, with a filter for each kind and one for words. */
export class Events {
  readonly element: HTMLElement;
  readonly #body = h("tbody");
  readonly #older = h("p", { class: "note" });
  readonly #scroller: HTMLElement;
  readonly #hidden = new Set<EventGroup>();
  readonly #search = h("input", {
    type: "search",
    placeholder: "Find…",
    "aria-label": "Find in the events",
    spellcheck: "false",
  });
  #rows: readonly EventRow[] = [];
  #drawn = 0;

  constructor() {
    const table = h(
      "table",
      {},
      h(
        "thead",
        { class: "unseen" },
        h("tr", {}, ...["time", "about", "event", "details"].map((name) => h("th", { scope: "col" }, name))),
      ),
      this.#body,
    );
    this.#scroller = scroller("Events of the session", h("div", {}, this.#older, table));
    this.#search.addEventListener("input", () => this.#redraw());
    const filters = EVENT_GROUPS.map((group) => this.#filter(group));
    this.element = section(
      "Events",
      "events",
      h("div", { class: "filters", role: "group", "aria-label": "Kinds of events" }, ...filters, this.#search),
      this.#scroller,
    );
  }

  update({ rows }: SessionView): void {
    if (rows !== this.#rows) {
      this.#rows = rows;
      this.#redraw();
    } else if (rows.length > this.#drawn) this.#append();
  }

  #filter(group: EventGroup): HTMLElement {
    const button = h("button", { type: "button", class: "filter", "aria-pressed": "true", "data-group": group }, group);
    button.addEventListener("click", () => {
      const shown = this.#hidden.delete(group);
      if (!shown) this.#hidden.add(group);
      button.setAttribute("aria-pressed", String(shown));
      this.#redraw();
    });
    return button;
  }

  #redraw(): void {
    this.#body.replaceChildren();
    this.#drawn = 0;
    this.#append();
  }

  #append(): void {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    const atEnd = scrollHeight - scrollTop - clientHeight < 40;
    const added = this.#rows.slice(this.#drawn).filter((row) => this.#isWanted(row));
    this.#drawn = this.#rows.length;
    this.#body.append(...added.slice(-DRAWN).map(line));
    while (this.#body.rows.length > DRAWN) this.#body.deleteRow(0);
    setText(this.#older, this.#rows.length > DRAWN ? `The newest ${DRAWN} of ${this.#rows.length}.` : "");
    if (atEnd) this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  #isWanted({ group, name, detail }: EventRow): boolean {
    const words = this.#search.value.trim().toLowerCase();
    return !this.#hidden.has(group) && (words === "" || `${name} ${detail}`.toLowerCase().includes(words));
  }
}

function line({ t, group, name, detail, bad }: EventRow): HTMLElement {
  return h(
    "tr",
    { class: bad ? "bad" : "", "data-event": name },
    h("td", { class: "time" }, clockTime(t)),
    h("td", {}, h("span", { class: "group", "data-group": group }, group)),
    h("td", { class: "name" }, name),
    h("td", { class: "detail" }, detail),
  );
}
