import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  listSessions,
  LogError,
  LogLockedError,
  NotASessionFileError,
  openLog,
  projectDirectory,
  sessionsDirectory,
} from "../log/index.ts";
import type { SessionLog, SessionSummary } from "../log/index.ts";
import { checkSession } from "./sessions/check.ts";
import { oneLine, printable } from "./sessions/describe.ts";
import { findSession, SessionNotFoundError } from "./sessions/find.ts";
import { toMarkdown } from "./sessions/markdown.ts";
import { treeLines } from "./sessions/tree.ts";

/** Where the command reads and writes. */
export interface SessionsIo {
  stdout: (text: string) => void;
  stderr: (text: string) => void;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
}

const USAGE = `Usage: agent-session sessions [list] [--all] [--json]
       agent-session sessions show <session>
       agent-session sessions export <session> [--output <file>]
       agent-session sessions check <session>... [--repair]

<session> is the path of a session file, or the beginning of a session's id.

  list    the sessions of this project, the latest first
  show    the tree of entries, and what the model is not shown of it, and why
  export  the active branch as Markdown
  check   reads the whole file and reports what is wrong with it

  --all                every project's sessions
  --json               one JSON object a line
  --output <file>      write there instead of to standard output
  --repair             mend the file; a damaged one is kept beside it
  --session-dir <dir>  where the sessions are
`;

const OPTIONS = {
  all: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  json: { type: "boolean" },
  output: { type: "string", short: "o" },
  repair: { type: "boolean" },
  "session-dir": { type: "string" },
} as const;

interface Command {
  io: SessionsIo;
  values: { all?: boolean; json?: boolean; output?: string; repair?: boolean };
  /** What the command is about, behind its name. */
  named: string[];
  /** Where sessions are, of this project first. */
  directories: string[];
}

class UsageError extends Error {}

/**
 * `agent-session sessions`: lists, shows, exports and checks session files.
 *
 * @returns The exit code: 0; 1 when a session is not there, is no session or has faults; 2 when the arguments are wrong.
 */
export async function runSessions(args: string[], io: SessionsIo): Promise<number> {
  try {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
    if (values.help === true) {
      io.stdout(USAGE);
      return 0;
    }
    const [name = "list", ...named] = positionals;
    const given = values["session-dir"];
    const directories =
      given === undefined ? [projectDirectory(io.cwd, io.env), sessionsDirectory(io.env)] : [resolve(io.cwd, given)];
    const run = COMMANDS.get(name);
    if (run === undefined) throw new UsageError(`There is no command "sessions ${name}".`);
    return await run({ io, values, named, directories });
  } catch (error) {
    if (isUsageError(error)) {
      io.stderr(`${error.message}\n\n${USAGE}`);
      return 2;
    }
    if (!isExpected(error)) throw error;
    io.stderr(`${error.message}\n`);
    return 1;
  }
}

const COMMANDS = new Map<string, (command: Command) => number | Promise<number>>([
  ["list", list],
  ["show", show],
  ["export", exportMarkdown],
  ["check", check],
]);

function list({ io, values, named, directories }: Command): number {
  if (named.length > 0) throw new UsageError(`"sessions list" takes no "${named[0]}".`);
  const directory = (values.all === true ? directories.at(-1) : directories[0]) ?? "";
  const sessions = listSessions(directory, { recursive: values.all === true });
  if (values.json === true) for (const session of sessions) io.stdout(`${JSON.stringify(session)}\n`);
  else if (sessions.length === 0) io.stdout(`No sessions in ${directory}\n`);
  else for (const session of sessions) io.stdout(`${listLine(session, values.all === true)}\n`);
  return 0;
}

function listLine(session: SessionSummary, withProject: boolean): string {
  const { id, modifiedAt, bytes, name, firstMessage, cwd } = session;
  const when = new Date(modifiedAt).toISOString().slice(0, 16).replace("T", " ");
  const title = name ?? firstMessage ?? "(nothing was said)";
  const parts = [when, size(bytes).padStart(8), oneLine(id, 36), oneLine(title, 60)];
  return (withProject ? [...parts, oneLine(cwd)] : parts).join("  ");
}

async function show(command: Command): Promise<number> {
  const log = await read(command);
  const shown = log.projection.items.length;
  const about = [
    `Session ${oneLine(log.header.id)}${log.name === undefined ? "" : ` "${oneLine(log.name)}"`}`,
    `${log.path}`,
    `begun ${oneLine(log.header.timestamp)} in ${oneLine(log.header.cwd)}; ${log.entries.length} entries, ${shown} of them shown to the model (*)`,
    ...(log.header.parentSession === undefined ? [] : [`from ${oneLine(log.header.parentSession, 500)}`]),
  ];
  command.io.stdout(`${[...about, "", ...treeLines(log)].join("\n")}\n`);
  return 0;
}

async function exportMarkdown(command: Command): Promise<number> {
  const text = printable(toMarkdown(await read(command)));
  const { output } = command.values;
  if (output === undefined) command.io.stdout(text);
  else writeFileSync(resolve(command.io.cwd, output), text);
  return 0;
}

async function check({ io, values, named, directories }: Command): Promise<number> {
  if (named.length === 0) throw new UsageError(`"sessions check" needs a session.`);
  let code = 0;
  for (const one of named) {
    try {
      const path = findSession(one, io.cwd, directories);
      if (!(await checkSession(io.stdout, path, values.repair === true))) code = 1;
    } catch (error) {
      if (!isExpected(error)) throw error;
      io.stdout(`${error.message}\n`);
      code = 1;
    }
  }
  return code;
}

async function read({ io, named, directories }: Command): Promise<SessionLog> {
  const [one, more] = named;
  if (one === undefined) throw new UsageError("This command needs a session.");
  if (more !== undefined) throw new UsageError(`This command takes one session, and not "${more}" too.`);
  return openLog(findSession(one, io.cwd, directories), { readOnly: true });
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function isUsageError(error: unknown): error is Error {
  return (
    error instanceof UsageError ||
    (error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("ERR_PARSE_ARGS"))
  );
}

function isExpected(error: unknown): error is Error {
  const known = [LogError, LogLockedError, NotASessionFileError, SessionNotFoundError];
  return known.some((kind) => error instanceof kind);
}
