/**
 * Lets code of this tree import the package by its name without a build, as the examples do:
 * `node --import ./test/tools/self.ts docs/examples/…`.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

const NAME = "agent-session-machine";
const root = new URL("../../", import.meta.url);
const { exports } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));

/** The source behind an export of the package, as a path from the root; undefined for anything else. */
export function sourceOf(specifier: string): string | undefined {
  if (specifier !== NAME && !specifier.startsWith(`${NAME}/`)) return undefined;
  const target = exports[`.${specifier.slice(NAME.length)}`]?.default;
  return typeof target === "string" ? target.replace("./dist/", "").replace(/\.js$/, ".ts") : undefined;
}

registerHooks({
  resolve(specifier, context, next) {
    const source = sourceOf(specifier);
    return source === undefined ? next(specifier, context) : { url: new URL(source, root).href, shortCircuit: true };
  },
});
