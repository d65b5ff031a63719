import type { SessionState } from "../../session/state.ts";
import type { Io } from "../io.ts";
import { oneLine } from "../sessions/describe.ts";
import { activityRow, nextTickMs, turnOf } from "./activity.ts";
import type { Editor } from "./editor.ts";
import { layoutEditor } from "./editor-layout.ts";
import { LiveScreen, type Frame, type Size } from "./live-screen.ts";
import type { Look } from "./look.ts";
import { statusLine } from "./status-line.ts";
import { fit, textWidth } from "./text-width.ts";
import type { Transcript } from "./transcript.ts";

/** Deltas that come within so many milliseconds are drawn together. */
const FRAME_MS = 25;

const MOST_TOOL_ROWS = 6;
const MOST_QUEUE_ROWS = 4;
const MOST_SUGGESTIONS = 10;
const SIGN_COLUMNS = 2;

/** What the view shows, as it is now. */
export interface Shown {
  state: SessionState;
  /** What the run under way is at, and since when. */
  activity: { what: string; since: number };
  /** Messages that wait, as texts. */
  queue: { steering: readonly string[]; followUp: readonly string[]; sending: string | undefined };
  contextTokens: number;
  /** US dollars; undefined when no price is known. */
  cost: number | undefined;
  /** Further facts for the status line, most important first. */
  about: readonly string[];
  /** Goes before the status line. */
  notice: string | undefined;
  /** What could be completed, below the prompt. */
  suggestions: readonly string[];
}

/** Draws all there is to see: at once after a key, soon after anything else, and steadily while something moves. */
export class View {
  readonly #io: Io;
  readonly #look: Look;
  readonly #screen: LiveScreen;
  readonly #transcript: Transcript;
  readonly #editor: Editor;
  readonly #shown: () => Shown;
  #cancel: (() => void) | undefined;
  #dueAt = Infinity;
  #hidden = false;
  #waitsForDrain = false;

  constructor(io: Io, write: (text: string) => unknown, look: Look, transcript: Transcript, editor: Editor, shown: () => Shown) {
    this.#io = io;
    this.#look = look;
    this.#screen = new LiveScreen(write);
    this.#transcript = transcript;
    this.#editor = editor;
    this.#shown = shown;
  }

  /** Something changed. */
  request(): void {
    this.#schedule(FRAME_MS);
  }

