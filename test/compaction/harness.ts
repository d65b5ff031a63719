import { compact } from "../../src/compaction/compact.ts";
import { ContextMeter } from "../../src/compaction/context-meter.ts";
import { estimateTextTokens, estimateTokens } from "../../src/compaction/estimate.ts";
import type { CompactionOutcome, CompactionPorts, CompactionRequest, SummaryEvent } from "../../src/compaction/types.ts";
import { createMemoryLog } from "../../src/log/memory-log.ts";
import type { Entry, EntryDraft, SessionLog } from "../../src/log/types.ts";
import type { Message, ModelRequest } from "../../src/model/types.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { scriptedModel, type ScriptedModel } from "../../src/testing/scripted-model.ts";
import { say } from "./conversation.ts";

type Script = Parameters<typeof scriptedModel>[0];

export interface HarnessOptions extends Partial<Omit<CompactionPorts, "log" | "meter" | "model" | "clock" | "signal">> {
  /** What the model answers; default always "The summary." */
  script?: Script;
  /** Tokens of system prompt and tools; default 0. */
  overhead?: number;
  /** Window of the summary's model; default the session's. */
  modelWindow?: number;
  /** Output limit of the summary's model; default 64000, null when it is not known. */
  maxOutputTokens?: number | null;
  estimate?: (message: Message) => number;
}

export interface Harness {
  log: SessionLog;
  meter: ContextMeter;
  model: ScriptedModel;
  clock: ManualClock;
  abort: AbortController;
  events: SummaryEvent[];
  /** The drafts of each commit. */
  commits: EntryDraft[][];
  ports: CompactionPorts;
  run: (request?: Partial<CompactionRequest>) => Promise<CompactionOutcome>;
}

/** A session's log and everything a compaction needs, on a clock that stands still. */
export function harness(messages: readonly Message[], options: HarnessOptions = {}): Harness {
  const { script = () => "The summary.", overhead = 0, modelWindow, maxOutputTokens = 64_000, estimate, ...more } = options;
  const log = createMemoryLog({ now: () => 0 });
  say(log, ...messages);
  const meter = new ContextMeter(log.projection, { overheadTokens: () => overhead, ...(estimate ? { estimate } : {}) });
  const window = modelWindow ?? options.contextWindow;
  const clock = new ManualClock();
  const model = scriptedModel(script, {
    clock,
    ...(window === undefined ? {} : { contextWindow: window }),
    ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
  });
  const abort = new AbortController();
  const events: SummaryEvent[] = [];
  const commits: EntryDraft[][] = [];
  const ports: CompactionPorts = {
    log,
    meter,
    model,
    clock,
    random: () => 0,
    signal: abort.signal,
    reserveTokens: 16_384,
    keepRecentTokens: 20_000,
    retry: { enabled: true, maxRetries: 3, baseDelayMs: 2000, maxDelayMs: 60_000, jitter: 0 },
    limits: {},
    onEvent: (event) => events.push(event),
    commit: (drafts): Entry[] => {
      commits.push(drafts);
      return log.appendAll(drafts);
    },
    ...more,
  };
  return {
    log,
    meter,
    model,
    clock,
    abort,
    events,
    commits,
    ports,
    run: (request) => compact(ports, { reason: "threshold", omit: [], ...request }),
  };
}

/** Lets everything happen that needs no time to pass. */
export const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets the clock run on until the promise settles. */
export async function withTime<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  const progress = { settled: false };
  const settle = (): void => {
    progress.settled = true;
  };
  promise.then(settle, settle);
  for (let round = 0; !progress.settled; round += 1) {
    if (round > 1000) throw new Error("It does not settle.");
    await quiet();
    if (!progress.settled) clock.runNext();
  }
  return promise;
}

/** Tokens a request takes, answer included, by the default estimate. */
export function requestTokens(request: ModelRequest): number {
  return (
    estimateTextTokens(request.systemPrompt ?? "") +
    request.messages.reduce((total, message) => total + estimateTokens(message), 0) +
    (request.maxOutputTokens ?? 0)
  );
}

/** The text of a request's one message. */
export function promptOf(request: ModelRequest | undefined): string {
  const content = request?.messages[0]?.content;
  return typeof content === "string" ? content : "";
}
