import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sessionsDirectory } from "../../log/index.ts";
import type { Io } from "../io.ts";

/** Prompts kept. The file may hold twice as many before it is cut. */
const KEPT = 1_000;

/** Where prompts are kept: beside the sessions, one JSON string a line. */
export function historyPath(env: Io["env"]): string {
  return join(dirname(sessionsDirectory(env)), "prompt-history.jsonl");
}

/** What was typed before, oldest first, and the way back and forth in it. */
export class History {
  readonly #path: string | undefined;
  readonly #prompts: string[];
  #place: number;
  /** What was being typed when the way back began. */
  #draft = "";

  /** @param path Undefined: kept in memory only. What cannot be read there counts as nothing. */
  constructor(path: string | undefined) {
    this.#path = path;
    this.#prompts = path === undefined ? [] : read(path);
    this.#place = this.#prompts.length;
  }

  /** Remembers a prompt; not one that repeats the last, nor, as in shells, one that begins with a space. */
  add(prompt: string): void {
    if (prompt.trim() !== "" && !prompt.startsWith(" ") && prompt !== this.#prompts.at(-1)) {
      this.#prompts.push(prompt);
      this.#append(prompt);
    }
    this.#place = this.#prompts.length;
    this.#draft = "";
  }

  /** The prompt before the one shown; undefined when there is none. */
  back(shown: string): string | undefined {
    if (this.#place === 0) return undefined;
    if (this.#place === this.#prompts.length) this.#draft = shown;
    this.#place--;
    return this.#prompts[this.#place];
  }

  /** The one after it, in the end what was being typed; undefined when it is that already. */
  forth(): string | undefined {
    if (this.#place === this.#prompts.length) return undefined;
    this.#place++;
    return this.#place === this.#prompts.length ? this.#draft : this.#prompts[this.#place];
  }

  /** A history that cannot be written is none worth stopping for. */
  #append(prompt: string): void {
    if (this.#path === undefined) return;
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      appendFileSync(this.#path, `${JSON.stringify(prompt)}\n`, { mode: 0o600 });
    } catch {
      return;
    }
  }
}

function read(path: string): string[] {
  try {
    const prompts = readFileSync(path, "utf8").split("\n").flatMap(promptOf);
    const kept = prompts.slice(-KEPT);
    if (prompts.length > 2 * KEPT) {
      // Under another name first: another process may be reading, and a crash in between loses nothing.
      const next = `${path}.${process.pid}`;
      writeFileSync(next, kept.map((prompt) => `${JSON.stringify(prompt)}\n`).join(""), { mode: 0o600 });
      renameSync(next, path);
    }
    return kept;
  } catch {
    return [];
  }
}

function promptOf(line: string): string[] {
  try {
    const prompt: unknown = JSON.parse(line);
    return typeof prompt === "string" ? [prompt] : [];
  } catch {
    return [];
  }
}
