import type { Hello, TraceRecord } from "../view/records.ts";
import { apply, emptyView, type SessionView } from "../view/session-view.ts";
import { toneOf } from "./chart.ts";

/** A session the page is told of, whether it is looked at or not. */
export class WatchedSession {
  readonly key: string;
  readonly title: string;
  /** It may go on; a recorded one does not. */
  readonly live: boolean;
  readonly records: TraceRecord[] = [];
  /** The view of now: the sum of all records. */
  latest = emptyView();

  constructor({ key, title, live }: Hello["sessions"][number]) {
    this.key = key;
    this.title = title;
    this.live = live;
  }

  add(records: readonly TraceRecord[]): void {
    for (const record of records) {
      // The page came back, and is told from the beginning again.
      if (record.kind === "session") this.#clear();
      this.records.push(record);
      apply(this.latest, record);
    }
  }

  /** For a short list of sessions. */
  get summary(): { state: string; tone: string; detail: string } {
    const { facts } = this.latest;
    const detail = facts && facts.attempt > 0 ? `retry ${facts.attempt} of ${facts.maxAttempts}` : "";
    return { state: stateText(this.latest), tone: toneOf(facts), detail };
  }

  /** A countdown is under way. */
  get counts(): boolean {
    return this.live && this.latest.facts?.state === "backoff";
  }

  #clear(): void {
    this.records.length = 0;
    this.latest = emptyView();
  }
}

export function stateText({ facts, ended }: SessionView): string {
  if (!facts) return "…";
  const outcome = facts.outcome ? ` · ${facts.outcome.status}${facts.outcome.cut ? ", cut" : ""}` : "";
  const name = facts.state === "settled" ? `settled${outcome}` : (facts.state.split(".").at(-1) ?? "");
  const state = name === "live" ? "running" : name;
  return ended ? `${state} · closed` : state;
}
