import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { durationText, explainFailure, explanationText } from "../../errors/index.ts";
import { listSessions, type SessionSummary } from "../../log/index.ts";
import { didYouMean } from "../close-matches.ts";
import { defaultDelaysMs } from "../explain.ts";
import type { RunContext } from "../run-context.ts";
import { oneLine, printable } from "../sessions/describe.ts";
import { findSession } from "../sessions/find.ts";
import { toMarkdown } from "../sessions/markdown.ts";
import type { Style } from "../style.ts";
import { keysHelp } from "./bindings.ts";
import type { Conversation } from "./conversation.ts";
import { tokens } from "./status-line.ts";

/** Room for a name and its slash, where names are offered. */
const NAME_COLUMNS = 11;

const SESSIONS_LISTED = 15;
const MODELS_LISTED = 40;

/** What a command can do beside speaking to the session. */
export interface CommandHost {
  readonly context: RunContext;
  readonly conversation: Conversation;
  readonly say: (text: string, style?: Style | "plain") => void;
  /** Goes on with what is unfinished. */
  readonly goOn: () => Promise<void>;
  /** Says what session it is now. */
  readonly greet: () => void;
  readonly leave: () => void;
}

export interface SlashCommand {
  /** Behind the name: what it takes. */
  usage: string;
  help: string;
  run(argument: string, host: CommandHost): void | Promise<void>;
  /** What its argument could be. */
  complete?(argument: string, host: CommandHost): string[];
}

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
  new: {
    usage: "",
    help: "begin another session",
    async run(_, host) {
      atRest(host);
      await host.conversation.begin();
      host.greet();
    },
  },
  explain: { usage: "[error text]", help: "say how an error is judged; without a text, the last failure", run: explain },
  export: { usage: "[file]", help: "write the session as Markdown", run: exportMarkdown },
  help: { usage: "", help: "show commands and keys", run: (_, host) => help(host) },
  quit: { usage: "", help: "leave", run: (_, host) => host.leave() },
};

/** Something a person can mend. */
export class SlashCommandError extends Error {
  override readonly name = "SlashCommandError";
}

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

async function sessions(argument: string, host: CommandHost): Promise<void> {
  const { context, conversation, say, greet } = host;
  const { sessionDirectory, io } = context;
  if (sessionDirectory === undefined)
    throw new SlashCommandError("Sessions are kept in memory only (--no-session): there is none beside this one.");
  const known = listSessions(sessionDirectory).slice(0, SESSIONS_LISTED);
  if (argument === "") {
    if (known.length === 0) return say("There is no session in this folder yet.");
    const lines = known.map((session, index) => sessionLine(session, index + 1, conversation.session.log.path, io.clock.now()));
    return say(["/sessions NUMBER opens one.", ...lines].join("\n"), "plain");
  }
  atRest(host);
  const path = known[Number(argument) - 1]?.path ?? findSession(argument, io.cwd, [sessionDirectory]);
  if (path === conversation.session.log.path) return say("This session is open already.");
  await conversation.open(path);
  return greet();
}

function sessionLine(
  { path, modifiedAt, name, firstMessage, id }: SessionSummary,
  number: number,
  open: string | undefined,
  now: number,
): string {
  const age = durationText(Math.max(1000, Math.round((now - modifiedAt) / 1000) * 1000))
    .split(" ")
    .slice(0, 2)
    .join(" ");
  return `${path === open ? "*" : " "}${String(number).padStart(2)}  ${printable(id.slice(0, 8))}  ${age} ago  ${oneLine(name ?? firstMessage ?? "(nothing was said)", 60)}`;
}

function explain(text: string, { conversation, say }: CommandHost): void {
  if (text !== "")
    return say(printable(explanationText(explainFailure(text, { delaysMs: defaultDelaysMs() }))).trimEnd(), "plain");
  const { log } = conversation.session;
  const failed = log
    .branch()
    .findLast((entry) => entry.type === "message" && entry.message.role === "assistant" && entry.message.stopReason === "error");
  const reply = failed?.type === "message" && failed.message.role === "assistant" ? failed.message : undefined;
  if (!reply) return say("Nothing has failed in this session. /explain TEXT explains an error.");
  const { failure, errorMessage } = reply;
  if (!failure)
    return say(
      printable(explanationText(explainFailure(errorMessage ?? "", { delaysMs: defaultDelaysMs() }))).trimEnd(),
      "plain",
    );
  const facts = [
    failure.message,
    `kind    ${failure.kind}`,
    `action  ${failure.action}`,
    `rule    ${failure.rule}`,
    `why     ${failure.why}`,
    `hint    ${failure.hint}`,
    ...(failure.requestId === undefined ? [] : [`request ${failure.requestId}`]),
  ];
  return say(printable(facts.join("\n")), "plain");
}

function exportMarkdown(argument: string, { context, conversation, say }: CommandHost): void {
  const { log } = conversation.session;
  const path = resolve(context.io.cwd, argument === "" ? `session-${oneLine(log.header.id, 100).slice(0, 8)}.md` : argument);
  try {
    writeFileSync(path, printable(toMarkdown(log)), { flag: "wx" });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new SlashCommandError(
      code === "EEXIST" ? `${path} exists already: name another file.` : `${path} cannot be written (${code}).`,
      { cause: error },
    );
  }
  say(`Written to ${path}`);
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

/** @throws SlashCommandError */
function atRest({ conversation }: CommandHost): void {
  if (conversation.session.state.busy) throw new SlashCommandError("The session is working: stop it with Esc first.");
}

function notDone(error: unknown): void {
  if (!(error instanceof Error && error.name === "CompactionError")) throw error;
}
