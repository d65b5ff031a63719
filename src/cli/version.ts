import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The version of the package this file belongs to: sources lie two folders below its root, built files three. */
export function version(): string {
  for (const up of ["../../", "../../../"]) {
    const path = fileURLToPath(new URL(`${up}package.json`, import.meta.url));
    if (!existsSync(path)) continue;
    const { name, version: found }: { name?: unknown; version?: unknown } = JSON.parse(readFileSync(path, "utf8"));
    if (name === "agent-session-machine" && typeof found === "string") return found;
  }
  throw new Error("The package.json of agent-session-machine was not found beside its files.");
}
