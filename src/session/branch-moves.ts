import { moveWithSummary } from "../compaction/index.ts";
import { CompactionError } from "./errors.ts";
import { isRecoveryUsed } from "./restore.ts";
import { contextWindowOf, type SessionParts } from "./session-parts.ts";
import { SummaryEvents, summaryPorts } from "./summary-ports.ts";

export interface MoveOptions {
  /** Leaves a summary of the branch that is left where the session goes on; default false. */
  summarize?: boolean;
  /** What the summary should pay attention to. */
  instructions?: string;
  signal?: AbortSignal;
}

/** Goes to another branch of the log. @throws LogError for an unknown entry; CompactionError when the summary failed. */
export async function moveBranch(parts: SessionParts, entryId: string | null, options: MoveOptions): Promise<void> {
  await goThere(parts, entryId, options);
  // A wait that was pending belongs to the branch that was left, and stays in the log for whoever goes back there.
  parts.retryRecorded = false;
  parts.actor.send({ type: "MOVED", overflowRecoveryUsed: isRecoveryUsed(parts.log) });
}

async function goThere(parts: SessionParts, entryId: string | null, options: MoveOptions): Promise<void> {
  const { log, settings, emitter, compaction } = parts;
  if (!options.summarize) {
    log.moveTo(entryId);
    return;
  }
  const { signal = new AbortController().signal } = options;
  const events = new SummaryEvents((event) => emitter.emit(event));
  const contextWindow = contextWindowOf(parts);
  const outcome = await moveWithSummary(
    {
      ...summaryPorts(parts, signal, (event) => events.handle(event)),
      log,
      reserveTokens: settings.compaction.reserveTokens,
      ...(contextWindow === undefined ? {} : { contextWindow }),
      ...(compaction.fileTools ? { fileTools: compaction.fileTools } : {}),
    },
    { to: entryId, ...(options.instructions === undefined ? {} : { instructions: options.instructions }) },
  );
  events.stop();
  parts.cycle.addUsage(outcome.usage);
  if (outcome.status === "failed" || outcome.status === "aborted") throw new CompactionError(outcome.reason);
}
