import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { durationText } from "../../errors/index.ts";
import { listSessions, type SessionSummary } from "../../log/index.ts";
import { oneLine, printable } from "../sessions/describe.ts";
import { findSession } from "../sessions/find.ts";
import { toMarkdown } from "../sessions/markdown.ts";
import { atRest, SlashCommandError, type CommandHost } from "./command-host.ts";

const SESSIONS_LISTED = 15;

/** `/new` */
export async function begin(_: string, host: CommandHost): Promise<void> {
  atRest(host);
  await host.conversation.begin();
  host.greet();
}

/** `/sessions`: lists those of this folder; with a number of that list, an id or a file, opens one. */
export async function sessions(argument: string, host: CommandHost): Promise<void> {
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

/** `/export` */
export function exportMarkdown(argument: string, { context, conversation, say }: CommandHost): void {
  const { log } = conversation.session;
  const path = resolve(
    context.io.cwd,
    argument === "" ? `session-${log.header.id.slice(0, 8).replaceAll(/[^\w-]/g, "_")}.md` : argument,
  );
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
