export { type Clock, sleep, systemClock } from "./clock.ts";
export { retry, RetryExhausted, type RetryNotice, type RetryOptions, type RetryResult } from "./retry.ts";
