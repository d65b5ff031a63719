import { didYouMean } from "../close-matches.ts";
import type { RunContext } from "../run-context.ts";
import { keysHelp } from "./bindings.ts";
import { SlashCommandError, type CommandHost, type SlashCommand } from "./command-host.ts";
import { explain } from "./explain-command.ts";
import { begin, exportMarkdown, sessions } from "./session-commands.ts";
import { tokens } from "./status-line.ts";

/** Room for a name and its slash, where names are offered. */
const NAME_COLUMNS = 11;

const MODELS_LISTED = 40;

/** The commands by name, in the order of the help. @throws What they are given can be wrong: errors that say how */
export const slashCommands: Readonly<Record<string, SlashCommand>> = {
  model: {
    usage: "[name]",
    help: "ask another model from now on; without a name, list them",
    run: chooseModel,
    complete: (argument, { context }) => modelNames(context).filter((name) => name.includes(argument)),
  },
  compact: {
    usage: "[what to keep]",
    help: "compact the context now",
    async run(argument, { conversation }) {
      // How it went is told by its events.
      await conversation.session.compact(argument === "" ? undefined : argument).catch(notDone);
    },
  },
  retry: { usage: "", help: "go on with what failed or was interrupted", run: (_, host) => host.goOn() },
  sessions: { usage: "[number | id | file]", help: "list the sessions of this folder, or open one", run: sessions },
  new: { usage: "", help: "begin another session", run: begin },
  explain: { usage: "[error text]", help: "say how an error is judged; without a text, the last failure", run: explain },
  export: { usage: "[file]", help: "write the session as Markdown", run: exportMarkdown },
  help: { usage: "", help: "show commands and keys", run: (_, host) => help(host) },
  quit: { usage: "", help: "leave", run: (_, host) => host.leave() },
};

/** A line that begins with a slash and a word is a command; one that begins with a path is a prompt. */
export function isSlashCommand(text: string): boolean {
  return /^\/[a-z]*(\s|$)/i.test(text);
}

/** @throws SlashCommandError for one that is not known, and what commands throw. */
export async function runSlashCommand(text: string, host: CommandHost): Promise<void> {
  const [, name = "", argument = ""] = /^\/(\S*)\s*([^]*)$/.exec(text.trim()) ?? [];
  const command = Object.hasOwn(slashCommands, name) ? slashCommands[name] : undefined;
  if (!command)
    throw new SlashCommandError(
      `There is no command /${name}.${didYouMean(name, Object.keys(slashCommands)) || " /help lists them."}`,
    );
  await command.run(argument.trim(), host);
}

/** A whole line that the beginning of a command could become. */
export interface Completion {
  line: string;
  /** How it is offered. */
  shown: string;
}

export function completions(text: string, host: CommandHost): Completion[] {
  const [, name, argument] = /^\/([a-z]*)(?: +(\S*))?$/.exec(text) ?? [];
  if (name === undefined) return [];
  if (argument === undefined) {
    return Object.entries(slashCommands)
      .filter(([known]) => known.startsWith(name))
      .map(([known, { usage, help: what }]) => ({
        line: usage === "" ? `/${known}` : `/${known} `,
        shown: `/${known}`.padEnd(NAME_COLUMNS) + what,
      }));
  }
  const values = (Object.hasOwn(slashCommands, name) ? slashCommands[name] : undefined)?.complete?.(argument, host) ?? [];
  return values.map((value) => ({ line: `/${name} ${value}`, shown: value }));
}

async function chooseModel(name: string, { context, conversation, say }: CommandHost): Promise<void> {
  if (name !== "") {
    const { provider, id, contextWindow } = await conversation.chooseModel(name);
    return say(
      `Model: ${provider}/${id}${contextWindow === undefined ? "" : `, window ${tokens(contextWindow)}`}. It answers from the next request on.`,
    );
  }
  const current = conversation.session.state.model;
  const names = modelNames(context);
  const lines = names.slice(0, MODELS_LISTED).map((known) => `${known === current ? "*" : " "} ${known}`);
  return say([`Now: ${current}. /model NAME asks another one; Tab completes.`, ...lines].join("\n"), "plain");
}

function modelNames({ models }: RunContext): string[] {
  return models.map(({ provider, id }) => `${provider}/${id}`);
}

function help({ say }: CommandHost): void {
  const commands = Object.entries(slashCommands).map(
    ([name, { usage, help: what }]) => [`/${name} ${usage}`.trimEnd(), what] as const,
  );
  const rows = (pairs: readonly (readonly [string, string])[]): string => {
    const width = Math.max(...pairs.map(([left]) => left.length));
    return pairs.map(([left, right]) => `${left.padEnd(width)}  ${right}`).join("\n");
  };
  say(`${rows(commands)}\n\n${rows(keysHelp)}`, "plain");
}

function notDone(error: unknown): void {
  if (!(error instanceof Error && error.name === "CompactionError")) throw error;
}
