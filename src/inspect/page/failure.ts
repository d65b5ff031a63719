import type { Failure } from "../../errors/types.ts";
import { clockTime, duration } from "../view/format.ts";
import type { SessionView } from "../view/session-view.ts";
import { h, section } from "./dom.ts";

const VERDICTS: Record<Failure["action"], string> = {
  retry: "retry: it may pass",
  compact: "compact: the request was too long",
  stop: "stop: repeating will not help",
};

/** The failure of the last reply, with the verdict on it and what decided. */
export class FailureCard {
  readonly element: HTMLElement;
  readonly #body = h("div");
  #shown: SessionView["failure"] | null = null;

  constructor() {
    this.element = section("Failure", "failure", this.#body);
    this.update({ failure: undefined });
  }

  update({ failure }: Pick<SessionView, "failure">): void {
    if (failure === this.#shown) return;
    this.#shown = failure;
    if (!failure) {
      this.#body.replaceChildren(h("p", { class: "note" }, "None: the last reply was good, or there is none yet."));
      return;
    }
    const { action, kind, message, hint, why, rule, status, code, requestId, retryAfterMs, causes } = failure.failure;
    const rows: [string, string | number | undefined][] = [
      ["kind", kind],
      ["why", why],
      ["rule", rule],
      ["status", status],
      ["code", code],
      ["request id", requestId],
      ["wait demanded", retryAfterMs === undefined ? undefined : duration(retryAfterMs)],
      [
        "causes",
        causes
          .map(({ name, message: text, code: causeCode }) => [name, causeCode, text].filter(Boolean).join(": "))
          .join(" ← ") || undefined,
      ],
      ["at", clockTime(failure.t)],
    ];
    this.#body.replaceChildren(
      h("p", { class: "verdict-line", "data-action": action }, VERDICTS[action]),
      h("p", { class: "failure-text" }, message),
      h("p", { class: "hint" }, hint),
      h(
        "dl",
        {},
        ...rows.flatMap(([name, value]) =>
          value === undefined ? [] : [h("div", {}, h("dt", {}, name), h("dd", {}, String(value)))],
        ),
      ),
    );
  }
}
