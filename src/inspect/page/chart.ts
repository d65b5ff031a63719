import { chartLayouts } from "../view/chart-layout.ts";
import { arrowsOf } from "../view/chart-steps.ts";
import { chartSvg } from "../view/chart-svg.ts";
import type { SessionView } from "../view/session-view.ts";
import { section } from "./dom.ts";

const ARROWS: ReadonlySet<string> = new Set(chartLayouts.wide.edges.flatMap(({ steps }) => steps));

/** The statechart, with the state it is in and the arrows it went along last. */
export class Chart {
  readonly element: HTMLElement;
  readonly #id: string;
  #drawn = "";

  constructor(id: string) {
    this.#id = id;
    this.element = section("Statechart", "chart-panel");
    for (const size of ["wide", "narrow", "small"] as const) {
      const figure = document.createElement("div");
      figure.className = `chart-${size}`;
      figure.dataset.size = size;
      figure.innerHTML = chartSvg(chartLayouts[size], { id: `chart-${id}-${size}`, title: "Statechart of the session" });
      this.element.append(figure);
    }
  }

  update({ facts, moved }: SessionView): void {
    const state = facts?.state ?? "";
    const taken = moved ? arrowsOf(moved, ARROWS) : [];
    const drawing = `${state} ${taken.join(" ")} ${moved?.t ?? 0}`;
    if (drawing === this.#drawn) return;
    this.#drawn = drawing;
    const tone = toneOf(facts);
    for (const node of this.element.querySelectorAll("[data-state]")) {
      const name = node.getAttribute("data-state") ?? "";
      node.classList.toggle("active", name === state || state.startsWith(`${name}.`));
      node.setAttribute("data-tone", tone);
    }
    for (const node of this.element.querySelectorAll("[data-steps]")) {
      const steps = (node.getAttribute("data-steps") ?? "").split(" ");
      const isTaken = taken.some((arrow) => steps.includes(arrow));
      node.classList.toggle("taken", isTaken);
      if (node.hasAttribute("marker-end")) this.#mark(node, isTaken);
    }
  }

  #mark(arrow: Element, taken: boolean): void {
    const chart = arrow.closest("[data-size]")?.getAttribute("data-size") ?? "";
    arrow.setAttribute("marker-end", `url(#chart-${this.#id}-${chart}-arrow${taken ? "-taken" : ""})`);
  }
}

/** The colour a state has everywhere on the page. */
export function toneOf(facts: SessionView["facts"]): string {
  if (!facts) return "quiet";
  if (facts.state === "settled")
    return { completed: "good", failed: "bad", aborted: "warn", interrupted: "warn" }[facts.outcome?.status ?? "completed"];
  return { "running.live": "busy", "running.aborting": "warn", backoff: "wait", compacting: "work" }[facts.state] ?? "quiet";
}
