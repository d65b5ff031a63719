import { onTestFinished } from "vitest";
import type { AnyTool } from "../../../src/agent/types.ts";
import { parseRunArguments } from "../../../src/cli/arguments.ts";
import { runInteractive } from "../../../src/cli/interactive/interactive.ts";
import { openRun } from "../../../src/cli/open-run.ts";
import type { RunContext } from "../../../src/cli/run-context.ts";
import { createMemoryLog, type SessionLog } from "../../../src/log/index.ts";
import type { Model } from "../../../src/model/types.ts";
import { createSession } from "../../../src/session/session.ts";
import type { SettingsPatch } from "../../../src/session/settings.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { scriptedModel, type ScriptedReply } from "../../../src/testing/scripted-model.ts";
import { temporaryFolder } from "../harness.ts";
import { TerminalDouble } from "./terminal-double.ts";

export const NOW = Date.UTC(2026, 0, 2, 12);

export interface TalkOptions {
  /** A model, or what a scripted one answers. */
  model?: Model | readonly (ScriptedReply | string)[];
  tools?: readonly AnyTool[];
  settings?: SettingsPatch;
  log?: SessionLog;
  columns?: number;
  rows?: number;
  env?: Record<string, string>;
  /** Further arguments of the command. */
  args?: readonly string[];
  /** The folder it runs in, which is also the person's home. */
  home?: string;
}

/** A person at a terminal, and the command in it. */
export interface Talk {
  terminal: TerminalDouble;
  clock: ManualClock;
  context: RunContext;
  /** The exit code, when it has ended. */
  ended: Promise<number>;
  /** Types, and waits until it is drawn. */
  type: (text: string) => Promise<void>;
  /** Lets time pass, and waits until all it led to is drawn. */
  pass: (milliseconds: number) => Promise<void>;
  /** Waits for what takes its time outside of the clock, such as a tool or a file. */
  until: (text: string) => Promise<void>;
  text: () => Promise<string>;
}

/** Starts the interactive mode; it ends with the test. */
export async function talk({
  model = [],
  tools = [],
  settings = {},
  log,
  columns = 80,
  rows = 24,
  env = {},
  args = ["--no-session"],
  home = temporaryFolder(),
}: TalkOptions = {}): Promise<Talk> {
  const clock = new ManualClock(NOW);
  const terminal = new TerminalDouble({
    columns,
    rows,
    clock,
    cwd: home,
    env: {
      HOME: home,
      XDG_STATE_HOME: `${home}/state`,
      XDG_CONFIG_HOME: `${home}/config`,
      LANG: "en_US.UTF-8",
      NO_COLOR: "1",
      ...env,
    },
  });
  const opened = await openRun(parseRunArguments(["--demo", ...args]), { ...terminal.io, stderr: terminal.unseen });
  const asked = Array.isArray(model)
    ? scriptedModel(model, { clock, provider: "test", id: "model", contextWindow: 100_000 })
    : model;
  const sessionOptions = { ...opened.sessionOptions, model: asked as Model, tools, clock, settings, random: () => 0 };
  const startSession: RunContext["startSession"] = (given) =>
    Promise.resolve(createSession({ ...sessionOptions, log: given ?? createMemoryLog({ cwd: home, now: () => clock.now() }) }));
  let context: RunContext;
  if (args.includes("--no-session")) {
    await opened.session.dispose();
    context = { ...opened, io: terminal.io, sessionOptions, session: await startSession(log), startSession };
  } else context = { ...opened, io: terminal.io };
  const serve = async (): Promise<number> => {
    try {
      return await runInteractive(context);
    } finally {
      await context.close();
    }
  };
  const ended = serve();
  ended.catch(() => undefined);
  onTestFinished(async () => {
    terminal.signal("SIGTERM");
    clock.advance(10_000);
    await ended.catch(() => undefined);
  });
  await terminal.drawn();
  const settled = async (): Promise<void> => {
    await terminal.drawn();
    // What asked for a frame meanwhile gets it.
    clock.advance(30);
    await terminal.drawn();
  };
  return {
    terminal,
    clock,
    context,
    ended,
    async type(text) {
      terminal.type(text);
      await settled();
    },
    async pass(milliseconds) {
      clock.advance(milliseconds);
      await settled();
    },
    async until(text) {
      while (!(await terminal.text()).includes(text)) await settled();
    },
    text: () => terminal.text(),
  };
}

export const ENTER = "\r";
export const ESCAPE = "\u001b";
export const ALT_ENTER = "\u001b\r";
export const CTRL_C = "\u0003";
export const CTRL_D = "\u0004";
export const UP = "\u001b[A";
export const DOWN = "\u001b[B";
export const paste = (text: string): string => `\u001b[200~${text}\u001b[201~`;
