export { LogError, LogLockedError, NotASessionFileError } from "./errors.ts";
export type { LogErrorKind } from "./errors.ts";
export type { LockHolder } from "./lock.ts";
export { createMemoryLog } from "./memory-log.ts";
export type { MemoryLogOptions } from "./memory-log.ts";
export { isFailedReply } from "./shown-message.ts";
export type * from "./types.ts";
