import { settingRules } from "../../session/setting-rules.ts";
import { didYouMean } from "../close-matches.ts";
import { pointerOf, setPath, typedValue, type Layer } from "./layer.ts";

const PREFIX = "AGENT_SESSION_";

/** Settings of the command that are one text. */
const TEXTS = ["model", "compactionModel", "systemPrompt", "sessionDirectory"];

/** Settings whose value is taken as it is typed, also when it would be JSON. */
export function isTextSetting(path: string): boolean {
  return TEXTS.includes(path);
}

/** The variable of a setting: `retry.maxRetries` is `AGENT_SESSION_RETRY_MAX_RETRIES`. */
export function variableOf(path: string): string {
  return (
    PREFIX +
    path
      .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
      .replaceAll(".", "_")
      .toUpperCase()
  );
}

const paths: ReadonlyMap<string, string> = new Map(
  [...Object.keys(settingRules), ...TEXTS].map((path) => [variableOf(path), path]),
);

/** Every variable that sets something, with the setting's path. */
export const settingVariables: ReadonlyMap<string, string> = paths;

/** Settings of the environment. Variables with our prefix that set nothing are told, not refused: they may be someone else's. */
export function environmentLayer(env: Readonly<Record<string, string | undefined>>, warnings: string[]): Layer {
  const values: Record<string, unknown> = {};
  const places = new Map<string, string>();
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith(PREFIX) || text === undefined || text === "") continue;
    const path = paths.get(variable);
    if (path === undefined) {
      warnings.push(`The variable ${variable} sets nothing.${didYouMean(variable, paths.keys())}`);
      continue;
    }
    setPath(values, path, isTextSetting(path) ? text : typedValue(text));
    places.set(pointerOf(path.split(".")), variable);
  }
  return { values, placeOf: (pointer) => places.get(pointer) ?? "the environment" };
}
