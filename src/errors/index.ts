export { boundText } from "./bound.ts";
export { classifyFailure } from "./classify.ts";
export { describeFailure } from "./describe.ts";
export { failureFromFacts, makeFailure, toFailure } from "./failure.ts";
export { isContextOverflow, isRecoverableLength, isRetryableAssistantError } from "./parity.ts";
export { redact } from "./redact.ts";
export { type Example, type Rule } from "./rules/rule.ts";
export { ruleTable } from "./rules/index.ts";
export type * from "./types.ts";
