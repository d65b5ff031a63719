import type { ToolCallBlock } from "../model/types.ts";
import type { Clock } from "../retry/clock.ts";
import { checkArguments } from "./tool-arguments.ts";
import { answered, failed, type ResultBounds, type ToolCallOutcome } from "./tool-result.ts";
import type { AnyTool, ToolContext, ToolOutput, ToolResult } from "./types.ts";

export const ABORTED_RESULT = "Operation aborted by the user before it finished.";

export interface ToolCallPorts {
  clock: Clock;
  /** The user's abort. */
  signal: AbortSignal;
  /** Default time limit of a tool, in milliseconds. */
  timeoutMs: number;
  /** How long a tool may go on after its time limit, before it is left behind, in milliseconds. */
  graceMs: number;
  bounds: ResultBounds;
  onUpdate(partialResult: ToolResult): void;
}

export type PreparedCall = { tool: AnyTool; args: never } | { refused: ToolCallOutcome };

/**
 * Finds the tool and checks the arguments. What cannot run becomes an error result, which the model reads; a schema that does not
 * answer is given up with the tool's time limit, and at once with an abort.
 */
export async function prepareCall(
  call: ToolCallBlock,
  tool: AnyTool | undefined,
  known: readonly string[],
  ports: Pick<ToolCallPorts, "clock" | "signal" | "timeoutMs">,
): Promise<PreparedCall> {
  if (!tool) {
    const names = known.length === 0 ? "There are no tools." : `The tools are: ${known.join(", ")}.`;
    return { refused: failed(`There is no tool "${call.name}". ${names}`) };
  }
  if (call.argumentsError !== undefined) {
    return { refused: failed(`The arguments for the tool "${call.name}" are not a JSON object: ${call.argumentsError}`) };
  }
  try {
    // A copy: what the tool does to its arguments must not change the message they came in.
    const checked = await withinLimit(
      checkArguments(tool, structuredClone(call.arguments)),
      tool.timeoutMs ?? ports.timeoutMs,
      ports,
    );
    return checked.ok ? { tool, args: checked.value } : { refused: failed(checked.problem) };
  } catch (error) {
    if (ports.signal.aborted) return { refused: failed(ABORTED_RESULT) };
    return { refused: failed(`The schema of the tool "${call.name}" could not be applied: ${errorText(error)}`) };
  }
}

/** Rejects when `work` takes longer than its time limit, or when the signal aborts; nothing is left behind. */
async function withinLimit<T>(
  work: Promise<T>,
  timeoutMs: number,
  { clock, signal }: Pick<ToolCallPorts, "clock" | "signal">,
): Promise<T> {
  const { promise: given, reject: giveUp } = Promise.withResolvers<never>();
  const stop = (): void => giveUp(new Error(ABORTED_RESULT));
  const cancelTimer = clock.after(timeoutMs, () => giveUp(new Error(`it did not answer within ${timeoutMs} ms.`)));
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, given]);
  } finally {
    cancelTimer();
    signal.removeEventListener("abort", stop);
  }
}

/**
 * Runs one tool. It never rejects: an exception, a time limit and an abort are error results. A tool that goes on after its
 * time limit is told by its signal, and left behind after the grace time; what it answers later is void.
 */
export async function executeCall(
  tool: AnyTool,
  args: never,
  toolCallId: string,
  ports: ToolCallPorts,
): Promise<ToolCallOutcome> {
  const { clock, signal, bounds, graceMs } = ports;
  const timeoutMs = tool.timeoutMs ?? ports.timeoutMs;
  const own = new AbortController();
  if (signal.aborted) return failed(ABORTED_RESULT);
  let cancelTimer: () => void = () => {};
  const stop = (): void => {
    // From here on the grace time of the abort counts, and it is the session's: no timer of ours may outlive that.
    cancelTimer();
    own.abort(signal.reason);
  };
  signal.addEventListener("abort", stop, { once: true });

  let timedOut = false;
  let leaveBehind: () => void = () => {};
  const leftBehind = new Promise<ToolCallOutcome>((resolve) => {
    leaveBehind = () =>
      resolve(failed(`${timeoutText(tool.name, timeoutMs)} It ignored the order to stop and may still be running.`));
  });
  cancelTimer = clock.after(timeoutMs, () => {
    timedOut = true;
    own.abort(new DOMException(timeoutText(tool.name, timeoutMs), "TimeoutError"));
    cancelTimer = clock.after(graceMs, leaveBehind);
  });

  let settled = false;
  const context: ToolContext = {
    toolCallId,
    signal: own.signal,
    update(partial) {
      if (!settled && !own.signal.aborted) ports.onUpdate(answered(partial, bounds).result);
    },
  };
  const finished = run(tool, args, context)
    .then((output) => (signal.aborted ? failed(ABORTED_RESULT) : answered(output, bounds)))
    .catch((error: unknown) => {
      if (signal.aborted) return failed(ABORTED_RESULT);
      return failed(timedOut ? timeoutText(tool.name, timeoutMs) : errorText(error));
    });
  try {
    return await Promise.race([finished, leftBehind]);
  } finally {
    settled = true;
    cancelTimer();
    signal.removeEventListener("abort", stop);
  }
}

async function run(tool: AnyTool, args: never, context: ToolContext): Promise<ToolOutput> {
  return tool.execute(args, context);
}

function timeoutText(name: string, timeoutMs: number): string {
  return `The tool "${name}" did not finish within ${timeoutMs} ms.`;
}

function errorText(error: unknown): string {
  try {
    if (!(error instanceof Error)) return String(error);
    // Strings by their type only: anything may have been put there.
    const { message, name }: { message: unknown; name: unknown } = error;
    return String(message) || String(name);
  } catch {
    return "The tool threw something that cannot be shown as text.";
  }
}
