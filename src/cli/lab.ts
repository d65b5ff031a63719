import { describeFailure, durationText, failureFromFacts, nextStep, ruleTable } from "../errors/index.ts";
import type { Example, Failure } from "../errors/index.ts";
import { defaultDelaysMs } from "./explain.ts";
import type { ExplainIo } from "./explain.ts";

const USAGE = `Usage: agent-session lab reliability [--json]

Prints the failure matrix: for each kind of failure an example, the verdict, the waits and the reason.
Nothing is asked and nothing is waited for.
`;

const OK = 0;
const WRONG_USE = 2;

/** The failures everybody meets, first in the matrix. */
const COMMON: readonly { example: unknown; label: string }[] = [
  {
    label: "429 with Retry-After: 17",
    example: {
      status: 429,
      headers: { "retry-after": "17" },
      error: { type: "rate_limit_error", message: "Number of request tokens has exceeded your per-minute rate limit" },
    },
  },
  {
    label: "500 Internal Server Error",
    example: { status: 500, error: { type: "api_error", message: "Internal server error" } },
  },
  {
    label: "503 Service Unavailable",
    example: { status: 503, error: { type: "service_unavailable", message: "Service Unavailable" } },
  },
  { label: "529 Overloaded", example: { status: 529, error: { type: "overloaded_error", message: "Overloaded" } } },
  {
    label: "401 invalid x-api-key",
    example: { status: 401, error: { type: "authentication_error", message: "invalid x-api-key" } },
  },
  {
    label: "403 no permission",
    example: {
      status: 403,
      error: { type: "permission_error", message: "Your API key does not have permission to use the specified resource." },
    },
  },
  {
    label: "400 unexpected field",
    example: {
      status: 400,
      error: { type: "invalid_request_error", message: "context_management: Extra inputs are not permitted" },
    },
  },
  {
    label: "cut in mid-stream",
    example: new TypeError("terminated", { cause: Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }) }),
  },
];

/** One line of the matrix. */
export interface MatrixRow {
  example: string;
  failure: Failure;
  /** What a session would do. */
  next: string;
  /** Its waits before each retry, in milliseconds; empty when it does not retry. */
  delaysMs: number[];
}

/** The failure matrix, from the rule table: the common failures first, then the first example of every rule. */
export function failureMatrix(): MatrixRow[] {
  const common = COMMON.map(({ label, example }) => row(label, example));
  const ruled = ruleTable.flatMap((rule) => {
    const example = rule.examples[0];
    return example === undefined ? [] : [row(labelOf(example), textOf(example), statusOf(example))];
  });
  return [...common, ...ruled];
}

function row(label: string, value: unknown, status?: number): MatrixRow {
  const failure = failureFromFacts(describeFailure(value, status === undefined ? {} : { status }));
  const demanded = failure.retryAfterMs ?? 0;
  const delaysMs = failure.action === "retry" ? defaultDelaysMs().map((delay) => Math.max(delay, demanded)) : [];
  return { example: label, failure, next: nextStep(failure, defaultDelaysMs()), delaysMs };
}

function textOf(example: Example): string {
  return typeof example === "string" ? example : example.text;
}

function statusOf(example: Example): number | undefined {
  return typeof example === "string" ? undefined : example.status;
}

function labelOf(example: Example): string {
  const status = statusOf(example);
  const text = textOf(example);
  const label = text === "" ? "(an empty error)" : text;
  return status === undefined ? label : `${status}: ${label}`;
}

/** `agent-session lab reliability`. Resolves to the exit code. */
export async function runLab(args: string[], io: ExplainIo): Promise<number> {
  const [what, ...rest] = args;
  if (what === "--help" || what === "-h" || rest.includes("--help")) {
    io.stdout.write(USAGE);
    return OK;
  }
  if (what !== "reliability" || rest.some((word) => word !== "--json")) {
    io.stderr.write(
      `agent-session lab: ${what === undefined ? "say which lab" : `there is no "${[what, ...rest].join(" ")}"`}\n\n${USAGE}`,
    );
    return WRONG_USE;
  }
  const matrix = failureMatrix();
  io.stdout.write(rest.includes("--json") ? `${JSON.stringify(matrix, null, 2)}\n` : matrixText(matrix));
  return OK;
}

const WIDTHS = { example: 52, verdict: 28, waits: 18 };

function matrixText(matrix: readonly MatrixRow[]): string {
  const line = (example: string, verdict: string, waits: string, why: string): string =>
    `${cell(example, WIDTHS.example)} ${cell(verdict, WIDTHS.verdict)} ${cell(waits, WIDTHS.waits)} ${why}\n`;
  const head = line("failure", "verdict", "waits", "why");
  const body = matrix.map(({ example, failure, delaysMs }) =>
    line(
      example,
      `${failure.action} (${failure.kind})`,
      delaysMs.map(durationText).join(", ") || "-",
      `${failure.why} [${failure.rule}]`,
    ),
  );
  return head + body.join("");
}

function cell(text: string, width: number): string {
  const flat = text.replaceAll(/\s+/g, " ");
  return (flat.length > width ? `${flat.slice(0, width - 1)}…` : flat).padEnd(width);
}
