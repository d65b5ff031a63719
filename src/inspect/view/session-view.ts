import type { Failure } from "../../errors/types.ts";
import type { Entry } from "../../log/types.ts";
import { eventRow, stepRow, type EventRow } from "./event-rows.ts";
import type { RecordOf, SessionFacts, TracedMessage, TraceEvent, TraceRecord } from "./records.ts";

/** All the page shows of a session at one moment: the sum of its records up to then. */
export interface SessionView {
  t: number;
  id: string;
  facts: SessionFacts | undefined;
  /** Tokens of the context, as far as steps and replies tell of them. */
  contextTokens: number;
  /** The last step that led somewhere. */
  moved: RecordOf<"step"> | undefined;
  /** The run-after check made last. */
  checked: { rule: string; t: number } | undefined;
  /** The wait that began last; over when the facts name no `retryAt`. */
  wait: { delayMs: number } | undefined;
  /** The failure of the last reply or outcome, until a good message. */
  failure: { failure: Failure; t: number } | undefined;
  /** Texts of the queues. */
  queue: { steering: string[]; followUp: string[] };
  /** The reply that streams in. */
  streaming: { text: string; thinking: string; toolCall: string };
  entries: Entry[];
  /** Entries older than the records. */
  earlier: number;
  rows: EventRow[];
  ended: boolean;
}

export function emptyView(): SessionView {
  return {
    t: 0,
    id: "",
    facts: undefined,
    contextTokens: 0,
    moved: undefined,
    checked: undefined,
    wait: undefined,
    failure: undefined,
    queue: { steering: [], followUp: [] },
    streaming: nothingYet(),
    entries: [],
    earlier: 0,
    rows: [],
    ended: false,
  };
}

/** Adds a record to a view. */
export function apply(view: SessionView, record: TraceRecord): void {
  view.t = record.t;
  switch (record.kind) {
    case "session":
      view.id = record.id;
      view.facts = record.facts;
      view.contextTokens = record.facts.contextTokens;
      view.earlier = record.earlier;
      break;
    case "entries":
      view.entries.push(...record.entries);
      break;
    case "step":
      applyStep(view, record);
      view.rows.push(stepRow(record));
      break;
    case "delta":
      view.streaming[record.block] += record.text;
      break;
    case "event":
      applyEvent(view, record.event, record.t);
      view.rows.push(eventRow(record));
      break;
    case "end":
      view.ended = true;
      break;
  }
}

/** The view after the first `count` records. */
export function viewAt(records: readonly TraceRecord[], count: number): SessionView {
  const view = emptyView();
  for (const record of records.slice(0, count)) apply(view, record);
  return view;
}

function applyStep(view: SessionView, record: RecordOf<"step">): void {
  const { facts, input, path, t } = record;
  view.facts = facts;
  view.contextTokens = typeof input.contextTokens === "number" ? input.contextTokens : facts.contextTokens;
  if (path.length === 0) return;
  view.moved = record;
  // Which rule decided is told right after the step.
  if (path.some((step) => step.startsWith("deciding>"))) view.checked = undefined;
  if (facts.state === "backoff" && facts.retryAt !== null) view.wait = { delayMs: facts.retryAt - t };
}

function applyEvent(view: SessionView, event: TraceEvent, t: number): void {
  switch (event.type) {
    case "message_start":
    case "partial_discarded":
      view.streaming = nothingYet();
      break;
    case "message_end":
      view.streaming = nothingYet();
      if (event.role === "assistant") applyReply(view, event, t);
      break;
    case "agent_end":
      view.checked = { rule: event.rule, t };
      break;
    case "auto_retry_start":
      view.wait = { delayMs: event.delayMs };
      view.failure = { failure: event.failure, t };
      break;
    case "agent_settled":
      if (event.outcome.failure) view.failure = { failure: event.outcome.failure, t };
      break;
    case "queue_update":
      view.queue = { steering: event.steering, followUp: event.followUp };
      break;
  }
}

function applyReply(view: SessionView, { failure, stopReason, usage }: TracedMessage, t: number): void {
  if (failure) view.failure = { failure, t };
  if (stopReason === "error" || stopReason === "aborted") return;
  view.failure = undefined;
  view.contextTokens = usage?.totalTokens || view.contextTokens;
}

function nothingYet(): SessionView["streaming"] {
  return { text: "", thinking: "", toolCall: "" };
}
