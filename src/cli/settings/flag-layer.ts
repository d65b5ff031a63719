import type { Flags } from "../arguments.ts";
import { UsageError } from "../usage-error.ts";
import { isTextSetting } from "./environment.ts";
import { pointerOf, setPath, typedValue, type Layer } from "./layer.ts";

/** Settings of the command line: `--set key=value`, and the options that are short for one. */
export function flagLayer(flags: Flags): Layer {
  const values: Record<string, unknown> = {};
  const places = new Map<string, string>();
  const put = (place: string, path: string, value: unknown): void => {
    setPath(values, path, value);
    places.set(pointerOf(path.split(".")), place);
  };
  for (const given of flags.set ?? []) {
    const at = given.indexOf("=");
    if (at <= 0) throw new UsageError(`--set takes KEY=VALUE, as in retry.maxRetries=5; got "${given}".`);
    const path = given.slice(0, at).trim();
    const text = given.slice(at + 1);
    put(`--set ${path}`, path, isTextSetting(path) ? text : typedValue(text));
  }
  if (flags["max-retries"] !== undefined) put("--max-retries", "retry.maxRetries", typedValue(flags["max-retries"]));
  if (flags.thinking !== undefined) put("--thinking", "thinkingLevel", flags.thinking);
  if (flags.model !== undefined) put("--model", "model", flags.model);
  if (flags["session-dir"] !== undefined) put("--session-dir", "sessionDirectory", flags["session-dir"]);
  return { values, placeOf: (pointer) => places.get(pointer) ?? "--set" };
}
