/** The inspector: a local page that shows sessions as they run, traces of them, and a bridge to the Stately inspector. */
export { createInspector, type Inspector, type InspectorOptions } from "./inspector.ts";
export type { RecorderOptions } from "./recorder.ts";
export { replayTrace, type ReplayDifference, type ReplayResult } from "./replay.ts";
export { sessionEvents } from "./session-events.ts";
export { connectStately, type StatelyInspector } from "./stately.ts";
export { readTrace, recordTrace, TraceError, traceToFile, type Trace, type TraceFile } from "./trace.ts";
export type { RecordOf, SessionFacts, TraceEvent, TraceRecord } from "./view/records.ts";
