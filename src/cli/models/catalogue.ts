import type { ModelEntry } from "../settings/command-settings.ts";
import { knownModels } from "./known-models.ts";

/** A model of the list. */
export interface ListedModel extends ModelEntry {
  provider: string;
  id: string;
  /** `list` for what comes with the command, `settings` for what was added or changed. */
  from: "list" | "settings";
}

/** The known models by `provider/id`, with the entries of the settings over them. */
export function catalogue(entries: Readonly<Record<string, ModelEntry>> = {}): ReadonlyMap<string, ListedModel> {
  const all = new Map<string, ListedModel>();
  for (const [key, entry] of Object.entries(knownModels)) all.set(key, { ...named(key), ...entry, from: "list" });
  for (const [key, entry] of Object.entries(entries)) {
    all.set(key, { ...named(key), ...all.get(key), ...entry, from: "settings" });
  }
  return all;
}

function named(key: string): Pick<ListedModel, "provider" | "id"> {
  const at = key.indexOf("/");
  return { provider: key.slice(0, Math.max(0, at)), id: key.slice(at + 1) };
}
