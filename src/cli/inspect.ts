import { once } from "node:events";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { createInspector } from "../inspect/inspector.ts";
import { ObservationError, observationProblem, openTrace, type ObservationIo } from "./trace-file.ts";

const USAGE = `Usage: agent-session inspect FILE... [--port NUMBER]

Shows recorded sessions on a page of this machine, to go back and forth in. Ctrl-C ends it.
A session is recorded with --trace FILE while it runs; --inspect shows one as it runs.

  --port NUMBER  default any free one
  -h, --help     this text
`;

/**
 * `agent-session inspect FILE…`: serves the inspector's page with the traces on it until `io.signal` aborts.
 *
 * @returns The exit code: 0, or 2 when the arguments are wrong or a file is no trace.
 */
export async function runInspect(args: readonly string[], io: ObservationIo): Promise<number> {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
    if (values.help) {
      io.stdout(USAGE);
      return 0;
    }
    if (positionals.length === 0) throw new ObservationError("inspect takes the file of a trace.");
    await serve(positionals, values.port, io);
    return 0;
  } catch (error) {
    const message = observationProblem(error);
    if (message === undefined) throw error;
    io.stderr(`agent-session inspect: ${message}\n\n${USAGE}`);
    return 2;
  }
}

const OPTIONS = { port: { type: "string" }, help: { type: "boolean", short: "h" } } as const;

async function serve(files: readonly string[], port: string | undefined, io: ObservationIo): Promise<void> {
  const traces = await Promise.all(files.map(openTrace));
  const inspector = await createInspector(port === undefined ? {} : { port: portNumber(port) });
  // The page's server keeps no process alive; this does, until it is told to end.
  const alive = setInterval(() => undefined, 1 << 30);
  try {
    for (const [index, trace] of traces.entries()) {
      inspector.show(basename(files[index] ?? ""), trace);
      if (trace.torn) io.stderr(`${files[index]}: its last line was cut; the rest is shown.\n`);
    }
    io.stdout(`${inspector.url}\n`);
    if (!io.signal.aborted) await once(io.signal, "abort");
  } finally {
    clearInterval(alive);
    await inspector.close();
  }
}

function portNumber(word: string): number {
  const port = Number(word);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new ObservationError(`--port takes a whole number from 0 to 65535; got "${word}".`);
}
