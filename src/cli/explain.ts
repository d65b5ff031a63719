import { readFile, stat } from "node:fs/promises";
import { parseArgs } from "node:util";
import { backoffDelayMs } from "../../machines/backoff.ts";
import { explainFailure, explanationText } from "../errors/index.ts";

/** What the command reads and writes. */
export interface ExplainIo {
  stdin: AsyncIterable<Buffer | string>;
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
  env: Readonly<Record<string, string | undefined>>;
}

const USAGE = `Usage: agent-session explain [TEXT | FILE | -] [options]

Says how a failure is judged, by which rule, and what a session would do about it.
The error is a text, a file that holds one, or - (and nothing) for standard input.

Options:
  --status N        the HTTP status it came with
  --provider NAME   the provider it came from
  --base-url URL    the address that was asked
  --partial         part of an answer had already streamed
  --json            the whole account as JSON
  -h, --help        this text
`;

const OK = 0;
const WRONG_USE = 2;

/** The default retries of a session. */
const RETRIES = 3;
const BACKOFF = { baseDelayMs: 2000, maxDelayMs: 60_000, jitter: 0 };

/** `agent-session explain`: verdict, rule, reason, and what a session would do. Resolves to the exit code. */
export async function runExplain(args: string[], io: ExplainIo): Promise<number> {
  const parsed = parse(args);
  if ("problem" in parsed) {
    io.stderr.write(`agent-session explain: ${parsed.problem}\n\n${USAGE}`);
    return WRONG_USE;
  }
  const { values, positionals } = parsed;
  if (values.help) {
    io.stdout.write(USAGE);
    return OK;
  }
  const status = values.status === undefined ? undefined : Number(values.status);
  if (status !== undefined && !(Number.isInteger(status) && status >= 100 && status <= 599)) {
    io.stderr.write(`agent-session explain: --status takes a number from 100 to 599, got "${values.status}"\n`);
    return WRONG_USE;
  }
  const proxy = io.env["HTTPS_PROXY"] ?? io.env["https_proxy"];
  const explanation = explainFailure(await errorText(positionals, io), {
    ...(status === undefined ? {} : { status }),
    ...(values.provider === undefined ? {} : { provider: values.provider }),
    ...(values["base-url"] === undefined ? {} : { baseUrl: values["base-url"] }),
    ...(proxy === undefined ? {} : { proxy }),
    partial: values.partial ?? false,
    delaysMs: defaultDelaysMs(),
  });
  io.stdout.write(values.json ? `${JSON.stringify(explanation, null, 2)}\n` : explanationText(explanation));
  return OK;
}

/** The waits of a session with default settings. */
export function defaultDelaysMs(): number[] {
  return Array.from({ length: RETRIES }, (_, index) => backoffDelayMs(BACKOFF, index + 1, 0));
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        status: { type: "string" },
        provider: { type: "string" },
        "base-url": { type: "string" },
        partial: { type: "boolean" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Several words are one text, so that quotes may be left out; one word that names a file stands for what is in it. */
async function errorText(words: string[], io: ExplainIo): Promise<string> {
  const [only] = words;
  if (only === undefined || (words.length === 1 && only === "-")) return readAll(io.stdin);
  if (words.length === 1 && (await isFile(only))) return readFile(only, "utf8");
  if (words.length === 1 && LOOKS_LIKE_A_PATH.test(only)) {
    io.stderr.write(`agent-session explain: there is no file ${only}; this is how it is judged as a text\n`);
  }
  return words.join(" ");
}

/** One word that begins as a path does, or ends as the name of a log does. */
const LOOKS_LIKE_A_PATH = /^(?:\.{0,2}\/|~\/|[A-Za-z]:\\)\S+$|^\S+\.(?:log|txt|json|html?)$/;

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    // A text that is no path at all (too long, with a NUL) is no file either.
    return false;
  }
}

async function readAll(input: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks).toString("utf8");
}
