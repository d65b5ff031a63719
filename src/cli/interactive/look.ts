import type { Io } from "../io.ts";
import { stylerFor, type Styler } from "../style.ts";

/** How things look: colours, where they are shown, and signs the terminal has. */
export interface Look {
  style: Styler;
  signs: Readonly<Record<Sign, string>>;
  /** What turns while something is under way. */
  spinner: readonly string[];
}

export type Sign =
  | "prompt"
  | "rule"
  | "thinking"
  | "ok"
  | "failed"
  | "retry"
  | "result"
  | "queued"
  | "ellipsis"
  | "dot"
  | "full"
  | "empty";

const SIGNS: Readonly<Record<Sign, string>> = {
  prompt: "❯",
  rule: "─",
  thinking: "│",
  ok: "●",
  failed: "✗",
  retry: "↻",
  result: "└",
  queued: "»",
  ellipsis: "…",
  dot: "·",
  full: "█",
  empty: "░",
};

const ASCII_SIGNS: Readonly<Record<Sign, string>> = {
  prompt: ">",
  rule: "-",
  thinking: "|",
  ok: "*",
  failed: "x",
  retry: "~",
  result: "\\",
  queued: "+",
  ellipsis: "...",
  dot: "-",
  full: "#",
  empty: ".",
};

export function lookOf({ stdout, env }: Pick<Io, "stdout" | "env">): Look {
  const style = stylerFor(stdout, env);
  return hasUnicode(env)
    ? { style, signs: SIGNS, spinner: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] }
    : { style, signs: ASCII_SIGNS, spinner: ["|", "/", "-", "\\"] };
}

/** The locale says so, or says nothing; the console of Linux has too few signs. */
function hasUnicode(env: Io["env"]): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return env["TERM"] !== "linux" && (locale === "" || /utf-?8/i.test(locale));
}
