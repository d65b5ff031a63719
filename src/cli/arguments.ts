import { parseArgs } from "node:util";
import { didYouMean } from "./close-matches.ts";
import { runOptions } from "./options.ts";
import { UsageError } from "./usage-error.ts";

const parse = (args: readonly string[]) =>
  parseArgs({ args: [...args], options: runOptions, allowPositionals: true, strict: true });

/** The options of a run as they were typed. */
export type Flags = ReturnType<typeof parse>["values"];

export interface RunArguments {
  flags: Flags;
  /** Everything that is no option: prompts, and files as `@path`. */
  words: string[];
}

/** @throws UsageError for an unknown option, a missing value, or a value an option does not take. */
export function parseRunArguments(args: readonly string[]): RunArguments {
  const { values, positionals } = parsed(args);
  for (const [name, option] of Object.entries(runOptions)) {
    if (!("values" in option)) continue;
    const given = Object.entries(values).find(([key]) => key === name)?.[1];
    if (typeof given !== "string" || option.values.some((value) => value === given)) continue;
    throw new UsageError(`--${name} takes ${option.values.join(", ")}; got "${given}".`);
  }
  return { flags: values, words: positionals };
}

function parsed(args: readonly string[]): ReturnType<typeof parse> {
  try {
    return parse(args);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS"))) throw error;
    const unknown = /^Unknown option '--?([^']+)'/.exec(error.message)?.[1];
    if (unknown === undefined) throw new UsageError(error.message.split("\n")[0] ?? error.message, { cause: error });
    const hint = didYouMean(unknown, Object.keys(runOptions)) || " agent-session --help lists all of them.";
    throw new UsageError(`There is no option ${unknown.length === 1 ? "-" : "--"}${unknown}.${hint}`, { cause: error });
  }
}

/** @throws UsageError when it is no whole number of at least `least`. */
export function wholeNumber(option: string, given: string, least: number): number {
  const number = Number(given);
  if (Number.isSafeInteger(number) && number >= least && given.trim() !== "") return number;
  throw new UsageError(`${option} takes a whole number, ${least} or more; got "${given}".`);
}
