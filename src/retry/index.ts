export { backoffDelayMs } from "../../machines/backoff.ts";
export { type Clock, sleep, systemClock } from "./clock.ts";
export { exec, type ExecContext, ExecFailed, type ExecOptions, type ExecResult } from "./exec.ts";
export { retry, RetryExhausted, type RetryNotice, type RetryOptions, type RetryResult } from "./retry.ts";
