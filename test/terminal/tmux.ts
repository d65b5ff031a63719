import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { onTestFinished } from "vitest";

/** How long the screen may take to show what is waited for. */
const PATIENCE_MS = 15_000;
const LOOK_EVERY_MS = 40;

/** A terminal of tmux's, with a shell in it, for the duration of the test. */
export class Tmux {
  /** Home and working folder of the shell. */
  readonly home = mkdtempSync(join(tmpdir(), "agent-session-terminal-"));
  readonly #socket = join(this.home, ".tmux-socket");

  constructor({ columns = 80, rows = 24, env = {} }: { columns?: number; rows?: number; env?: Record<string, string> } = {}) {
    const set = { HOME: this.home, LANG: "C.UTF-8", PS1: "$ ", ENV: "", XDG_STATE_HOME: "", XDG_CONFIG_HOME: "", ...env };
    const variables = Object.entries(set).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    this.#tmux(
      "-u",
      "-f",
      "/dev/null",
      "new-session",
      "-d",
      "-x",
      String(columns),
      "-y",
      String(rows),
      "-c",
      this.home,
      ...variables,
      "bash --norc --noprofile",
    );
    this.#tmux("set-option", "-g", "history-limit", "5000");
    onTestFinished(() => {
      this.#tmux("kill-server");
      rmSync(this.home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    });
  }

  /** Typed as it is. */
  type(text: string): void {
    this.#tmux("send-keys", "-l", text);
  }

  /** Keys by tmux's names: `Enter`, `Escape`, `M-Enter`, `C-c`. */
  press(...keys: string[]): void {
    this.#tmux("send-keys", ...keys);
  }

  line(text: string): void {
    this.type(text);
    this.press("Enter");
  }

  /** A paste, marked as one where the program asked for that. */
  paste(text: string): void {
    this.#tmux("set-buffer", text);
    this.#tmux("paste-buffer", "-p");
  }

  resize(columns: number, rows: number): void {
    this.#tmux("resize-window", "-x", String(columns), "-y", String(rows));
  }

  /** Sends a signal to what runs in front of the shell. */
  kill(signal: NodeJS.Signals): void {
    const shell = this.#tmux("display-message", "-p", "#{pane_pid}").trim();
    const child = readFileSync(`/proc/${shell}/task/${shell}/children`, "utf8").trim().split(" ").at(-1);
    process.kill(Number(child), signal);
  }

  /** What is to be seen. */
  screen(): string {
    return this.#tmux("capture-pane", "-p").trimEnd();
  }

  /** The screen and what has scrolled away. */
  everything(): string {
    return this.#tmux("capture-pane", "-p", "-S", "-").trimEnd();
  }

  cursor(): { column: number; row: number } {
    const [column = NaN, row = NaN] = this.#tmux("display-message", "-p", "#{cursor_x} #{cursor_y}").split(" ").map(Number);
    return { column, row };
  }

  /** Resolves with the screen, once it shows this. */
  async shows(what: string | RegExp): Promise<string> {
    return this.#until(`shows ${String(what)}`, (screen) =>
      typeof what === "string" ? screen.includes(what) : what.test(screen),
    );
  }

  /** Resolves with the screen, once it does not show this any more. */
  async losesSight(of: string): Promise<string> {
    return this.#until(`does not show ${of}`, (screen) => !screen.includes(of));
  }

  /** Keeps the screen for somebody to look at. */
  keep(name: string): void {
    const folder = process.env["TERMINAL_CAPTURES"];
    if (folder !== undefined) writeFileSync(join(folder, `${name}.txt`), `${this.screen()}\n`);
  }

  async #until(what: string, holds: (screen: string) => boolean): Promise<string> {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      const screen = this.screen();
      if (holds(screen)) return screen;
      if (Date.now() > end) throw new Error(`The screen never ${what}. It has:\n${screen}`);
      await wait(LOOK_EVERY_MS);
    }
  }

  #tmux(...args: string[]): string {
    return execFileSync("tmux", ["-S", this.#socket, ...args], { encoding: "utf8" });
  }
}
