import { parseArgs } from "node:util";
import { ExitCode } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { effectiveSettings } from "../settings/effective.ts";
import { catalogue, type ListedModel } from "./catalogue.ts";

/** `agent-session models`: the list, with what the settings change. */
export async function runModels(args: string[], io: Io): Promise<number> {
  const { positionals } = parseArgs({ args, options: {}, allowPositionals: true });
  const { command } = await effectiveSettings({}, io);
  const wanted = positionals.map((text) => text.toLowerCase());
  const models = [...catalogue(command.models).entries()].filter(([key]) =>
    wanted.every((text) => key.toLowerCase().includes(text)),
  );
  if (models.length === 0) {
    io.stderr.write(`No known model has ${positionals.map((text) => `"${text}"`).join(" and ")} in its name.\n`);
    return ExitCode.failed;
  }
  const rows = [
    ["model", "window", "output", "$ per million tokens, in/out", ""],
    ...models.map(([key, model]) => row(key, model)),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0))) ?? [];
  for (const cells of rows)
    io.stdout.write(
      `${cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()}\n`,
    );
  return ExitCode.completed;
}

function row(key: string, { contextWindow, maxOutputTokens, prices, from }: ListedModel): string[] {
  return [
    key,
    tokens(contextWindow),
    tokens(maxOutputTokens),
    prices ? `${prices.input} / ${prices.output}` : "-",
    from === "settings" ? "(settings)" : "",
  ];
}

function tokens(count: number | undefined): string {
  return count === undefined ? "-" : String(count);
}
