/**
 * Plays the interactive mode in a real terminal (tmux): `npm run test:terminal`. `--captures <folder>` also keeps what the screen
 * showed. Without tmux nothing is tested, and it says so.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { captures: { type: "string" } } });
const tmux = spawnSync("tmux", ["-V"], { encoding: "utf8" });
if (tmux.status !== 0) {
  process.stdout.write(
    "Skipped: the terminal test needs tmux, which is not installed (Debian and Ubuntu: apt-get install tmux).\n0 passed, 0 failed\n",
  );
} else {
  process.stdout.write(`With ${tmux.stdout.trim()}\n`);
  const captures = values.captures === undefined ? undefined : resolve(values.captures);
  if (captures !== undefined) mkdirSync(captures, { recursive: true });
  const { status } = spawnSync(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "--root", ".", "--config", "test/terminal/vitest.config.ts"],
    {
      stdio: "inherit",
      env: { ...process.env, ...(captures === undefined ? {} : { TERMINAL_CAPTURES: captures }) },
    },
  );
  process.exitCode = status ?? 1;
}
