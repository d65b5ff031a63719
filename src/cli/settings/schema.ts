import { policyKinds, policyRules, settingRules } from "../../session/setting-rules.ts";
import { defaultSettings } from "../../session/settings.ts";
import { commandSchemas } from "./command-settings.ts";
import { settingMeanings } from "./meanings.ts";
import { isObject } from "./layer.ts";

type Schema = Record<string, unknown>;

/** JSON Schema of a settings file, made from the rules that settings are checked by. */
export function settingsSchema(): Schema {
  const properties: Schema = {
    $schema: { type: "string", description: "Where this schema is, for editors." },
    ...commandSchemas,
  };
  for (const [path, { schema, accepts }] of Object.entries(settingRules)) {
    const value = defaultOf(path);
    place(properties, path.split("."), {
      description: `${settingMeanings[path] ?? path}. ${capital(accepts)}`,
      ...schema,
      ...(value === undefined ? {} : { default: value }),
    });
  }
  place(properties, ["retry", "policies"], {
    type: "object",
    description: `${settingMeanings["retry.policies"]}.`,
    properties: Object.fromEntries(policyKinds.map((kind) => [kind, policySchema()])),
    additionalProperties: false,
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Settings of agent-session",
    description: "~/.config/agent-session/settings.json, or .agent-session/settings.json in a project.",
    type: "object",
    properties,
    additionalProperties: false,
  };
}

function policySchema(): Schema {
  const properties = Object.fromEntries(
    Object.entries(policyRules).map(([key, { schema, accepts }]) => [key, { description: capital(accepts), ...schema }]),
  );
  return { type: "object", properties, additionalProperties: false };
}

/** Puts a schema under a path, in sections that are objects. */
function place(properties: Schema, [key = "", ...rest]: string[], schema: Schema): void {
  if (rest.length === 0) {
    properties[key] = schema;
    return;
  }
  const section = properties[key] ?? (properties[key] = { type: "object", properties: {}, additionalProperties: false });
  if (isObject(section) && isObject(section["properties"])) place(section["properties"], rest, schema);
}

/** The default under a path of the settings. */
export function defaultOf(path: string): unknown {
  return valueAt(defaultSettings, path);
}

/** The value under a dotted path. */
export function valueAt(settings: object, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), settings);
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}
