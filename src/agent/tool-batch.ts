import type { ToolCallBlock, ToolResultMessage } from "../model/types.ts";
import { executeCall, prepareCall, type PreparedCall, type ToolCallPorts } from "./tool-call.ts";
import { toResultMessage, type ToolCallOutcome } from "./tool-result.ts";
import type { ToolSet } from "./tool-set.ts";
import type { AgentEvent } from "./types.ts";

/** `announced`: its start was told, and its arguments are looked at. `started`: the tool was called. */
export type CallProgress = "announced" | "started";

export interface ToolBatchPorts extends Omit<ToolCallPorts, "onUpdate"> {
  emit(event: AgentEvent): void;
  /** Writes a result to the log and announces it. */
  record(result: ToolResultMessage): void;
  onProgress(call: ToolCallBlock, progress: CallProgress): void;
  /** A call has its outcome, which is not recorded yet. */
  onOutcome(call: ToolCallBlock, outcome: ToolCallOutcome): void;
}

/**
 * Runs the tool calls of one reply. In parallel by default: calls are prepared in order, those that can run do so together, and
 * their results are recorded in call order when all are done. Where one tool is `sequential`, the calls run one after another,
 * each result recorded at its end. Every call gets a result, also after an abort.
 *
 * @returns True when every result asks to end the run.
 */
export async function runToolBatch(calls: readonly ToolCallBlock[], tools: ToolSet, ports: ToolBatchPorts): Promise<boolean> {
  const sequential = calls.some(({ name }) => tools.get(name)?.sequential === true);
  const outcomes: ToolCallOutcome[] = [];
  const known = tools.declarations.map(({ name }) => name);

  const begin = (call: ToolCallBlock): Promise<PreparedCall> => {
    ports.onProgress(call, "announced");
    ports.emit({ type: "tool_execution_start", toolCallId: call.id, toolName: call.name, args: call.arguments });
    return prepareCall(call, tools.get(call.name), known, ports);
  };
  const finish = async (call: ToolCallBlock, index: number, prepared: PreparedCall): Promise<void> => {
    const startedAt = ports.clock.now();
    const ran = "tool" in prepared;
    if (ran) ports.onProgress(call, "started");
    const outcome = ran ? await executeCall(prepared.tool, prepared.args, call.id, withUpdates(call, ports)) : prepared.refused;
    outcomes[index] = outcome;
    ports.onOutcome(call, outcome);
    ports.emit({
      type: "tool_execution_end",
      toolCallId: call.id,
      toolName: call.name,
      result: outcome.result,
      isError: outcome.isError,
      ...(ran ? { durationMs: ports.clock.now() - startedAt } : {}),
    });
  };
  const record = (call: ToolCallBlock, index: number): void => {
    const outcome = outcomes[index];
    if (outcome) ports.record(toResultMessage(call, outcome, ports.clock.now()));
  };

  if (sequential) {
    for (const [index, call] of calls.entries()) {
      await finish(call, index, await begin(call));
      record(call, index);
    }
  } else {
    const running: Promise<void>[] = [];
    for (const [index, call] of calls.entries()) running.push(finish(call, index, await begin(call)));
    await Promise.all(running);
    for (const [index, call] of calls.entries()) record(call, index);
  }
  return outcomes.length > 0 && outcomes.every(({ terminate }) => terminate);
}

function withUpdates(call: ToolCallBlock, ports: ToolBatchPorts): ToolCallPorts {
  return {
    ...ports,
    onUpdate: (partialResult) =>
      ports.emit({
        type: "tool_execution_update",
        toolCallId: call.id,
        toolName: call.name,
        args: call.arguments,
        partialResult,
      }),
  };
}
