import { FaultScriptError, StepArguments } from "./arguments.ts";
import type { Exchange, FaultRequest } from "./exchange.ts";
import type { Play } from "./fault.ts";
import { respond } from "./fault.ts";
import { faults } from "./faults/index.ts";
import { sendReply } from "./faults/replies.ts";
import type { FaultReply } from "./reply.ts";

/**
 * One step of a script: a name of the table `faults` with its arguments after colons, as in `cut:half:rst` or
 * `status:529:retry-after=7`; or a good reply.
 */
export type FaultStep = string | { reply: FaultReply };

/**
 * The steps in the order they are played, one a request; or a function that names the step of each request, the `n`th from
 * 1. A function cannot ask for steps before HTTP (`refuse`, those of TLS): they have no request.
 */
export type FaultScript = readonly FaultStep[] | ((request: FaultRequest, n: number) => FaultStep);

/** The query parameter by which a request names its own step. */
export const STEP_PARAMETER = "fault-step";

/** A step that is ready to be played. */
export interface PreparedStep {
  /** As the script has it; a reply is `reply`. */
  name: string;
  play: Play;
}

/** @throws FaultScriptError when the step is not known, or one of its arguments is not taken. */
export function prepareStep(step: FaultStep): PreparedStep {
  if (typeof step !== "string") {
    const { reply } = step;
    return { name: "reply", play: respond((exchange: Exchange) => sendReply(exchange, reply)) };
  }
  const [name = "", ...rest] = step.split(":");
  const fault = Object.hasOwn(faults, name) ? faults[name] : undefined;
  if (fault === undefined) {
    throw new FaultScriptError(`no step is named "${name}"; known are ${Object.keys(faults).join(", ")}`);
  }
  const words = new StepArguments(step, rest);
  const play = fault.prepare(words);
  words.end();
  return { name: step, play };
}

/** What follows the last step of a script: good replies, or the script again. */
export type AfterScript = "reply" | "repeat";

/** Walks a list of steps, one at a time. */
export class ScriptCursor {
  readonly #steps: readonly PreparedStep[];
  readonly #after: AfterScript;
  #next = 0;

  /** @throws FaultScriptError when a step is wrong, or nothing after a step can be reached. */
  constructor(steps: readonly FaultStep[], after: AfterScript) {
    this.#steps = steps.map(prepareStep);
    this.#after = after;
    const closed = this.#steps.findIndex(({ play }) => play.on === "port" && play.closedForMs === undefined);
    if (closed !== -1 && closed < this.#steps.length - 1) {
      throw new FaultScriptError(`nothing after "refuse" can be reached: say for how many milliseconds, as in "refuse:500"`);
    }
  }

  /** Whether a client has to speak TLS. */
  get needsTls(): boolean {
    return this.#steps.some(({ play }) => play.on !== "port" && play.scheme === "https");
  }

  /** The step that is on; undefined when the script is over. */
  get current(): PreparedStep | undefined {
    return this.#steps[this.#next];
  }

  /** Goes on to the next step. */
  advance(): void {
    this.#next += 1;
    if (this.#after === "repeat" && this.#next >= this.#steps.length) this.#next = 0;
  }
}
