import { commands } from "./commands.ts";
import { runOptions, type OptionSpec } from "./options.ts";

const INTRO = `Usage: agent-session [options] "question" ["next question" …]
       agent-session <command>

Asks a model, with tools, in a session that survives overloads, throttles, dropped connections and a full context.
A prompt (as argument, @file or on stdin) is answered on stdout; without one, on a terminal, you talk with it.
`;

const OUTRO = `
Exit codes: 0 answered; 1 failed, or the answer was cut; 2 wrong usage; 75 quota used up, try later; 130 aborted (Ctrl-C).
Keys: ANTHROPIC_API_KEY, OPENAI_API_KEY. Each setting has a variable too, as in AGENT_SESSION_RETRY_MAX_RETRIES.

  agent-session "Why is the sky blue?"
  git diff | agent-session "Write a commit message"
  agent-session --base-url http://localhost:11434/v1 --model qwen3 "Hello"
`;

/** The text of `--help`. */
export function helpText(): string {
  const groups = new Map<string, string[][]>();
  for (const [name, option] of Object.entries<OptionSpec>(runOptions)) {
    const rows = groups.get(option.group) ?? [];
    groups.set(option.group, rows);
    rows.push([
      `${option.short === undefined ? "    " : `-${option.short}, `}--${name}${option.value === undefined ? "" : ` ${option.value}`}`,
      option.help,
    ]);
  }
  const commandRows = Object.values(commands).map(({ usage, help }) => [usage, help]);
  const width = Math.max(...[...groups.values(), commandRows].flat().map(([left = ""]) => left.length));
  const section = ([title, rows]: readonly [string, string[][]]): string =>
    `\n${title}\n${rows.map(([left = "", right = ""]) => `  ${left.padEnd(width)}  ${right}\n`).join("")}`;
  return INTRO + [...groups, ["Commands", commandRows] as const].map(section).join("") + OUTRO;
}
