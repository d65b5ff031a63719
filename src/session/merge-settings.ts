import type { RetryPolicy } from "../../machines/types.ts";
import { policyKinds, policyRules, settingRules, type SettingRule } from "./setting-rules.ts";
import type { Settings, SettingsPatch } from "./settings.ts";

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

const POLICIES = "retry.policies";

/**
 * Settings with the given ones put over them. Neither argument is changed.
 *
 * @throws InvalidSettingError naming the setting, what it got and what it takes.
 */
export function mergeSettings(current: Settings, patch: SettingsPatch): Settings {
  return mergeObject(current, patch, "") as unknown as Settings;
}

function mergeObject(current: object, patch: unknown, path: string): Record<string, unknown> {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) {
    throw new InvalidSettingError(path, `${path || "settings"} is ${shown(patch)}. It takes an object.`);
  }
  const merged: Record<string, unknown> = { ...current };
  for (const [key, value] of Object.entries(patch)) {
    const setting = path === "" ? key : `${path}.${key}`;
    const rule = Object.hasOwn(settingRules, setting) ? settingRules[setting] : undefined;
    if (rule) merged[key] = value === undefined && !rule.test(undefined) ? merged[key] : checked(setting, value, rule);
    else if (setting === POLICIES) merged[key] = mergePolicies(value);
    else if (isSection(setting))
      merged[key] = value === undefined ? merged[key] : mergeObject(Object(merged[key]), value, setting);
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
        throw new InvalidSettingError(
          `${setting}.${key}`,
          `There is no setting ${setting}.${key}. A policy takes ${Object.keys(policyRules).join(", ")}.`,
        );
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
