import type { AnyTool } from "../agent/types.ts";
import type { SessionLog } from "../log/types.ts";
import type { Model } from "../model/types.ts";
import { createSession, type Session } from "../session/session.ts";
import type { SessionOptions } from "../session/session-options.ts";
import type { Flags, RunArguments } from "./arguments.ts";
import type { Io } from "./io.ts";
import { Closers } from "./closers.ts";
import { catalogue } from "./models/catalogue.ts";
import { chooseModel } from "./models/choose-model.ts";
import { createModel } from "./models/create-model.ts";
import { openObservers } from "./observers.ts";
import { readPrompts } from "./prompts.ts";
import type { Mode, RunContext, Verbosity } from "./run-context.ts";
import { sessionStore } from "./session-log.ts";
import type { CommandSettings } from "./settings/command-settings.ts";
import { effectiveSettings, type EffectiveSettings } from "./settings/effective.ts";
import { readSystemPrompt } from "./system-prompt.ts";
import { openTools } from "./tools/open-tools.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Everything a mode needs, from what was typed: settings, model, tools, session. Nothing has been asked when it is returned.
 *
 * @throws UsageError, and the library's own errors about what it was given; nothing is left open then.
 */
export async function openRun(parsed: RunArguments, io: Io): Promise<RunContext> {
  const closers = new Closers();
  try {
    return await open(parsed, io, closers);
  } catch (error) {
    await closers.close();
    throw error;
  }
}

async function open({ flags, words }: RunArguments, io: Io, closers: Closers): Promise<RunContext> {
  const verbosity = verbosityOf(flags);
  const settings = await effectiveSettings(flags, io);
  const { command } = settings;
  const prompts = flags.mode === "rpc" ? noPrompts(words) : await readPrompts(words, flags.image ?? [], io);
  const mode = modeOf(flags, prompts.length, io);
  const createModelNamed = modelMaker(flags, command, io);
  const model = await createModelNamed(command.model);
  if (flags.demo === true) io.stderr.write("DEMO: a script answers; no model is asked.\n");
  const summarizer = command.compactionModel === undefined ? undefined : await createModelNamed(command.compactionModel);
  const systemPrompt = await readSystemPrompt(flags.system ?? command.systemPrompt, io.cwd);
  const store = sessionStore(flags, io, { sessionDirectory: command.sessionDirectory, durability: settings.session.durability });

  const modules = [...(command.toolModules ?? []), ...(flags.tools ?? [])];
  const tools = await openTools({ modules, servers: command.mcpServers ?? {}, mcp: flags.mcp ?? [] }, io);
  closers.add(() => tools.close());
  const sessionOptions = optionsOf({ model, summarizer, tools: tools.tools, systemPrompt }, settings, io);
  const observers = await openObservers(flags, io);
  closers.add(() => observers.close());
  const startSession = async (log?: SessionLog): Promise<Session> => {
    const session = createSession({ ...sessionOptions, log: log ?? (await store.begin()) });
    await observers.attach(session);
    return session;
  };
  const log = await store.open();
  // For a session that cannot be created; one that was closes its log itself, and closing twice does no harm.
  closers.add(() => log.close());
  const session = await startSession(log);
  closers.add(() => session.dispose());
  return {
    io,
    mode,
    verbosity,
    prompts,
    session,
    sessionOptions,
    settings,
    models: [...catalogue(command.models).values()],
    sessionDirectory: store.directory,
    warnings: [...settings.warnings, ...log.diagnostics.map(({ message }) => message)],
    createModel: createModelNamed,
    startSession,
    close: () => closers.close(),
  };
}

function verbosityOf(flags: Flags): Verbosity {
  if (flags.quiet && flags.verbose) throw new UsageError("--quiet and --verbose exclude each other.");
  return flags.quiet ? "quiet" : flags.verbose ? "verbose" : "normal";
}

/**
 * A prompt, piped input or `-p` means: answer and leave. On a terminal without any of them a person wants to talk. `-p` with an
 * earlier session and no prompt goes on with what is unfinished in it.
 */
function modeOf(flags: Flags, prompts: number, io: Io): Mode {
  const asked = flags.mode === "json" || flags.mode === "rpc" || flags.mode === "text" ? flags.mode : undefined;
  if (asked === "rpc") return asked;
  if (prompts > 0) return asked ?? "text";
  const resumes = flags.continue === true || flags.session !== undefined;
  if (resumes && (asked !== undefined || flags.print === true)) return asked ?? "text";
  if (asked === undefined && flags.print !== true && io.stdin.isTTY === true && io.stdout.isTTY === true) return "interactive";
  throw new UsageError('There is no prompt: give one as an argument ("question"), in a file (@file), or on stdin.');
}

function noPrompts(words: readonly string[]): [] {
  if (words.length > 0) throw new UsageError(`--mode rpc takes its prompts as commands on stdin; got "${words[0] ?? ""}".`);
  return [];
}

/** Makes models by name. The options that describe a server or limits are about the model named beside them. */
function modelMaker(flags: Flags, command: CommandSettings, io: Io): (name: string | undefined) => Promise<Model> {
  return async (name) => {
    if (flags.demo === true) return (await import("./demo-model.ts")).demoModel();
    const own = name === command.model;
    return createModel(chooseModel(name, own ? flags : {}, command, io.env));
  };
}

interface Parts {
  model: Model;
  summarizer: Model | undefined;
  tools: readonly AnyTool[];
  systemPrompt: string | undefined;
}

function optionsOf(
  { model, summarizer, tools, systemPrompt }: Parts,
  settings: EffectiveSettings,
  io: Io,
): Omit<SessionOptions, "log"> {
  return {
    model,
    tools,
    settings: settings.session,
    clock: io.clock,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(summarizer === undefined ? {} : { compaction: { model: summarizer } }),
    onListenerError: (error, event) => {
      io.stderr.write(
        `a listener failed on ${event.type}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
      );
    },
  };
}
