import type { Session } from "../session/session.ts";
import { record, type RecorderOptions } from "./recorder.ts";
import type { TraceRecord } from "./view/records.ts";

/** What is known of one session, for whoever looks: its last records, and those that come. */
export interface Feed {
  readonly key: string;
  readonly title: string;
  /** Set while the session can be told what to do. */
  readonly session?: Session;
  /** The first record, and the latest others. */
  readonly records: readonly TraceRecord[];
  /** Nothing more will come. */
  readonly ended: boolean;
  /** Ends the recording; what is known stays. */
  stop(): void;
}

/** Records kept for pages that are opened later. */
const HISTORY = 20_000;

/** @param onRecord Told of each record that comes after this call. */
export function liveFeed(key: string, session: Session, onRecord: (record: TraceRecord) => void, options: RecorderOptions): Feed {
  const records: TraceRecord[] = [];
  let begun = false;
  let ended = false;
  const stopRecording = record(
    session,
    (added) => {
      records.push(added);
      // Cut rarely, so that a record costs no copy. The first tells where it all began.
      if (records.length > HISTORY * 1.25) records.splice(1, records.length - HISTORY);
      if (added.kind === "end") ended = true;
      if (begun) onRecord(added);
    },
    options,
  );
  begun = true;
  return {
    key,
    title: session.log.name ?? session.id.slice(0, 8),
    session,
    records,
    get ended() {
      return ended;
    },
    stop() {
      ended = true;
      stopRecording();
    },
  };
}

export function recordedFeed(key: string, title: string, records: readonly TraceRecord[]): Feed {
  return { key, title, records, ended: false, stop: () => undefined };
}
