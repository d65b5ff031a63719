import type { ControlAction } from "../view/records.ts";
import type { SessionView } from "../view/session-view.ts";
import { h, setText } from "./dom.ts";

/** Buttons that tell a session what to do. */
export class Controls {
  readonly element: HTMLElement;
  readonly #session: string;
  readonly #said = h("span", { class: "said", role: "status" });
  readonly #buttons: { button: HTMLButtonElement; isPossible: (state: string) => boolean }[] = [];
  readonly #text = h("input", {
    type: "text",
    placeholder: "Steer the session…",
    "aria-label": "Message to the session",
    autocomplete: "off",
  });
  readonly #send = h("button", { type: "submit" }, "Steer");

  constructor(session: string) {
    this.#session = session;
    const form = h("form", { class: "steer" }, this.#text, this.#send);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.#text.value.trim();
      if (text === "") return;
      this.#text.value = "";
      void this.#ask({ session, action: "steer", text });
    });
    this.element = h(
      "div",
      { class: "controls", role: "group", "aria-label": "Control" },
      this.#button("Abort", "abort", (state) => !isAtRest(state)),
      this.#button("Abort retry", "abortRetry", (state) => state === "backoff"),
      this.#button("Compact", "compact", isAtRest),
      form,
      this.#said,
    );
  }

  /** @param now Whether the view is of this moment: the past cannot be changed. */
  update({ facts, ended }: SessionView, now: boolean): void {
    const over = !now || ended;
    for (const { button, isPossible } of this.#buttons) button.disabled = over || !isPossible(facts?.state ?? "");
    this.#text.disabled = over;
    this.#send.disabled = over;
  }

  #button(name: string, action: "abort" | "abortRetry" | "compact", isPossible: (state: string) => boolean): HTMLButtonElement {
    const button = h("button", { type: "button" }, name);
    button.addEventListener("click", () => void this.#ask({ session: this.#session, action }));
    this.#buttons.push({ button, isPossible });
    return button;
  }

  async #ask(action: ControlAction): Promise<void> {
    setText(this.#said, "");
    try {
      const response = await fetch("control", { method: "POST", body: JSON.stringify(action) });
      if (response.ok) return;
      const answer: unknown = response.status === 409 ? await response.json() : undefined;
      const error =
        typeof answer === "object" && answer !== null && "error" in answer
          ? String(answer.error)
          : `refused (${response.status})`;
      setText(this.#said, error);
    } catch {
      setText(this.#said, "The inspector does not answer.");
    }
  }
}

function isAtRest(state: string): boolean {
  return state === "idle" || state === "settled";
}
