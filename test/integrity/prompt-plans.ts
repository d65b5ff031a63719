import { adapters } from "./adapters.ts";
import { casesOf, modes } from "./cases.ts";
import type { Case } from "./cases.ts";

/** Prompts that one session is asked. */
export const PROMPTS_PER_SESSION = 25;

/** Numbers from 0 up to but not including 1, the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One prompt: the step that its first request meets, and whether a good reply to it calls a tool first. */
export interface Plan {
  id: number;
  played: Case;
  callsTool: boolean;
}

/** A script of functions cannot play what comes before a request; the rest of the table is drawn from. */
const BEFORE_REQUESTS: ReadonlySet<string> = new Set(["refuse", "self-signed", "not-tls", "tls-reset", "tool-call"]);

/** `count` prompts, each with a step drawn from the table, those of one session for one adapter. */
export function plansFor(count: number, random: () => number): Plan[] {
  const pick = <T>(from: readonly T[]): T => {
    const item = from[Math.floor(random() * from.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  };
  const pools = adapters.map((adapter) =>
    modes
      .slice(0, 1)
      .flatMap((mode) => casesOf(adapter, mode))
      .filter(({ step }) => !BEFORE_REQUESTS.has(step.split(":")[0] ?? "")),
  );
  return Array.from({ length: Math.ceil(count / PROMPTS_PER_SESSION) }, () => pick(pools)).flatMap((pool, session) =>
    Array.from({ length: PROMPTS_PER_SESSION }, (_, place) => ({
      id: session * PROMPTS_PER_SESSION + place,
      played: pick(pool),
      callsTool: random() < 0.4,
    })),
  );
}
