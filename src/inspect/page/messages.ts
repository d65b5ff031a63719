import { messageRows, type MessageRow } from "../view/message-rows.ts";
import type { SessionView } from "../view/session-view.ts";
import { h, scroller, section, setShown, setText } from "./dom.ts";

/** Messages that are drawn; older ones are counted. */
const DRAWN = 200;

/** A text with more than this is folded. */
const LONGEST_LINES = 8;
const LONGEST_LETTERS = 700;

/** The messages, with what is left out of the model's view and why, and the reply that streams in. */
export class Messages {
  readonly element: HTMLElement;
  readonly #list = h("ol", { class: "message-list" });
  readonly #older = h("p", { class: "note" });
  readonly #streaming = h("div", { class: "message streaming" });
  readonly #streamed = h("p", { class: "text" });
  readonly #scroller: HTMLElement;
  #drawn = "";

  constructor() {
    this.#streaming.append(
      h("div", { class: "message-head" }, h("strong", {}, "assistant"), h("span", { class: "badge" }, "streaming")),
      this.#streamed,
    );
    this.#scroller = scroller("Messages of the session", h("div", {}, this.#older, this.#list, this.#streaming));
    this.element = section(
      "Messages",
      "messages",
      h("p", { class: "note" }, "What the model is shown. Crossed-out ones it is not."),
      this.#scroller,
    );
  }

  update({ id, entries, earlier, streaming }: SessionView): void {
    const atEnd = this.#scroller.scrollHeight - this.#scroller.scrollTop - this.#scroller.clientHeight < 40;
    const drawing = `${id} ${entries.length} ${entries.at(-1)?.id ?? ""}`;
    if (drawing !== this.#drawn) {
      this.#drawn = drawing;
      const rows = messageRows(entries);
      const older = Math.max(0, rows.length - DRAWN);
      this.#list.replaceChildren(...rows.slice(older).map(messageItem));
      setText(this.#older, older + earlier > 0 ? `${older + earlier} older entries are not listed.` : "");
    }
    const text = [streaming.thinking, streaming.text, streaming.toolCall].filter(Boolean).join("\n");
    setShown(this.#streaming, text !== "");
    setText(this.#streamed, text);
    if (atEnd) this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }
}

function messageItem({ who, text, thinking, calls, error, shown, why }: MessageRow): HTMLElement {
  const badges = [why === "" ? undefined : h("span", { class: "badge" }, shown ? why : `not shown to the model: ${why}`)];
  return h(
    "li",
    { class: `message${shown ? "" : " omitted"}`, "data-who": who.split(" ")[0] },
    h("div", { class: "message-head" }, h("strong", {}, who), ...badges.filter((badge) => badge !== undefined)),
    ...(thinking === "" ? [] : [textBlock(thinking, "thinking")]),
    ...(text === "" ? [] : [textBlock(text, "")]),
    ...calls.map((call) => textBlock(call, "call")),
    ...(error === "" ? [] : [h("p", { class: "text error" }, error)]),
  );
}

/** A text; a long one by its beginning, with the whole of it to be opened. */
function textBlock(text: string, kind: string): HTMLElement {
  const lines = text.split("\n");
  const shown = h("p", { class: `text ${kind}` });
  if (lines.length <= LONGEST_LINES && text.length <= LONGEST_LETTERS) {
    shown.append(text);
    return shown;
  }
  shown.append(`${lines.slice(0, LONGEST_LINES).join("\n").slice(0, LONGEST_LETTERS)} …`);
  const whole = h(
    "details",
    {},
    h("summary", {}, `All of it: ${lines.length} lines, ${text.length} letters`),
    h("p", { class: `text ${kind}` }, text),
  );
  return h("div", {}, shown, whole);
}
