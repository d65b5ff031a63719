import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { basename, isAbsolute, join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Where sessions are kept unless told otherwise: `agent-session/sessions` in `$XDG_STATE_HOME`, which is `~/.local/state` when it
 * is not set (XDG base directory specification: a relative path counts as not set); on Windows in `%LOCALAPPDATA%`.
 */
export function sessionsDirectory(env: Environment = process.env, platform: NodeJS.Platform = process.platform): string {
  return join(stateDirectory(env, platform), "agent-session", "sessions");
}

/** The folder of one project in it: named after the working directory, with a hash of its whole path. */
export function projectDirectory(
  cwd: string,
  env: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const hash = createHash("sha256").update(cwd).digest("hex").slice(0, 8);
  const name = basename(cwd).replaceAll(/[^\w.-]/g, "-");
  return join(sessionsDirectory(env, platform), `${name}-${hash}`);
}

function stateDirectory(env: Environment, platform: NodeJS.Platform): string {
  const home = env.HOME ?? homedir();
  if (env.XDG_STATE_HOME !== undefined && isAbsolute(env.XDG_STATE_HOME)) return env.XDG_STATE_HOME;
  if (platform === "win32" && env.LOCALAPPDATA !== undefined) return env.LOCALAPPDATA;
  return join(home, ".local", "state");
}
