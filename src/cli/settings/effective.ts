import { InvalidSettingError, mergeSettings } from "../../session/merge-settings.ts";
import { settingRules } from "../../session/setting-rules.ts";
import { defaultSettings, type Settings } from "../../session/settings.ts";
import type { Flags } from "../arguments.ts";
import type { Io } from "../io.ts";
import { didYouMean } from "../close-matches.ts";
import { UsageError } from "../usage-error.ts";
import { commandPart, commandSchemas, isCommandSetting, type CommandSettings } from "./command-settings.ts";
import { environmentLayer } from "./environment.ts";
import { projectLayer, userLayer } from "./files.ts";
import { flagLayer } from "./flag-layer.ts";
import { badSetting, isObject, pointerOf, type Layer } from "./layer.ts";

/** All settings with every source applied: defaults, user's file, project's file, environment, flags; the later the weightier. */
export interface EffectiveSettings {
  /** Those of the session. */
  readonly session: Settings;
  /** Those of the command. */
  readonly command: CommandSettings;
  /** Where a setting got its value, by its path; what is not in it has its default. */
  readonly sources: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

/** @throws UsageError saying where a bad value stands, what it is and what the setting takes. */
export async function effectiveSettings(flags: Flags, io: Pick<Io, "env" | "cwd">): Promise<EffectiveSettings> {
  const merging = new Merging();
  const warnings: string[] = [];
  const user = userLayer(io.env);
  if (user) await merging.add(user);
  if (flags["no-project-settings"] !== true) {
    const trust = { trusted: flags["trust-project"] === true, trustedProjects: merging.command.trustedProjects ?? [] };
    const project = projectLayer(io.cwd, trust);
    if (project) await merging.add(project);
  }
  await merging.add(environmentLayer(io.env, warnings));
  await merging.add(flagLayer(flags));
  return { session: merging.session, command: merging.command, sources: merging.sources, warnings };
}

class Merging {
  session = defaultSettings;
  command: CommandSettings = {};
  readonly sources = new Map<string, string>();

  async add(layer: Layer): Promise<void> {
    const patch: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(layer.values)) {
      if (key === "$schema" || isCommandSetting(key)) continue;
      if (!isSessionSetting(key)) {
        const known = [...SESSION_KEYS, ...Object.keys(commandSchemas)];
        throw new UsageError(
          `${layer.placeOf(pointerOf([key]))}: there is no setting "${key}".${didYouMean(key, known) || ` The settings are ${known.join(", ")}.`}`,
        );
      }
      patch[key] = nullsAsUndefined(value);
    }
    try {
      this.session = mergeSettings(this.session, patch);
    } catch (error) {
      throw error instanceof InvalidSettingError ? badSetting(layer, error) : error;
    }
    this.#addCommand(await commandPart(layer));
    for (const path of settingPaths(layer.values)) this.sources.set(path, layer.placeOf(pointerOf(path.split("."))));
  }

  /** Entries by name add up; everything else is replaced. */
  #addCommand(part: CommandSettings): void {
    const { mcpServers, providers, models } = this.command;
    this.command = { ...this.command, ...part };
    if (mcpServers) this.command.mcpServers = { ...mcpServers, ...part.mcpServers };
    if (providers) this.command.providers = { ...providers, ...part.providers };
    if (models) this.command.models = { ...models, ...part.models };
  }
}

const SESSION_KEYS = [...new Set(Object.keys(settingRules).map((path) => path.split(".")[0] ?? path))];

function isSessionSetting(key: string): boolean {
  return SESSION_KEYS.includes(key);
}

function nullsAsUndefined(value: unknown): unknown {
  if (value === null) return undefined;
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, nullsAsUndefined(inner)]))
    : value;
}

/** The paths of the settings that are set: those of the session to their ends, those of the command by their name. */
function settingPaths(values: Readonly<Record<string, unknown>>, prefix = ""): string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const path = `${prefix}${key}`;
    if (path === "$schema") return [];
    const isSection = isObject(value) && !isCommandSetting(path) && settingRules[path] === undefined && path !== "retry.policies";
    return isSection ? settingPaths(value, `${path}.`) : [path];
  });
}
