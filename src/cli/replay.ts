import { parseArgs } from "node:util";
import { replayTrace, type ReplayDifference } from "../inspect/replay.ts";
import { ObservationError, observationProblem, openTrace, type ObservationIo } from "./trace-file.ts";

const USAGE = `Usage: agent-session replay FILE [--json]

Runs the statechart again on a recorded session, and says where it first does something else than it did then.
A session is recorded with --trace FILE while it runs.

  --json      the result as JSON
  -h, --help  this text
`;

/**
 * `agent-session replay FILE`.
 *
 * @returns The exit code: 0 when all is the same, 1 when something differs, 2 when the arguments are wrong or the file is no trace.
 */
export async function runReplay(args: readonly string[], io: Pick<ObservationIo, "stdout" | "stderr">): Promise<number> {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
    if (values.help) {
      io.stdout(USAGE);
      return 0;
    }
    const [path, ...more] = positionals;
    if (path === undefined || more.length > 0) throw new ObservationError("replay takes the file of one trace.");
    const { records, torn } = await openTrace(path);
    const result = replayTrace(records);
    if (values.json) io.stdout(`${JSON.stringify({ ...result, torn })}\n`);
    else {
      io.stdout(`${result.steps} steps and ${result.events} decisions replayed${torn ? "; the last line was cut" : ""}.\n`);
      io.stdout(result.difference ? describe(path, result.difference) : "No difference.\n");
    }
    return result.difference ? 1 : 0;
  } catch (error) {
    const message = observationProblem(error);
    if (message === undefined) throw error;
    io.stderr(`agent-session replay: ${message}\n\n${USAGE}`);
    return 2;
  }
}

const OPTIONS = { json: { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;

function describe(path: string, { line, field, recorded, replayed }: ReplayDifference): string {
  return `First difference at ${path}:${line}, in ${field}:\n  recorded  ${JSON.stringify(recorded)}\n  replayed  ${JSON.stringify(replayed)}\n`;
}
