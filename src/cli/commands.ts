import type { Io } from "./io.ts";
import { untilSignal } from "./until-signal.ts";

/** A command beside asking, named as the first argument. */
export interface Command {
  usage: string;
  help: string;
  /** Loads what it needs, and runs. Returns the exit code. */
  run(args: string[], io: Io): Promise<number>;
}

/** The commands by name. Each loads its code only when it runs. */
export const commands: Readonly<Record<string, Command>> = {
  models: {
    usage: "models [TEXT]",
    help: "list the known models, with windows, limits and prices",
    run: async (args, io) => (await import("./models/command.ts")).runModels(args, io),
  },
  settings: {
    usage: "settings [--json | --schema | --paths]",
    help: "print the effective settings and where each comes from",
    run: async (args, io) => (await import("./settings/command.ts")).runSettings(args, io),
  },
  sessions: {
    usage: "sessions [list | show | export | check]",
    help: "list kept sessions, show, export, check and mend them",
    run: async (args, io) => (await import("./sessions.ts")).runSessions(args, textIo(io)),
  },
  explain: {
    usage: "explain [TEXT | FILE | -]",
    help: "say how an error is judged, by which rule, and what follows",
    run: async (args, io) => (await import("./explain.ts")).runExplain(args, io),
  },
  lab: {
    usage: "lab reliability [--json]",
    help: "print the failure matrix: each kind of failure and what is done",
    run: async (args, io) => (await import("./lab.ts")).runLab(args, io),
  },
  inspect: {
    usage: "inspect FILE... [--port N]",
    help: "show recorded sessions on a page, to go back and forth in",
    run: async (args, io) => untilSignal(io, async (serving) => (await import("./inspect.ts")).runInspect(args, serving)),
  },
  replay: {
    usage: "replay FILE [--json]",
    help: "run the statechart again on a recorded session",
    run: async (args, io) => (await import("./replay.ts")).runReplay(args, textIo(io)),
  },
  faults: {
    usage: "faults [--script STEPS]",
    help: "start a server that fails the way its script says",
    run: async (args, io) => untilSignal(io, async (serving) => (await import("./faults.ts")).runFaults(args, serving)),
  },
  completions: {
    usage: "completions bash | zsh | fish",
    help: "print the completions of a shell",
    run: async (args, io) => (await import("./completions.ts")).runCompletions(args, io),
  },
};

/** Streams as functions, for commands that only say something. */
function textIo({ stdout, stderr, env, cwd }: Io) {
  return { stdout: (text: string) => void stdout.write(text), stderr: (text: string) => void stderr.write(text), env, cwd };
}
