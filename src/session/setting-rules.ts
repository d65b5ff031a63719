import type { RetryPolicy } from "../../machines/types.ts";
import type { FailureKind } from "../errors/types.ts";

/** What a setting takes: for people, as JSON Schema, and as a test. */
export interface SettingRule {
  accepts: string;
  schema: Readonly<Record<string, unknown>>;
  test: (value: unknown) => boolean;
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const milliseconds: SettingRule = {
  accepts: "a finite number of milliseconds, 0 or more",
  schema: { type: "number", minimum: 0 },
  test: (v) => isNumber(v) && v >= 0,
};
const positive: SettingRule = {
  accepts: "a finite number of milliseconds above 0",
  schema: { type: "number", exclusiveMinimum: 0 },
  test: (v) => isNumber(v) && v > 0,
};
const count: SettingRule = {
  accepts: "a whole number, 0 or more",
  schema: { type: "integer", minimum: 0 },
  test: (v) => Number.isSafeInteger(v) && Number(v) >= 0,
};
const atLeastOne: SettingRule = {
  accepts: "a whole number, 1 or more",
  schema: { type: "integer", minimum: 1 },
  test: (v) => Number.isSafeInteger(v) && Number(v) >= 1,
};
const flag: SettingRule = { accepts: "true or false", schema: { type: "boolean" }, test: (v) => typeof v === "boolean" };
const fraction: SettingRule = {
  accepts: "a number from 0 to 1",
  schema: { type: "number", minimum: 0, maximum: 1 },
  test: (v) => isNumber(v) && v >= 0 && v <= 1,
};

function optional({ accepts, schema, test }: SettingRule): SettingRule {
  return {
    accepts: `${accepts}, or nothing for no limit`,
    // JSON has no undefined: null stands for it in files.
    schema: { anyOf: [schema, { type: "null" }] },
    test: (value) => value === undefined || test(value),
  };
}

function oneOf(...values: string[]): SettingRule {
  return {
    accepts: values.map((value) => `"${value}"`).join(" or "),
    schema: { enum: values },
    test: (value) => values.some((known) => known === value),
  };
}

/** Every setting by its path, with what it takes. `retry.policies` holds one of `policyRules` for each kind of failure. */
export const settingRules: Readonly<Record<string, SettingRule>> = {
  "retry.enabled": flag,
  "retry.maxRetries": count,
  "retry.baseDelayMs": milliseconds,
  "retry.maxAgentDelayMs": milliseconds,
  "retry.jitter": fraction,
  "retry.longWait.waitUpToMs": milliseconds,
  "retry.provider.maxRetries": count,
  "retry.provider.maxRetryDelayMs": milliseconds,
  "retry.provider.timeoutMs": optional(positive),
  "stream.firstEventMs": optional(positive),
  "stream.idleMs": optional(positive),
  "stream.totalMs": optional(positive),
  "stream.onInterrupted": oneOf("restart", "continue"),
  "compaction.enabled": flag,
  "compaction.reserveTokens": count,
  "compaction.keepRecentTokens": count,
  "tools.timeoutMs": positive,
  "tools.maxResultTokens": atLeastOne,
  "limits.maxTurns": optional(atLeastOne),
  "limits.maxRequests": optional(atLeastOne),
  abortGraceMs: milliseconds,
  steeringMode: oneOf("one-at-a-time", "all"),
  followUpMode: oneOf("one-at-a-time", "all"),
  thinkingLevel: oneOf("off", "minimal", "low", "medium", "high", "xhigh"),
  durability: oneOf("none", "settle", "entry"),
};

/** What a policy of `retry.policies` takes. */
export const policyRules: Readonly<Record<keyof RetryPolicy, SettingRule>> = {
  action: oneOf("retry", "stop"),
  maxRetries: count,
  baseDelayMs: milliseconds,
  maxAgentDelayMs: milliseconds,
};

/** The kinds of failure `retry.policies` may name. Overflow is not among them: its one way out is compaction. */
export const policyKinds: readonly FailureKind[] = [
  "overloaded",
  "rate_limited",
  "server_error",
  "timeout",
  "network",
  "stream_interrupted",
  "quota_exhausted",
  "auth",
  "invalid_request",
  "model_not_found",
  "content_policy",
  "output_limit",
  "config",
  "unknown",
];
