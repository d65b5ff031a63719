import { InvalidSettingError } from "../../session/merge-settings.ts";
import { UsageError } from "../usage-error.ts";

/** Settings of one source. */
export interface Layer {
  /** Nested, as in a file. */
  values: Readonly<Record<string, unknown>>;
  /** Where a setting stands, for people: a file and line, a variable, a flag. `pointer` as in `/retry/maxRetries`. */
  placeOf(pointer: string): string;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON pointer of a path of keys (RFC 6901). */
export function pointerOf(keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** A UsageError that says where the bad setting stands. */
export function badSetting(layer: Layer, error: InvalidSettingError): UsageError {
  return new UsageError(`${layer.placeOf(pointerOf(error.setting.split(".")))}: ${error.message}`, { cause: error });
}

/** Puts a value into nested settings under a dotted path. */
export function setPath(values: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split(".");
  const last = keys.pop() ?? path;
  let section = values;
  for (const key of keys) {
    const inner = section[key];
    section = isObject(inner) ? inner : (section[key] = {});
  }
  section[last] = value;
}

/** A value typed as text: JSON where it is JSON, `none` for no limit, else the text itself. */
export function typedValue(text: string): unknown {
  if (text === "none") return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
