import { authRules, modelRules, quotaRules, shortThrottleRules, throttleQuotaRules } from "./account.ts";
import { codeRules } from "./codes.ts";
import { fallbackRules } from "./fallback.ts";
import { overloadRules, runnerRules, serverRules, throttleRules } from "./load.ts";
import { certainOverflowRules, overflowRules } from "./overflow.ts";
import {
  contentRules,
  mediaRules,
  outputRules,
  outputWordingRules,
  programRules,
  requestRules,
  validationRules,
} from "./request.ts";
import type { Rule } from "./rule.ts";
import { configRules } from "./config.ts";
import { connectRules, networkRules, timeoutRules } from "./connection.ts";
import { garbledStreamRules, streamRules } from "./stream.ts";

/** The rules that read codes and wording, in the order in which they are tried: what stops comes before what repeats. */
const rules: readonly Rule[] = [
  ...programRules,
  ...outputRules,
  ...certainOverflowRules,
  ...outputWordingRules,
  ...codeRules,
  ...garbledStreamRules,
  ...validationRules,
  ...shortThrottleRules,
  ...throttleQuotaRules,
  ...quotaRules,
  ...mediaRules,
  ...overflowRules,
  ...contentRules,
  ...requestRules,
  ...modelRules,
  ...configRules,
  ...overloadRules,
  ...throttleRules,
  ...authRules,
  ...runnerRules,
  ...connectRules,
  ...timeoutRules,
  ...streamRules,
  ...networkRules,
  ...serverRules,
];

/** The rules, and those that are tried when none of them matched. */
export interface RuleBook {
  readonly rules: readonly Rule[];
  readonly fallbackRules: readonly Rule[];
}

export const ruleBook: RuleBook = { rules, fallbackRules };

/** The whole table, in order. */
export const ruleTable: readonly Rule[] = [...rules, ...fallbackRules];
