import type { RunArguments } from "./arguments.ts";
import { closeMatches } from "./close-matches.ts";
import { commands } from "./commands.ts";
import { ExitCode } from "./exit-codes.ts";
import type { Io } from "./io.ts";
import { watchOutput } from "./output.ts";
import type { RunContext } from "./run-context.ts";
import { UsageError, usageMessage } from "./usage-error.ts";

/** Runs the command and ends the process with its exit code, once everything it said is out. */
export async function main(args: readonly string[], io: Io): Promise<void> {
  const output = watchOutput(io);
  const code = await run(args, io);
  await output.settled();
  // Not left to the event loop: a tools module may hold a timer or a connection open.
  io.exit(code === ExitCode.completed && output.lost() ? ExitCode.failed : code);
}

/** Runs the command. Never throws. @returns The exit code */
export async function run(args: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(args, io);
  } catch (error) {
    const message = usageMessage(error);
    if (message !== undefined) {
      io.stderr.write(`agent-session: ${message}\n`);
      return ExitCode.usage;
    }
    io.stderr.write(
      `agent-session: this is a fault in the program. Please report it.\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return ExitCode.failed;
  }
}

/** One short word that is nearly a command's name is no question for a model. */
function refuseMistyped({ flags, words }: RunArguments): void {
  const [word = ""] = words;
  if (words.length !== 1 || flags.print === true || word.length < 4) return;
  const [meant] = closeMatches(word, Object.keys(commands));
  if (meant === undefined) return;
  throw new UsageError(`There is no command "${word}". Did you mean ${meant}? To ask it as a prompt: agent-session -p ${word}`);
}

async function dispatch(args: readonly string[], io: Io): Promise<number> {
  const [first = "", ...rest] = args;
  const command = Object.hasOwn(commands, first) ? commands[first] : undefined;
  if (command) return command.run(rest, io);
  const { parseRunArguments } = await import("./arguments.ts");
  const parsed = parseRunArguments(first === "help" && rest.length === 0 ? ["--help"] : args);
  if (parsed.flags.help === true) {
    io.stdout.write((await import("./help.ts")).helpText());
    return ExitCode.completed;
  }
  if (parsed.flags.version === true) {
    io.stdout.write(`${(await import("./version.ts")).version()}\n`);
    return ExitCode.completed;
  }
  const { mode } = parsed.flags;
  if (mode !== "json" && mode !== "rpc") return serve(parsed, io);
  const { ownStdout } = await import("./wire/own-stdout.ts");
  const own = ownStdout(io);
  try {
    return await serve(parsed, own.io);
  } finally {
    own.giveBack();
  }
}

async function serve(parsed: RunArguments, io: Io): Promise<number> {
  refuseMistyped(parsed);
  const { openRun } = await import("./open-run.ts");
  const context = await openRun(parsed, io);
  let code: number = ExitCode.failed;
  let clean = false;
  try {
    const { modes } = await import("./modes.ts");
    const runMode = await modes[context.mode]();
    code = await runMode(context);
  } finally {
    clean = await closed(context, io);
  }
  return clean || code !== ExitCode.completed ? code : ExitCode.failed;
}

/** Ends what a run has open. What cannot be ended well, such as a session file on a full disk, is told. */
async function closed(context: RunContext, io: Io): Promise<boolean> {
  try {
    await context.close();
    return true;
  } catch (error) {
    io.stderr.write(`agent-session: ${error instanceof Error ? error.message : String(error)}\n`);
    return false;
  }
}
