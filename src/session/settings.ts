import type { PolicySettings, RetryPolicy } from "../../machines/types.ts";
import type { FailureKind } from "../errors/types.ts";
import type { Durability } from "../log/index.ts";
import type { ThinkingLevel } from "../model/types.ts";

export type QueueMode = "one-at-a-time" | "all";

/** All settings of a session, with every default filled in. All times are milliseconds. */
export interface Settings extends PolicySettings {
  retry: PolicySettings["retry"] & {
    /** Retry of a single HTTP request, underneath the session's own. Leave it at 0 unless you know why. */
    provider: {
      maxRetries: number;
      /** A demanded wait above this fails at once; 0 for no limit. */
      maxRetryDelayMs: number;
      timeoutMs: number | undefined;
    };
  };
  stream: {
    /** Until the first model event; undefined for no limit. */
    firstEventMs: number | undefined;
    /** Between model events. */
    idleMs: number | undefined;
    /** For the whole reply. */
    totalMs: number | undefined;
    /** What a reply cut in mid-text is followed by: the same request, or a request to go on from the partial text. */
    onInterrupted: "restart" | "continue";
  };
  compaction: PolicySettings["compaction"] & { keepRecentTokens: number };
  tools: {
    timeoutMs: number;
    /** Tokens one tool result may take in the context; never more than a quarter of the window. */
    maxResultTokens: number;
  };
  limits: {
    /** Assistant messages per prompt; undefined for no limit. */
    maxTurns: number | undefined;
    /** Model requests per prompt, retries and summaries included. */
    maxRequests: number | undefined;
  };
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  thinkingLevel: ThinkingLevel;
  /**
   * When a file log is synced to the disk: never, at each settle and before each wait, or at each entry. Default what the log was
   * opened with.
   */
  durability: Durability;
}

type Deep<T> = T extends (infer Item)[] ? Item[] : T extends object ? { [K in keyof T]?: Deep<T[K]> | undefined } : T;

/** Settings to change; what is absent keeps its value. */
export type SettingsPatch = Deep<Settings>;

export const defaultSettings: Settings = {
  retry: {
    enabled: true,
    maxRetries: 3,
    baseDelayMs: 2_000,
    maxAgentDelayMs: 60_000,
    jitter: 0,
    longWait: { waitUpToMs: 600_000 },
    policies: {},
    provider: { maxRetries: 0, maxRetryDelayMs: 60_000, timeoutMs: undefined },
  },
  stream: { firstEventMs: 300_000, idleMs: 300_000, totalMs: undefined, onInterrupted: "restart" },
  compaction: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 },
  tools: { timeoutMs: 600_000, maxResultTokens: 25_000 },
  limits: { maxTurns: undefined, maxRequests: undefined },
  abortGraceMs: 5_000,
  steeringMode: "one-at-a-time",
  followUpMode: "one-at-a-time",
  thinkingLevel: "off",
  durability: "settle",
};

/** A setting was given that does not exist, or a value it does not take. */
export class InvalidSettingError extends Error {
  /** Path of the setting, such as `retry.maxRetries`. */
  readonly setting: string;

  constructor(setting: string, message: string) {
    super(message);
    this.name = "InvalidSettingError";
    this.setting = setting;
  }
}

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

const POLICIES = "retry.policies";

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

/**
 * Settings with the given ones put over them. Neither argument is changed.
 *
 * @throws InvalidSettingError naming the setting, what it got and what it takes.
 */
export function mergeSettings(current: Settings, patch: SettingsPatch): Settings {
  if (patch && Object.keys(patch).length === 0) return current;
  return mergeObject(current, patch, "") as unknown as Settings;
}

function mergeObject(current: object, patch: unknown, path: string): Record<string, unknown> {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) {
    throw new InvalidSettingError(path, `${path || "settings"} is ${shown(patch)}. It takes an object.`);
  }
  const merged: Record<string, unknown> = { ...current };
  for (const [key, value] of Object.entries(patch)) {
    const setting = path === "" ? key : `${path}.${key}`;
    const rule = settingRules[setting];
    if (rule) merged[key] = checked(setting, value, rule);
    else if (setting === POLICIES) merged[key] = mergePolicies(value);
    else if (isSection(setting)) merged[key] = value === undefined ? merged[key] : mergeObject(Object(merged[key]), value, setting);
    else throw unknownSetting(setting);
  }
  return merged;
}

function mergePolicies(value: unknown): Record<string, RetryPolicy> {
  const policies: Record<string, RetryPolicy> = {};
  for (const [kind, policy] of Object.entries(mergeable(POLICIES, value))) {
    const setting = `${POLICIES}.${kind}`;
    if (!policyKinds.some((known) => known === kind)) {
      throw new InvalidSettingError(setting, `${setting} names no kind of failure. The kinds are ${policyKinds.join(", ")}.`);
    }
    for (const [key, given] of Object.entries(mergeable(setting, policy))) {
      const rule = Object.entries(policyRules).find(([name]) => name === key)?.[1];
      if (!rule) {
        throw new InvalidSettingError(`${setting}.${key}`, `There is no setting ${setting}.${key}. A policy takes ${Object.keys(policyRules).join(", ")}.`);
      }
      checked(`${setting}.${key}`, given, rule);
    }
    policies[kind] = { ...mergeable(setting, policy) };
  }
  return policies;
}

function mergeable(setting: string, value: unknown): object {
  if (value === null || typeof value !== "object") {
    throw new InvalidSettingError(setting, `${setting} is ${shown(value)}. It takes an object.`);
  }
  return value;
}

function checked(setting: string, value: unknown, rule: SettingRule): unknown {
  if (!rule.test(value)) throw new InvalidSettingError(setting, `${setting} is ${shown(value)}. It takes ${rule.accepts}.`);
  return value;
}

function isSection(setting: string): boolean {
  return Object.keys(settingRules).some((known) => known.startsWith(`${setting}.`));
}

function unknownSetting(setting: string): InvalidSettingError {
  const section = setting.includes(".") ? setting.slice(0, setting.lastIndexOf(".") + 1) : "";
  const known = [...Object.keys(settingRules), POLICIES].filter((name) => name.startsWith(section));
  return new InvalidSettingError(setting, `There is no setting ${setting}. The settings are ${known.join(", ")}.`);
}

function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : typeof value === "object" && value ? "an object" : String(value);
}
