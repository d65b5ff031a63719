import type { SessionLog } from "../log/types.ts";
import type { Model, UserContent } from "../model/types.ts";
import type { Session } from "../session/session.ts";
import type { SessionOptions } from "../session/session-options.ts";
import type { Io } from "./io.ts";
import type { ListedModel } from "./models/catalogue.ts";
import type { EffectiveSettings } from "./settings/effective.ts";

/** How the command serves: `text` answers prompts and leaves, `interactive` talks with a person at a terminal. */
export type Mode = "text" | "json" | "rpc" | "interactive";

export type Verbosity = "quiet" | "normal" | "verbose";

/** What every mode is given: a session made from arguments, settings and environment, and what it takes to make another. */
export interface RunContext {
  readonly io: Io;
  readonly mode: Mode;
  readonly verbosity: Verbosity;
  /** The prompts of the command line, stdin and files, in order; at least one in the modes `text` and `json`. */
  readonly prompts: readonly UserContent[][];
  /** The session, opened or begun as the arguments say. */
  readonly session: Session;
  /** What it was created with, without its log: for sessions beside it. */
  readonly sessionOptions: Omit<SessionOptions, "log">;
  readonly settings: EffectiveSettings;
  /** The models one can switch to: the list, with what settings add to it. */
  readonly models: readonly ListedModel[];
  /** Where new sessions are kept; undefined when they are kept in memory only. */
  readonly sessionDirectory: string | undefined;
  /** To be told to the person before anything else. */
  readonly warnings: readonly string[];
  /** @throws UsageError for a model that is not known, or has no key. */
  createModel(name: string): Promise<Model>;
  /** Another session of the same make; whoever starts it disposes it. Default a new log where sessions are kept. */
  startSession(log?: SessionLog): Promise<Session>;
  /** Ends the session and what serves it: tool servers, traces. */
  close(): Promise<void>;
}

/** A mode: serves until it is done, and says the exit code. `close` is called afterwards. */
export type RunMode = (context: RunContext) => Promise<number>;
