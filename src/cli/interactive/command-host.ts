import type { RunContext } from "../run-context.ts";
import type { Style } from "../style.ts";
import type { Conversation } from "./conversation.ts";

/** What a command can do beside speaking to the session. */
export interface CommandHost {
  readonly context: RunContext;
  readonly conversation: Conversation;
  readonly say: (text: string, style?: Style | "plain") => void;
  /** Goes on with what is unfinished. */
  readonly goOn: () => Promise<void>;
  /** Says what session it is now. */
  readonly greet: () => void;
  readonly leave: () => void;
}

export interface SlashCommand {
  /** Behind the name: what it takes. */
  usage: string;
  help: string;
  run(argument: string, host: CommandHost): void | Promise<void>;
  /** What its argument could be. */
  complete?(argument: string, host: CommandHost): string[];
}

/** Something a person can mend. */
export class SlashCommandError extends Error {
  override readonly name = "SlashCommandError";
}

/** @throws SlashCommandError while the session works. */
export function atRest({ conversation }: CommandHost): void {
  if (conversation.session.state.busy) throw new SlashCommandError("The session is working: stop it with Esc first.");
}
