import { ExitCode } from "../exit-codes.ts";
import type { RunContext } from "../run-context.ts";
import { UsageError } from "../usage-error.ts";
import { PromptLoop } from "./prompt-loop.ts";

/**
 * Interactive mode: a prompt at the bottom of the terminal, and above it what is said and done. It ends when the person leaves,
 * with 0, or with a signal.
 *
 * @throws UsageError when the terminal cannot move its cursor.
 */
export async function runInteractive(context: RunContext): Promise<number> {
  if (context.io.env["TERM"] === "dumb") {
    throw new UsageError(
      'This terminal (TERM=dumb) cannot move its cursor. Ask with a prompt instead: agent-session "question".',
    );
  }
  const loop = new PromptLoop(context);
  return (await loop.run()) ?? ExitCode.completed;
}