  draw(): void {
    if (this.#hidden) return;
    this.#unschedule();
    const { stdout } = this.#io;
    // A terminal at the end of a slow line gets fewer frames, and never old ones.
    if (stdout.writableNeedDrain) {
      if (!this.#waitsForDrain) stdout.once("drain", () => this.#drained());
      this.#waitsForDrain = true;
      return;
    }
    const shown = this.#shown();
    const frame = this.#compose(shown);
    this.#screen.draw(frame, this.#transcript.takeFinished(), sizeOf(this.#io));
    const next = nextTickMs(shown.state, this.#io.clock.now());
    if (next !== undefined) this.#schedule(next);
  }

  /** Takes the part that is drawn anew off the screen, and draws nothing until `show`. */
  hide(): void {
    this.#unschedule();
    this.#screen.clear();
    this.#hidden = true;
  }

  /** Draws again, below whatever is on the screen by now. */
  show(): void {
    this.#hidden = false;
    this.#screen.forget();
    this.draw();
  }

  /** An empty screen, and all that is not finished on it. */
  redraw(): void {
    this.#screen.clearAll();
    this.draw();
  }

  /** Draws what is finished a last time, without what is drawn anew; nothing is drawn from then on. */
  close(): void {
    this.#transcript.limitAnswer(0);
    this.#screen.draw({ rows: [""], cursor: { row: 0, column: 0 } }, this.#transcript.takeFinished(), sizeOf(this.#io));
    this.hide();
  }

  #drained(): void {
    this.#waitsForDrain = false;
    this.draw();
  }

  #schedule(milliseconds: number): void {
    const at = this.#io.clock.now() + milliseconds;
    if (this.#hidden || at >= this.#dueAt) return;
    this.#cancel?.();
    this.#dueAt = at;
    this.#cancel = this.#io.clock.after(milliseconds, () => this.draw());
  }

  #unschedule(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#dueAt = Infinity;
  }

  #compose(shown: Shown): Frame {
    const size = sizeOf(this.#io);
    const [columns, height] = [size.columns - 1, size.rows - 1];
    const { style, signs } = this.#look;
    const editor = layoutEditor(this.#editor, columns - SIGN_COLUMNS, Math.max(1, Math.floor(height / 3)));
    const prompt = editor.rows.map((row, index) => `${index === 0 ? style("cyan", signs.prompt) : " "} ${row}`);
    const rule = style("dim", signs.rule.repeat(columns));
    const suggestions = shown.suggestions
      .slice(0, MOST_SUGGESTIONS)
      .map((row) => style("dim", fit(row, columns, signs.ellipsis)));
    const status =
      shown.notice === undefined
        ? statusLine(shown, this.#look, columns)
        : style("yellow", fit(shown.notice, columns, signs.ellipsis));
    const tools = this.#transcript.toolRows(turnOf(this.#look, this.#io.clock.now())).slice(-MOST_TOOL_ROWS);
    const middle = ["", ...tools, ...this.#activity(shown, columns), ...queueRows(shown, this.#look, columns), rule];
    const below = [...suggestions, status];
    const room = height - middle.length - prompt.length - below.length;
    // Half the screen: a narrower window makes the frame taller, and what then leaves the screen cannot be drawn anew.
    this.#transcript.limitAnswer(Math.max(1, Math.min(room, Math.floor(height / 2))));
    const answer = this.#transcript.answer.rows(columns);
    const rows = [...answer, ...middle, ...prompt, ...below];
    const cursorRow = answer.length + middle.length + editor.cursor.row;
    // On a screen too low for all of it, what is nearest to the prompt is shown.
    const cut = Math.max(0, rows.length - Math.max(1, height));
    const first = Math.min(cut, cursorRow);
    return {
      rows: rows.slice(first, first + Math.max(1, height)),
      cursor: { row: cursorRow - first, column: editor.cursor.column + SIGN_COLUMNS },
    };
  }

  #activity({ state, activity }: Shown, columns: number): string[] {
    const { style, signs } = this.#look;
    const found = activityRow(state, activity.what, activity.since, this.#io.clock.now(), this.#look);
    if (!found) return [];
    const hint = found.hint === "" ? "" : ` ${signs.dot} ${found.hint}`;
    return [textWidth(found.row) + textWidth(hint) <= columns ? found.row + style("dim", hint) : found.row];
  }
}

function queueRows({ queue, state }: Shown, { style, signs }: Look, columns: number): string[] {
  const { steering, followUp, sending } = queue;
  const waiting = state.steering.length + state.followUp.length;
  const known = steering.length + followUp.length === waiting;
  const rows = [
    ...(sending === undefined ? [] : [`next: ${oneLine(sending, columns)}`]),
    ...(known
      ? [
          ...steering.map((text) => `steering: ${oneLine(text, columns)}`),
          ...followUp.map((text) => `later: ${oneLine(text, columns)}`),
        ]
      : [`${waiting} messages wait`]),
  ];
  const shown =
    rows.length > MOST_QUEUE_ROWS
      ? [...rows.slice(0, MOST_QUEUE_ROWS - 1), `${rows.length - MOST_QUEUE_ROWS + 1} more wait`]
      : rows;
  return shown.map((row) => style("dim", fit(`${signs.queued} ${row}`, columns, signs.ellipsis)));
}

/** What a terminal says of itself; 80 by 24 where it says nothing. */
export function sizeOf({ stdout }: Pick<Io, "stdout">): Size {
  return { columns: Math.max(10, stdout.columns ?? 80), rows: stdout.rows ?? 24 };
}
