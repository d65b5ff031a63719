import { clockTime } from "../view/format.ts";
import type { TraceRecord } from "../view/records.ts";
import { h, setShown, setText } from "./dom.ts";

/** The longest pause that is played in full, in milliseconds. */
const LONGEST_PAUSE_MS = 1500;

/** Goes back and forth in the records of a session. */
export class Scrubber {
  readonly element: HTMLElement;
  readonly #records: readonly TraceRecord[];
  readonly #live: boolean;
  readonly #onMove: () => void;
  readonly #range = h("input", { type: "range", min: 1, step: 1, "aria-label": "Moment of the session" });
  readonly #time = h("output", { class: "moment" });
  readonly #play = button("Play", "▶");
  readonly #follow: HTMLButtonElement;
  #timer: number | undefined;
  /** How many records count; undefined follows what comes. */
  #count: number | undefined;

  constructor(records: readonly TraceRecord[], live: boolean, onMove: () => void) {
    this.#records = records;
    this.#live = live;
    this.#onMove = onMove;
    this.#follow = h("button", { type: "button", class: "follow" }, live ? "Follow live" : "To the end");
    const back = button("Step back", "◀");
    const forth = button("Step forward", "▶❘");
    back.textContent = "❘◀";
    back.addEventListener("click", () => this.#step(-1));
    forth.addEventListener("click", () => this.#step(1));
    this.#play.addEventListener("click", () => (this.#timer === undefined ? this.#start() : this.#stop()));
    this.#follow.addEventListener("click", () => this.#go(undefined));
    this.#range.addEventListener("input", () => this.#go(Number(this.#range.value)));
    this.element = h(
      "div",
      { class: "scrubber", role: "group", "aria-label": "Time travel" },
      back,
      this.#play,
      forth,
      this.#range,
      this.#time,
      this.#follow,
    );
  }

  get count(): number {
    return this.#count ?? this.#records.length;
  }

  get following(): boolean {
    return this.#count === undefined;
  }

  update(): void {
    const { length } = this.#records;
    this.#range.max = String(Math.max(1, length));
    this.#range.value = String(this.count);
    const t = this.#records[this.count - 1]?.t ?? 0;
    const text = `${clockTime(t)} · ${this.count} of ${length}`;
    this.#range.setAttribute("aria-valuetext", text);
    setText(this.#time, text);
    setShown(this.#follow, !this.following);
  }

  #go(count: number | undefined): void {
    if (count === undefined) this.#stop();
    // At its end a live session is followed again.
    this.#count =
      count === undefined || (this.#live && count >= this.#records.length)
        ? undefined
        : Math.max(1, Math.min(count, this.#records.length));
    this.#onMove();
  }

  /** To the next moment at which a step of the statechart has been told in full, or to the one before. */
  #step(direction: 1 | -1): void {
    this.#stop();
    let count = this.count + direction;
    while (count > 1 && count < this.#records.length && this.#records[count]?.kind !== "step") count += direction;
    this.#go(count);
  }

  #start(): void {
    if (this.count >= this.#records.length) this.#count = 1;
    this.#count = this.count;
    this.#setPlaying(true);
    this.#next();
  }

  #next(): void {
    const [now, then] = [this.#records[this.count - 1], this.#records[this.count]];
    if (!now || !then) return this.#stop();
    const pause = Math.min(LONGEST_PAUSE_MS, Math.max(0, then.t - now.t));
    this.#timer = window.setTimeout(() => {
      this.#go(this.count + 1);
      if (!this.following) this.#next();
      else this.#stop();
    }, pause);
  }

  #stop(): void {
    window.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#setPlaying(false);
  }

  #setPlaying(playing: boolean): void {
    setText(this.#play, playing ? "❚❚" : "▶");
    this.#play.setAttribute("aria-label", playing ? "Pause" : "Play");
  }
}

function button(label: string, sign: string): HTMLButtonElement {
  return h("button", { type: "button", class: "icon", "aria-label": label }, sign);
}
