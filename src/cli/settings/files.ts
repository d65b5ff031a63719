import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";
import { UsageError } from "../usage-error.ts";
import { TRUSTED_ONLY } from "./command-settings.ts";
import { readSettingsFile } from "./json-file.ts";
import { pointerOf, type Layer } from "./layer.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The user's settings file: `agent-session/settings.json` in `$XDG_CONFIG_HOME`, which is `~/.config` when it is not set. */
export function userSettingsPath(env: Environment): string {
  const configured = env["XDG_CONFIG_HOME"];
  const directory = configured !== undefined && isAbsolute(configured) ? configured : join(env["HOME"] ?? homedir(), ".config");
  return join(directory, "agent-session", "settings.json");
}

/** The project's folder: the nearest one upwards that has `.agent-session/settings.json`, at most up to the one with `.git`. */
export function projectFolder(cwd: string): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (existsSync(projectSettingsPath(folder))) return folder;
    if (existsSync(join(folder, ".git")) || dirname(folder) === folder) return undefined;
  }
}

export function projectSettingsPath(folder: string): string {
  return join(folder, ".agent-session", "settings.json");
}

export function userLayer(env: Environment): Layer | undefined {
  const path = userSettingsPath(env);
  const layer = readSettingsFile(path);
  return layer && withPathsFrom(dirname(path), layer);
}

/** @throws UsageError when the project's file would start programs, load code or get keys, and the project is not trusted. */
export function projectLayer(cwd: string, options: { trusted: boolean; trustedProjects: readonly string[] }): Layer | undefined {
  const folder = projectFolder(cwd);
  if (folder === undefined) return undefined;
  const layer = readSettingsFile(projectSettingsPath(folder));
  if (!layer) return undefined;
  if (layer.values["trustedProjects"] !== undefined) {
    throw new UsageError(
      `${layer.placeOf("/trustedProjects")}: a project cannot trust itself. trustedProjects belongs in your own settings.`,
    );
  }
  const risky = TRUSTED_ONLY.find((key) => layer.values[key] !== undefined);
  if (risky !== undefined && !options.trusted && !options.trustedProjects.some((trusted) => isWithin(folder, trusted))) {
    throw new UsageError(
      `${layer.placeOf(pointerOf([risky]))}: ${risky} can start programs or send your keys elsewhere, and this folder is not trusted. ` +
        `Pass --trust-project, list ${folder} in trustedProjects of your own settings, or pass --no-project-settings.`,
    );
  }
  return withPathsFrom(folder, layer);
}

function isWithin(folder: string, trusted: string): boolean {
  const root = resolve(trusted);
  const real = existsSync(root) ? realpathSync(root) : root;
  const inside = realpathSync(folder);
  return inside === real || inside.startsWith(real.endsWith(sep) ? real : real + sep);
}

/** Relative paths in a file are relative to its folder. */
function withPathsFrom(folder: string, layer: Layer): Layer {
  const { toolModules, sessionDirectory, systemPrompt, ...values } = layer.values;
  const absolute = (path: unknown): unknown => (typeof path === "string" && path !== "" ? resolve(folder, path) : path);
  return {
    ...layer,
    values: {
      ...values,
      ...(toolModules === undefined ? {} : { toolModules: Array.isArray(toolModules) ? toolModules.map(absolute) : toolModules }),
      ...(systemPrompt === undefined
        ? {}
        : { systemPrompt: isFileName(systemPrompt) ? `@${resolve(folder, systemPrompt.slice(1))}` : systemPrompt }),
      ...(sessionDirectory === undefined ? {} : { sessionDirectory: absolute(sessionDirectory) }),
    },
  };
}

function isFileName(text: unknown): text is string {
  return typeof text === "string" && text.startsWith("@");
}
