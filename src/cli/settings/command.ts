import { parseArgs } from "node:util";
import { settingRules } from "../../session/setting-rules.ts";
import { ExitCode } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { parseRunArguments } from "../arguments.ts";
import { UsageError } from "../usage-error.ts";
import { commandSchemas } from "./command-settings.ts";
import { effectiveSettings, type EffectiveSettings } from "./effective.ts";
import { projectFolder, projectSettingsPath, userSettingsPath } from "./files.ts";
import { settingsSchema, valueAt } from "./schema.ts";

const OWN_OPTIONS = { json: { type: "boolean" }, schema: { type: "boolean" }, paths: { type: "boolean" } } as const;

/** `agent-session settings`: the effective settings, each with where it comes from. Options of a run count here too. */
export async function runSettings(args: string[], io: Io): Promise<number> {
  const isOwn = (arg: string): boolean => Object.keys(OWN_OPTIONS).some((name) => arg === `--${name}`);
  const { values: own } = parseArgs({ args: args.filter(isOwn), options: OWN_OPTIONS });
  const { flags, words } = parseRunArguments(args.filter((arg) => !isOwn(arg)));
  if (words.length > 0)
    throw new UsageError(`agent-session settings takes no "${words[0] ?? ""}". --set KEY=VALUE shows what a value would do.`);
  if (own.schema) io.stdout.write(`${JSON.stringify(settingsSchema(), undefined, 2)}\n`);
  else if (own.paths) io.stdout.write(`${paths(io).join("\n")}\n`);
  else {
    const settings = await effectiveSettings(flags, io);
    for (const warning of settings.warnings) io.stderr.write(`warning: ${warning}\n`);
    io.stdout.write(own.json ? `${JSON.stringify(asJson(settings), undefined, 2)}\n` : table(settings));
  }
  return ExitCode.completed;
}

/** Where settings files are looked for. */
function paths(io: Io): string[] {
  return [userSettingsPath(io.env), projectSettingsPath(projectFolder(io.cwd) ?? io.cwd)];
}

interface Row {
  path: string;
  value: unknown;
  source: string;
}

function rows({ session, command, sources }: EffectiveSettings): Row[] {
  const shown = [...Object.keys(settingRules), "retry.policies", ...Object.keys(commandSchemas)];
  return shown.map((path) => ({
    path,
    value: Object.hasOwn(commandSchemas, path) ? valueAt(command, path) : valueAt(session, path),
    source: sources.get(path) ?? "default",
  }));
}

function table(settings: EffectiveSettings): string {
  const cells = rows(settings).map(({ path, value, source }) => [
    path,
    value === undefined ? "none" : JSON.stringify(value),
    source,
  ]);
  const width = (column: number): number =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0).filter((length) => length <= 40));
  const [first, second] = [width(0), width(1)];
  return cells
    .map(([path = "", value = "", source = ""]) => `${path.padEnd(first)}  ${value.padEnd(second)}  ${source}\n`)
    .join("");
}

function asJson(settings: EffectiveSettings): Record<string, { value: unknown; source: string }> {
  return Object.fromEntries(rows(settings).map(({ path, value, source }) => [path, { value: value ?? null, source }]));
}
