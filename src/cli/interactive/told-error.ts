import { usageMessage } from "../usage-error.ts";

/** Errors that tell the person something, beside those of wrong use. */
const TOLD: ReadonlySet<string> = new Set([
  "SlashCommandError",
  "SessionNotFoundError",
  "SessionBusyError",
  "SessionDisposedError",
  "NothingToContinueError",
  "RpcFieldError",
]);

/** What to tell of an error; undefined for a fault of the program. */
export function toldMessage(error: unknown): string | undefined {
  return usageMessage(error) ?? (error instanceof Error && TOLD.has(error.name) ? error.message : undefined);
}
