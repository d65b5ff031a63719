import { PassThrough } from "node:stream";
import type { EndSignal, Io } from "../../../src/cli/io.ts";
import type { RunContext } from "../../../src/cli/run-context.ts";
import { runRpc } from "../../../src/cli/rpc/rpc.ts";
import { LineReader } from "../../../src/cli/wire/line-reader.ts";
import { createSession } from "../../../src/session/session.ts";
import type { SessionOptions } from "../../../src/session/session-options.ts";
import { defaultSettings } from "../../../src/session/settings.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { scriptedModel, type ScriptedModel } from "../../../src/testing/scripted-model.ts";
import { quiet, type Replies } from "../../session/harness.ts";

export type Line = Record<string, unknown> & { type: string };

/** RPC mode on a scripted model, driven in this process. */
export class RpcScene {
  readonly clock = new ManualClock();
  readonly model: ScriptedModel;
  readonly lines: Line[] = [];
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly exits: number[] = [];
  readonly exit: Promise<number>;
  #signal: (signal: EndSignal) => void = () => {};
  #requests = 0;

  constructor(replies: Replies, options: Partial<SessionOptions> = {}, parts: Partial<RunContext> = {}) {
    this.model = scriptedModel(replies, { clock: this.clock, contextWindow: 200_000 });
    const sessionOptions = { model: this.model, clock: this.clock, random: () => 0, ...options };
    const io: Io = {
      stdin: this.stdin,
      stdout: this.stdout,
      stderr: new PassThrough().resume(),
      env: {},
      cwd: "",
      hasPipedInput: false,
      clock: this.clock,
      onSignal: (listener) => {
        this.#signal = listener;
        return () => {};
      },
      exit: (code) => void this.exits.push(code),
    };
    const reader = new LineReader({ onLine: (line) => this.lines.push(JSON.parse(line)), onTooLong: () => {} });
    this.stdout.on("data", (chunk: Buffer) => reader.push(chunk));
    this.exit = runRpc({
      io,
      mode: "rpc",
      verbosity: "normal",
      prompts: [],
      session: createSession(sessionOptions),
      sessionOptions,
      settings: { session: defaultSettings, command: {}, warnings: [], sources: {} } as never,
      models: [{ provider: "scripted", id: "scripted", from: "list" } as never],
      sessionDirectory: undefined,
      warnings: [],
      createModel: async (name) => ({ ...this.model, provider: name.split("/")[0] ?? "", id: name.split("/")[1] ?? "" }),
      startSession: async (log) => createSession({ ...sessionOptions, ...(log ? { log } : {}) }),
      close: async () => {},
      ...parts,
    });
  }

  write(bytes: string | Buffer): void {
    this.stdin.write(bytes);
  }

  signal(signal: EndSignal): void {
    this.#signal(signal);
  }

  /** Sends a command and gives its response. */
  async send(command: Record<string, unknown>): Promise<Line> {
    const id = `request-${++this.#requests}`;
    this.write(`${JSON.stringify({ id, ...command })}\n`);
    return this.response(id);
  }

  async response(id: string): Promise<Line> {
    return this.until((line) => line.type === "response" && line["id"] === id);
  }

  /** The first line, past or coming, that is looked for. */
  async until(wanted: (line: Line) => boolean): Promise<Line> {
    for (let turn = 0; turn < 1_000; turn++) {
      const found = this.lines.find(wanted);
      if (found) return found;
      await quiet();
    }
    throw new Error(`It did not come. What came: ${this.lines.map((line) => JSON.stringify(line)).join("\n")}`);
  }

  types(): string[] {
    return this.lines.map(({ type }) => type).filter((type) => type !== "response");
  }
}
