/**
 * Builds `dist/`: declarations by TypeScript, code bundled by entry, so that importing the library reads a handful of files instead
 * of a hundred. What the package exports is what is built. The inspector's page stays in single files: a browser loads them.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const root = fileURLToPath(new URL("../..", import.meta.url));
const description = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));

const built: string[] = [
  ...Object.values(description.exports as Record<string, string | { default: string }>).map((target) =>
    typeof target === "string" ? target : target.default,
  ),
  ...Object.values(description.bin as Record<string, string>),
].filter((path) => path.endsWith(".js"));
const names = built.map((path) => path.replace(/^(\.\/)?dist\//, "").replace(/\.js$/, ""));

rmSync(`${root}/dist`, { recursive: true, force: true });
const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);
const pageFolders = /^src\/inspect\/(page|view)\//;
for (const path of readdirSync(`${root}/dist`, { recursive: true, encoding: "utf8" })) {
  if (path.endsWith(".js") && !pageFolders.test(path)) rmSync(`${root}/dist/${path}`);
}
const declared = reachableDeclarations(names.map((name) => `${name}.d.ts`));
for (const path of readdirSync(`${root}/dist`, { recursive: true, encoding: "utf8" })) {
  if (path.endsWith(".d.ts") && !declared.has(path)) rmSync(`${root}/dist/${path}`);
}
const input = [...names, "src/inspect/page-files"];
await build({
  cwd: root,
  input: Object.fromEntries(input.map((name) => [name, `${root}/${name}.ts`])),
  platform: "node",
  // Everything from npm stays a dependency of whoever installs the package.
  external: /^[^./]/,
  output: {
    dir: "dist",
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "shared/[name]-[hash].js",
    // What every session needs is one file.
    codeSplitting: {
      groups: [{ name: "core", test: /\/(machines|src\/(session|agent|errors|log|retry|compaction|model))\/[^/]+\.ts$/ }],
    },
  },
});
for (const path of Object.values(description.bin as Record<string, string>)) chmodSync(`${root}/${path}`, 0o755);

/** The declarations that those of the entries speak of; the rest is nobody's to see. */
function reachableDeclarations(entries: readonly string[]): Set<string> {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    const text = readFileSync(`${root}/dist/${path}`, "utf8");
    for (const [, target = ""] of text.matchAll(/(?:from|import\()\s*"(\.[^"]+)\.[jt]s"/g))
      visit(join(dirname(path), `${target}.d.ts`));
  };
  for (const entry of entries) visit(entry);
  return reached;
}
