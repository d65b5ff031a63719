/** Writes what is generated of the settings: their JSON Schema, and the table in `docs/settings.md`. */
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { settingMeanings } from "../../src/cli/settings/meanings.ts";
import { defaultOf, settingsSchema } from "../../src/cli/settings/schema.ts";
import { settingRules } from "../../src/session/setting-rules.ts";

export const SCHEMA = new URL("../settings.schema.json", import.meta.url);
export const PAGE = new URL("../settings.md", import.meta.url);
const BEGIN = "<!-- The table is generated: node docs/generate/settings.ts -->";
const END = "<!-- End of the table -->";

/** Every setting of a session, as a Markdown table. */
export function settingsTable(): string {
  const rows = Object.entries(settingRules).map(([path, { accepts }]) => {
    const value = defaultOf(path);
    return `| \`${path}\` | ${value === undefined ? "none" : `\`${JSON.stringify(value)}\``} | ${settingMeanings[path] ?? ""} | ${accepts} |`;
  });
  return ["| setting | default | meaning | takes |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

/** The page with its table as it should be. */
export function pageWithTable(page: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error("docs/settings.md has lost the lines its table stands between.");
  return `${before}${BEGIN}\n\n${settingsTable()}\n\n${END}${after}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  writeFileSync(SCHEMA, `${JSON.stringify(settingsSchema(), undefined, 2)}\n`);
  writeFileSync(PAGE, pageWithTable(readFileSync(PAGE, "utf8")));
}
