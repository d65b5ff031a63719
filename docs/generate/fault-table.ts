import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { faults } from "../../src/testing/fault-server.ts";
import { wireFormats } from "../../src/testing/fault-server/formats/index.ts";

/** The page that holds the table, and the lines that it stands between. */
export const PAGE = new URL("../fault-server.md", import.meta.url);
const BEGIN = "<!-- The table is generated: node docs/generate/fault-table.ts -->";
const END = "<!-- End of the table -->";

/** Every step with what it does and what a client should make of it, as a Markdown table. */
export function faultTable(): string {
  const all = Object.keys(wireFormats).length;
  const rows = Object.values(faults).map(({ usage, title, description, formats, examples }) => {
    const only = formats.length === all ? "" : ` Only ${formats.map((name) => wireFormats[name].title).join(" and ")}.`;
    const means = [...new Set(examples.map((example) => example.means[0]))].join(", ");
    return `| \`${usage.replaceAll("|", "\\|")}\` | **${title}**: ${description.replaceAll("|", "\\|")}${only} | ${means} |`;
  });
  return ["| step | what happens | what it means |", "|---|---|---|", ...rows].join("\n");
}

/** `page` with the table as it is now. @throws Error when the page has no place for it. */
export function withTable(page: string): string {
  const [before, after] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (before === -1 || after < before) throw new Error(`docs/fault-server.md needs the lines "${BEGIN}" and "${END}"`);
  return `${page.slice(0, before)}${BEGIN}\n\n${faultTable()}\n\n${page.slice(after)}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  writeFileSync(PAGE, withTable(readFileSync(PAGE, "utf8")));
}
