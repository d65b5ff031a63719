import { createSession } from "../../src/index.ts";
import type { Message, PromptOutcome, Session } from "../../src/index.ts";
import { FastClock } from "./fast-clock.ts";
import { NEVER } from "./planned-provider.ts";
import type { PlannedProvider } from "./planned-provider.ts";
import { PROMPTS_PER_SESSION } from "./prompt-plans.ts";
import type { Plan } from "./prompt-plans.ts";

/** A hundred seconds pass in one. */
const CLOCK_FACTOR = 100;

/** Time limit of a stream that nothing else ends, and of one that has to end by itself however busy the machine is. */
const ENDLESS_LIMIT_MS = 20_000;
const AMPLE_LIMIT_MS = 1_500_000;

/** How one prompt ended, and how often its tool had run by then. */
export interface Settled {
  plan: Plan;
  outcome: PromptOutcome;
  toolRuns: number;
}

/** What a session has been through. */
export interface Held {
  plans: readonly Plan[];
  settled: Settled[];
  /** All that its log holds, failed replies too. */
  messages: Message[];
  settledEvents: number;
  /** Every id that was noted, in order. */
  noted: number[];
}

/** One session that is asked its prompts one after the other. */
class Conversation {
  readonly #plans: readonly Plan[];
  readonly #noted: number[] = [];
  readonly #session: Session;
  readonly #provider: PlannedProvider;
  #asked: Plan | undefined;
  #settledEvents = 0;

  constructor(plans: readonly Plan[], provider: PlannedProvider, url: string, random: () => number) {
    this.#plans = plans;
    this.#provider = provider;
    const adapter = plans[0]?.played.adapter;
    if (adapter === undefined) throw new Error("a conversation needs a prompt");
    const execute = ({ id }: { id: number }): string => {
      this.#noted.push(id);
      return `noted ${id}.`;
    };
    const parameters = { type: "object", properties: { id: { type: "number" } }, required: ["id"] } as const;
    this.#session = createSession({
      model: adapter.model(url),
      clock: new FastClock(CLOCK_FACTOR),
      random,
      tools: [{ name: "note", description: "Takes a note.", parameters, execute }],
    });
    this.#session.subscribe((event) => {
      if (event.type === "agent_settled") this.#settledEvents += 1;
      if (event.type === "auto_retry_start") this.#setLimits();
    });
  }

  /** Only a step without an end needs a short limit; the good reply that follows it may be late on a busy machine. */
  #setLimits(): void {
    const endless = this.#asked?.played.example.endless === true && !this.#asked.played.means.includes("answer");
    const limit = endless && !this.#provider.hasPlayed(this.#asked?.id ?? NEVER) ? ENDLESS_LIMIT_MS : AMPLE_LIMIT_MS;
    this.#session.setSettings({ stream: { firstEventMs: limit, idleMs: limit } });
  }

  async hold(): Promise<Held> {
    const settled: Settled[] = [];
    for (const plan of this.#plans) {
      this.#asked = plan;
      this.#setLimits();
      const outcome = await this.#session.prompt(`prompt ${plan.id}?`);
      settled.push({ plan, outcome, toolRuns: this.#noted.filter((id) => id === plan.id).length });
    }
    const messages = this.#session.log.entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
    await this.#session.dispose();
    return { plans: this.#plans, settled, messages, settledEvents: this.#settledEvents, noted: this.#noted };
  }
}

/** Asks all prompts, `atOnce` sessions at a time. */
export async function holdAll(
  plans: readonly Plan[],
  provider: PlannedProvider,
  random: () => number,
  atOnce: number,
): Promise<Held[]> {
  await using server = await provider.start();

  const waiting = Array.from({ length: Math.ceil(plans.length / PROMPTS_PER_SESSION) }, (_, index) => {
    return plans.slice(index * PROMPTS_PER_SESSION, (index + 1) * PROMPTS_PER_SESSION);
  });
  const held: Held[] = [];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      held.push(await new Conversation(next, provider, server.url, random).hold());
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return held;
}
