/** Builds `dist/`: compiles machines and sources, and gives the command its execute permission. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
rmSync(`${root}/dist`, { recursive: true, force: true });
const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);
const command = `${root}/dist/src/cli/bin.js`;
if (existsSync(command)) chmodSync(command, 0o755);
