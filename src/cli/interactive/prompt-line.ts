import { bindings } from "./bindings.ts";
import { Editor } from "./editor.ts";
import type { History } from "./history.ts";
import type { KeyInput } from "./keys.ts";
import type { Completion } from "./slash-commands.ts";

/** The line at the bottom: what is typed, the prompts of before, and what could be completed. */
export class PromptLine {
  readonly editor = new Editor();
  readonly #history: History;
  readonly #complete: (text: string) => readonly Completion[];

  constructor(history: History, complete: (text: string) => readonly Completion[]) {
    this.#history = history;
    this.#complete = complete;
  }

  get completions(): readonly Completion[] {
    return this.editor.text.startsWith("/") ? this.#complete(this.editor.text) : [];
  }

  handle(input: KeyInput): void {
    if (input.type === "text") this.editor.insert(input.text);
    else if (input.type === "paste") this.editor.paste(input.text);
    else this.#key(input.name);
  }

  /** Gives what is typed, remembers it, and is empty then. */
  take(): string {
    const text = this.editor.fullText;
    this.#history.add(text.trimEnd());
    this.editor.set("");
    return text.trim();
  }

  /** Puts text before what is typed, on lines of its own. */
  putBefore(text: string): void {
    const typed = this.editor.fullText;
    this.editor.set(typed === "" ? text : `${text}\n${typed}`);
  }

  #key(name: string): void {
    switch (name) {
      case "tab":
        return this.#completeLine();
      case "up":
      case "ctrl+p":
        return this.#recall(this.editor.up() ? undefined : this.#history.back(this.editor.fullText));
      case "down":
      case "ctrl+n":
        return this.#recall(this.editor.down() ? undefined : this.#history.forth());
      default:
        return bindings[name]?.(this.editor);
    }
  }

  #recall(prompt: string | undefined): void {
    if (prompt !== undefined) this.editor.set(prompt);
  }

  /** As far as all that is possible agrees. */
  #completeLine(): void {
    const lines = this.completions.map(({ line }) => line);
    if (lines.length > 0) this.editor.set(sharedBeginning(lines));
  }
}

function sharedBeginning(lines: readonly string[]): string {
  return lines.reduce((shared, line) => {
    let length = 0;
    while (length < shared.length && shared[length] === line[length]) length++;
    return shared.slice(0, length);
  });
}
