import { startFaultServer } from "../../src/testing/fault-server.ts";
import type { FaultReply, FaultRequest, FaultServer, FaultStep } from "../../src/testing/fault-server.ts";
import type { Plan } from "./prompt-plans.ts";

/** What the calls in broken replies ask to note: nothing ever may. */
export const NEVER = -1;

/** The provider's side: the first request of each prompt meets its fault, every later one gets what belongs to the prompt. */
export class PlannedProvider {
  readonly #plans: readonly Plan[];
  readonly #asked = new Set<number>();

  constructor(plans: readonly Plan[]) {
    this.#plans = plans;
  }

  start(): Promise<FaultServer> {
    return startFaultServer({
      script: (request) => this.#step(request),
      reply: (request) => this.#reply(request),
      toolCall: { name: "note", arguments: { id: NEVER } },
    });
  }

  /** Whether the first request of a prompt has come, and met its fault. */
  hasPlayed(id: number): boolean {
    return this.#asked.has(id);
  }

  #step(request: FaultRequest): FaultStep {
    const plan = this.#planOf(request);
    if (plan === undefined || this.#asked.has(plan.id)) return "reply";
    this.#asked.add(plan.id);
    return plan.played.step;
  }

  #reply(request: FaultRequest): FaultReply {
    const plan = this.#planOf(request);
    if (plan === undefined) return { text: "A summary of what was said." };
    const { id, callsTool } = plan;
    const noted = JSON.stringify(request.body).includes(`noted ${id}.`);
    return callsTool && !noted
      ? { text: "I take a note.", toolCalls: [{ name: "note", arguments: { id } }] }
      : { text: `answer ${id}.` };
  }

  /** By the last prompt a request shows; a summary has no tools. */
  #planOf({ body }: FaultRequest): Plan | undefined {
    if (typeof body !== "object" || body === null || !("tools" in body)) return undefined;
    const id = [...JSON.stringify(body).matchAll(/prompt (\d+)\?/gu)].at(-1)?.[1];
    return this.#plans.find((plan) => plan.id === Number(id));
  }
}
