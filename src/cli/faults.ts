import { once } from "node:events";
import { parseArgs } from "node:util";
import { faults, FaultScriptError, startFaultServer } from "../testing/fault-server.ts";
import type { FaultServer } from "../testing/fault-server.ts";

/** Where a command writes, and what ends it. */
export interface FaultsIo {
  stdout: (text: string) => void;
  stderr: (text: string) => void;
  /** Ends the server; the command then returns 0. */
  signal: AbortSignal;
}

const USAGE = `Usage: agent-session faults [--script <steps>] [--loop] [--port <number>] [--tls]
       agent-session faults --list

Starts a server on 127.0.0.1 that speaks Anthropic Messages, OpenAI Chat Completions and OpenAI Responses, and fails
the way its script says. Ctrl-C ends it.

  --script <steps>  steps separated by commas, one a request, as in status:529,cut:half:rst,reply
  --loop            play the script again and again; without it good replies follow the last step
  --port <number>   default any free one
  --tls             speak TLS with a self-signed certificate, from the first request on
  --list            name every step
`;

/**
 * `agent-session faults`: starts the fault server, says how to point a client at it, tells of each request, and ends when
 * `io.signal` aborts.
 *
 * @returns The exit code: 0, or 2 when the arguments are wrong.
 */
export async function runFaults(args: string[], io: FaultsIo): Promise<number> {
  try {
    const { values } = parseArgs({ args, options: OPTIONS, strict: true });
    if (values.help) io.stdout(USAGE);
    else if (values.list) io.stdout(list());
    else await serve(values, io);
    return 0;
  } catch (error) {
    const message = mistakeIn(error);
    if (message === undefined) throw error;
    io.stderr(`${message}\n\n${USAGE}`);
    return 2;
  }
}

const OPTIONS = {
  script: { type: "string" },
  loop: { type: "boolean" },
  port: { type: "string" },
  tls: { type: "boolean" },
  list: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

class ArgumentError extends Error {}

/** What a person did wrong; undefined for any other error. */
function mistakeIn(error: unknown): string | undefined {
  if (error instanceof FaultScriptError || error instanceof ArgumentError) return error.message;
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  if (error.code === "EADDRINUSE") return "This port is in use; without --port any free one is taken.";
  return String(error.code).startsWith("ERR_PARSE_ARGS") ? error.message : undefined;
}

interface ServeOptions {
  script?: string;
  loop?: boolean;
  port?: string;
  tls?: boolean;
}

async function serve({ script = "", loop = false, port, tls }: ServeOptions, io: FaultsIo): Promise<void> {
  const steps = script
    .split(",")
    .map((step) => step.trim())
    .filter((step) => step !== "");
  if (loop && steps.length === 0) throw new ArgumentError("--loop needs a --script");
  let told = steps.length === 0;
  const server = await startFaultServer({
    script: steps,
    afterScript: loop ? "repeat" : "reply",
    ...(port === undefined ? {} : { port: portNumber(port) }),
    ...(tls === undefined ? {} : { tls }),
    onRequest: ({ n, method, path, step = "404: no format is served there" }) => {
      io.stdout(`${n} ${method} ${path} -> ${step}\n`);
      if (!told && server.scriptDone) io.stdout("The script is over: good replies from here on.\n");
      told ||= server.scriptDone;
    },
  });
  try {
    io.stdout(greeting(server, steps, loop));
    if (!io.signal.aborted) await once(io.signal, "abort");
  } finally {
    await server.close();
  }
}

function portNumber(word: string): number {
  const port = Number(word);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new ArgumentError(`--port takes a whole number from 0 to 65535; got "${word}"`);
}

function greeting({ url }: FaultServer, steps: readonly string[], loop: boolean): string {
  const order =
    steps.length === 0
      ? "Good replies only: no --script."
      : `Script: ${steps.join(", ")}${loop ? ", again and again" : ", then good replies"}.`;
  return `Fault server on ${url}
${order}

  Anthropic client   ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=test
  OpenAI client      OPENAI_BASE_URL=${url}/v1 OPENAI_API_KEY=test
  by hand            curl -N ${url}/v1/chat/completions -d '{"model":"test","stream":true,"messages":[]}'
  one step at will   add ?fault-step=<step> to the path
${url.startsWith("https") ? "\nThe certificate is self-signed: NODE_TLS_REJECT_UNAUTHORIZED=0, or curl -k, lets a client through.\n" : ""}
`;
}

function list(): string {
  const entries = Object.values(faults).map(({ usage, title, description }) => {
    return `${usage}\n${wrapped(`${title}: ${description.replaceAll("`", "")}`)}\n`;
  });
  return `${entries.join("")}
A point is a number of events, or start, half, content, finish or end. Arguments can be left out from the right.
`;
}

/** Text in lines of a terminal's width, indented. */
function wrapped(text: string): string {
  return text.replaceAll(/(.{1,90})(?:\s|$)/gu, "    $1\n").trimEnd();
}
