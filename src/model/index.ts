export { isLocal, MissingApiKeyError } from "./adapter/api-key.ts";
export { continuationOf } from "./continuation.ts";
export type { ModelOptions } from "./model-options.ts";
export { readReply, type ReadReplyOptions, type StreamLimits } from "./read-reply.ts";
export { ABORTED_MESSAGE, emptyReply, emptyUsage, failedReply, hasAnswer } from "./reply.ts";
export type * from "./types.ts";
export { usageOf } from "./usage.ts";
