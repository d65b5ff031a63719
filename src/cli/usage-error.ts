/** The command cannot do what it was asked to, for a reason a person can mend. Its message names the thing and what to do. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Errors of the library that say what is wrong with what they were given, in words meant for people. */
const READABLE: ReadonlySet<string> = new Set([
  "UsageError",
  "InvalidSettingError",
  "InvalidToolError",
  "InvalidPromptError",
  "MissingApiKeyError",
  "LogError",
  "LogLockedError",
  "NotASessionFileError",
  "NothingToContinueError",
]);

/** The message of an error that is meant for the person who typed the command; undefined for a fault of the program. */
export function usageMessage(error: unknown): string | undefined {
  return error instanceof Error && READABLE.has(error.name) ? error.message : undefined;
}
