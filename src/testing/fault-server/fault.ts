import type { Socket } from "node:net";
import type { FailureKind } from "../../errors/types.ts";
import type { StepArguments } from "./arguments.ts";
import type { Exchange } from "./exchange.ts";
import type { WireFormatName } from "./formats/wire-format.ts";

/**
 * What a client should make of a step: an `answer` that is whole, one that was `cut` at its limit (a stop reason of length,
 * and no tool call of it may run), or a kind of failure. Where several are right, the first is the best.
 */
export type Meaning = "answer" | "cut" | FailureKind;

/** A step written in full, and what a client should make of it. */
export interface FaultExample {
  step: string;
  means: readonly [Meaning, ...Meaning[]];
  /** What it means in a format in which that differs. */
  meansIn?: Readonly<Partial<Record<WireFormatName, readonly [Meaning, ...Meaning[]]>>>;
  /** Formats it differs from the good reply in; default those of the fault. */
  formats?: readonly WireFormatName[];
  /** True when the step has no end of its own: only the client's time limit ends it. */
  endless?: true;
}

/** How a step is played: by a response, on the bare connection before HTTP, or by a port nobody listens on. */
export type Play =
  | { on: "request"; scheme?: "https"; play(exchange: Exchange): Promise<void> }
  | { on: "connection"; scheme?: "https"; play(socket: Socket): void }
  | { on: "port"; closedForMs: number | undefined };

/** One entry of the table of faults. */
export interface Fault {
  title: string;
  description: string;
  /** The step with its arguments, as in `cut:<point>:<ending>`. */
  usage: string;
  /** Wire formats it exists in. */
  formats: readonly WireFormatName[];
  /** Steps that show it, for tests and documents. */
  examples: readonly FaultExample[];
  /** Reads the arguments of a step. @throws FaultScriptError for what it does not take. */
  prepare(words: StepArguments): Play;
}

export const ALL_FORMATS: readonly WireFormatName[] = ["anthropic-messages", "openai-completions", "openai-responses"];

/** A step that a response plays. */
export function respond(play: (exchange: Exchange) => Promise<void>): Play {
  return { on: "request", play };
}

/** Examples of steps that all mean the same. */
export function examples(steps: readonly string[], ...means: readonly [Meaning, ...Meaning[]]): FaultExample[] {
  return steps.map((step) => ({ step, means }));
}
