import { execSync } from "node:child_process";
import { isLocal } from "../../model/adapter/api-key.ts";
import { UsageError } from "../usage-error.ts";
import type { Provider } from "./providers.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The key of a provider; undefined where none is needed.
 *
 * @throws UsageError when there is none, or the command that should print it fails.
 */
export function keyOf(provider: Provider, env: Environment): string | undefined {
  const { name, keyVariable, keyCommand } = provider;
  const key = keyVariable === undefined ? undefined : keyInEnvironment(env, keyVariable);
  if (key !== undefined) return key;
  if (keyCommand !== undefined) return keyFromCommand(name, keyCommand, env);
  if (keyVariable === undefined || (provider.baseURL !== undefined && isLocal(provider.baseURL))) return undefined;
  throw new UsageError(
    `No key for ${name}: set ${keyVariable}, name another variable with --api-key-env, or pass --demo to see a scripted model at work.`,
  );
}

function keyFromCommand(name: string, command: string, env: Environment): string {
  try {
    const key = execSync(command, {
      encoding: "utf8",
      env: { ...env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 30_000,
    }).trim();
    if (key !== "") return key;
  } catch (error) {
    const status = error instanceof Error && "status" in error ? ` (exit code ${String(error.status)})` : "";
    throw new UsageError(`The command that should print the key of ${name} failed${status}: ${command}`, { cause: error });
  }
  throw new UsageError(`The command that should print the key of ${name} printed nothing: ${command}`);
}

/** The value of a variable; undefined when it is blank. */
export function keyInEnvironment(env: Environment, variable: string): string | undefined {
  const value = env[variable]?.trim();
  return value === "" ? undefined : value;
}
