import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { onTestFinished } from "vitest";
import type { EndSignal, Io, Output } from "../../src/cli/io.ts";
import { run } from "../../src/cli/main.ts";
import { systemClock, type Clock } from "../../src/retry/clock.ts";
import { startFaultServer, type FaultServer, type FaultServerOptions } from "../../src/testing/fault-server.ts";

/** What a run of the command is given; by default it has no terminal, no key and an empty home. */
export interface RunOptions {
  stdin?: string;
  env?: Record<string, string>;
  cwd?: string;
  /** Which streams are a terminal; default none. */
  terminal?: ("stdin" | "stdout" | "stderr")[];
  columns?: number;
  clock?: Clock;
}

/** A run of the command in this process. */
export class Run {
  readonly exit: Promise<number>;
  /** Exit codes the command asked for at once. */
  readonly exits: number[] = [];
  out = "";
  err = "";
  readonly stdout: Output = new PassThrough();
  readonly #listeners = new Set<(signal: EndSignal) => void>();
  readonly #watchers = new Set<() => void>();

  constructor(args: readonly string[], { stdin, env = {}, cwd, terminal = [], columns = 80, clock = systemClock }: RunOptions) {
    const home = cwd ?? temporaryFolder();
    const input = Object.assign(new PassThrough(), { isTTY: terminal.includes("stdin") });
    input.end(stdin ?? "");
    const stderr: Output = Object.assign(new PassThrough(), { isTTY: terminal.includes("stderr"), columns });
    Object.assign(this.stdout, { isTTY: terminal.includes("stdout"), columns });
    this.stdout.on("data", (chunk: Buffer) => this.#note(() => (this.out += chunk.toString("utf8"))));
    stderr.on("data", (chunk: Buffer) => this.#note(() => (this.err += chunk.toString("utf8"))));
    const io: Io = {
      stdin: input,
      stdout: this.stdout,
      stderr,
      env: { HOME: home, XDG_STATE_HOME: join(home, "state"), XDG_CONFIG_HOME: join(home, "config"), ...env },
      cwd: home,
      hasPipedInput: stdin !== undefined,
      clock,
      onSignal: (listener) => {
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
      },
      exit: (code) => void this.exits.push(code),
    };
    this.exit = run(args, io);
  }

  /** Sends a signal, as a terminal or a supervisor does. */
  signal(signal: EndSignal): void {
    for (const listener of this.#listeners) listener(signal);
  }

  /** Resolves when stderr has the text. @throws when the run ends without it */
  async says(text: string): Promise<void> {
    let ended = false;
    void this.exit.finally(() => this.#note(() => (ended = true)));
    while (!this.err.includes(text)) {
      if (ended) throw new Error(`The command ended without saying "${text}". It said: ${this.err}`);
      await new Promise<void>((resolve) => this.#watchers.add(resolve));
    }
  }

  #note(add: () => void): void {
    add();
    for (const watcher of this.#watchers) watcher();
    this.#watchers.clear();
  }
}

/** Runs the command to its end. */
export async function command(
  args: readonly string[],
  options: RunOptions = {},
): Promise<{ code: number; out: string; err: string }> {
  const running = new Run(args, options);
  const code = await running.exit;
  // What is written last is read a moment later.
  await new Promise((resolve) => setImmediate(resolve));
  return { code, out: running.out, err: running.err };
}

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "agent-session-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A provider that fails as its script says, for the duration of the test. */
export async function provider(
  script: FaultServerOptions["script"] = [],
  options: Omit<FaultServerOptions, "script"> = {},
): Promise<FaultServer> {
  const server = await startFaultServer({ script, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** The environment in which Anthropic's models are asked at a server of ours, with retries that do not take long. */
export function asking({ url }: { url: string }): { env: Record<string, string> } {
  return { env: { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: url, AGENT_SESSION_RETRY_BASE_DELAY_MS: "1" } };
}
