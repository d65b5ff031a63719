import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { rpcCommands } from "../../src/cli/rpc/commands.ts";
import { ruleTable } from "../../src/errors/index.ts";
import { settingRules } from "../../src/session/setting-rules.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const pages = [
  "README.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

test.each(pages)("every link of %s leads somewhere", (page) => {
  // Code may hold what looks like a link.
  const text = read(page).replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, "");
  for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^https?:/.test(target)) continue;
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? page : normalize(join(dirname(page), path));
    expect(existsSync(join(root, file)), `${target} in ${page}`).toBe(true);
    if (anchor !== undefined) expect(anchors(read(file)), `${target} in ${page}`).toContain(anchor);
  }
});

function anchors(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

test("every RPC command is described", () => {
  const page = read("docs/rpc.md");
  for (const name of Object.keys(rpcCommands)) expect(page).toContain(`\`${name}\``);
});

test("every setting is described", () => {
  const page = read("docs/settings.md");
  for (const name of Object.keys(settingRules)) expect(page).toContain(name);
});

test("every rule is described", () => {
  const page = read("docs/errors.md");
  for (const { id } of ruleTable) expect(page).toContain(id);
});
