/** Test doubles and oracles for applications that embed a session. Nothing here needs a development dependency. */
export { checkTrace, TraceChecker, type TraceOptions } from "./check-trace.ts";
export * from "./fault-server.ts";
export { heldModel, type HeldModel, type HeldRequest } from "./held-model.ts";
export { ManualClock } from "./manual-clock.ts";
export { explore, pathsOf, pathTo, randomPath, stepsOf, type Graph, type GraphEdge, type Path } from "./paths.ts";
export * from "./reference-model.ts";
export {
  scriptedModel,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
  type ScriptedToolCall,
} from "./scripted-model.ts";
export { traceInvariants, type TraceInvariant, type Violation } from "./trace-invariants.ts";
