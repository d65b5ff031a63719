import { spawn, type ChildProcess } from "node:child_process";
import { LineReader } from "../wire/line-reader.ts";
import type { RpcCommand, RpcCommandName, RpcCommands, RpcEvent, RpcResponse } from "./types.ts";

export type * from "./types.ts";

export interface RpcClientOptions {
  /** The program to start; default `agent-session`. */
  command?: string;
  /** Arguments before ours; default none. */
  args?: readonly string[];
  cwd?: string;
  /** Added to this process's environment. */
  env?: Readonly<Record<string, string>>;
  /** Told what the process writes to stderr; default it goes to this process's stderr. */
  onStderr?: (text: string) => void;
}

/** A command was refused. */
export class RpcCommandError extends Error {
  readonly command: string;
  /** The field of the command that is at fault, where one is. */
  readonly field: string | undefined;

  constructor(command: string, message: string, field: string | undefined) {
    super(message);
    this.name = "RpcCommandError";
    this.command = command;
    this.field = field;
  }
}

/** The process ended, or could not be started. */
export class RpcProcessError extends Error {
  override readonly name = "RpcProcessError";
}

interface Waiting {
  command: string;
  resolve(data: unknown): void;
  reject(error: Error): void;
}

/** Starts `agent-session --mode rpc` and speaks to it. */
export class RpcClient {
  readonly #options: RpcClientOptions;
  readonly #waiting = new Map<string, Waiting>();
  #listeners: readonly ((event: RpcEvent) => void)[] = [];
  #process: ChildProcess | undefined;
  #ended: RpcProcessError | undefined;
  #requests = 0;

  constructor(options: RpcClientOptions = {}) {
    this.#options = options;
  }

  /** Resolves when the process answers. @throws RpcProcessError when it cannot be started, or ends at once. */
  async start(): Promise<void> {
    if (this.#process) throw new RpcProcessError("The process is started already.");
    const { command = "agent-session", args = [], cwd, env, onStderr } = this.#options;
    const child = spawn(command, [...args, "--mode", "rpc"], {
      stdio: ["pipe", "pipe", onStderr ? "pipe" : "inherit"],
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...process.env, ...env },
    });
    this.#process = child;
    const reader = new LineReader({ onLine: (line) => this.#onLine(line), onTooLong: () => undefined });
    child.stdout?.on("data", (chunk: Buffer) => reader.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => onStderr?.(chunk.toString("utf8")));
    child.stdin?.on("error", () => undefined);
    child.once("error", (error) => this.#end(new RpcProcessError(`${command} could not be started: ${error.message}`)));
    child.once("close", (code, signal) => this.#end(new RpcProcessError(`${command} ended (${signal ?? `exit code ${code}`}).`)));
    await this.send({ type: "get_state" });
  }

  /**
   * Sends a command. Resolves with the data of its response.
   *
   * @throws RpcCommandError when it is refused, RpcProcessError when the process is gone.
   */
  send<Name extends RpcCommandName>(command: Extract<RpcCommand, { type: Name }>): Promise<RpcCommands[Name]["gives"]> {
    return new Promise((resolve, reject) => {
      if (this.#ended || !this.#process) {
        reject(this.#ended ?? new RpcProcessError("The process is not started. Call start() first."));
        return;
      }
      const id = `request-${++this.#requests}`;
      this.#waiting.set(id, { command: command.type, resolve: (data) => resolve(data as RpcCommands[Name]["gives"]), reject });
      this.#process.stdin?.write(`${JSON.stringify({ ...command, id })}\n`);
    });
  }

  /** Calls `listener` with each event. @returns Ends the subscription. */
  onEvent(listener: (event: RpcEvent) => void): () => void {
    const own = (event: RpcEvent): void => listener(event);
    this.#listeners = [...this.#listeners, own];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== own);
    };
  }

  /** Sends a prompt and resolves with the event that says how it ended. */
  async promptAndWait(message: string): Promise<Extract<RpcEvent, { type: "agent_settled" }>> {
    const settled = this.#next("agent_settled");
    const refused = this.send({ type: "prompt", message }).then(() => settled);
    return Promise.race([refused, settled]);
  }

  /** Ends the process in order, as the end of its stdin does. */
  async stop(): Promise<void> {
    const child = this.#process;
    if (!child || this.#ended) return;
    const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
    child.stdin?.end();
    await closed;
  }

  #next<Type extends RpcEvent["type"]>(type: Type): Promise<Extract<RpcEvent, { type: Type }>> {
    return new Promise((resolve) => {
      const stop = this.onEvent((event) => {
        if (!isOf(event, type)) return;
        stop();
        resolve(event);
      });
    });
  }

  #onLine(line: string): void {
    const value = JSON.parse(line) as RpcResponse | RpcEvent | { type: "session" };
    if (value.type !== "response") {
      for (const listener of this.#listeners) listener(value as RpcEvent);
      return;
    }
    const { id = "" } = value;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (value.success) waiting?.resolve(value.data);
    else waiting?.reject(new RpcCommandError(waiting.command, value.error, value.field));
  }

  #end(error: RpcProcessError): void {
    this.#ended ??= error;
    for (const waiting of this.#waiting.values()) waiting.reject(this.#ended);
    this.#waiting.clear();
  }
}

function isOf<Type extends RpcEvent["type"]>(event: RpcEvent, type: Type): event is Extract<RpcEvent, { type: Type }> {
  return event.type === type;
}
