import { clockTime } from "../view/format.ts";
import type { RuleText } from "../view/records.ts";
import type { SessionView } from "../view/session-view.ts";
import { h, section, setText } from "./dom.ts";

/** The run-after check, rule by rule, with the one that decided last. */
export class Rules {
  readonly element: HTMLElement;
  readonly #rules: readonly RuleText[];
  readonly #items: readonly { element: HTMLElement; verdict: HTMLElement }[];
  readonly #note = h("p", { class: "note" });

  constructor(rules: readonly RuleText[]) {
    this.#rules = rules;
    this.#items = rules.map(({ name, when, then }) => {
      const verdict = h("span", { class: "verdict" });
      const element = h(
        "li",
        { "data-rule": name },
        h("div", { class: "rule-head" }, h("strong", {}, name), verdict),
        h("div", { class: "rule-when" }, `${plain(when)} `, h("span", { class: "arrow" }, "→"), ` ${plain(then)}`),
      );
      return { element, verdict };
    });
    this.element = section("Run-after check", "rules", this.#note, h("ol", {}, ...this.#items.map(({ element }) => element)));
  }

  update({ checked }: SessionView): void {
    const fired = checked ? this.#rules.findIndex(({ name }) => name === checked.rule) : -1;
    setText(
      this.#note,
      checked
        ? `Made last at ${clockTime(checked.t)}. The first rule that matches decides.`
        : "Made after each run: the first rule that matches decides.",
    );
    for (const [index, { element, verdict }] of this.#items.entries()) {
      const state = fired === -1 ? "" : index < fired ? "passed" : index === fired ? "fired" : "unread";
      if (element.dataset.verdict === state) continue;
      element.dataset.verdict = state;
      setText(verdict, { "": "", passed: "no match", fired: "decided", unread: "not reached" }[state] ?? "");
    }
  }
}

function plain(text: string): string {
  return text.replaceAll("`", "");
}
