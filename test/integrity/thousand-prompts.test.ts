import { expect, test } from "vitest";
import type { Message } from "../../src/index.ts";
import { RETRIED } from "./cases.ts";
import { holdAll } from "./conversation.ts";
import type { Held, Settled } from "./conversation.ts";
import { NEVER, PlannedProvider } from "./planned-provider.ts";
import { handles, handlesAre, heapInUse } from "./process-state.ts";
import { plansFor, seeded } from "./prompt-plans.ts";
import type { Plan } from "./prompt-plans.ts";

const PROMPTS = 1000;
const WARM_UP_PROMPTS = 200;
const SESSIONS_AT_ONCE = 8;
const SEED = 20_260_101;
const LET_GO_WITHIN_MS = 5000;

/** Of code that is compiled on the way; a leak of one failed reply a prompt is more. */
const HEAP_GROWTH_BYTES = 4_000_000;

test(
  "a thousand prompts with a random fault each: every one settles, none is lost or doubled, nothing is left",
  { timeout: 120_000 },
  async () => {
    const random = seeded(SEED);
    expect(await mistakesOf(plansFor(WARM_UP_PROMPTS, random), random)).toEqual([]);
    const before = { heap: await heapInUse(), handles: handles() };
    expect(await mistakesOf(plansFor(PROMPTS, random), random)).toEqual([]);
    await handlesAre(before.handles, LET_GO_WITHIN_MS);
    expect(handles()).toEqual(before.handles);
    expect((await heapInUse()) - before.heap).toBeLessThan(HEAP_GROWTH_BYTES);
  },
);

/** Asks the prompts and says what went wrong, in a frame of its own: nothing of it is to be left. */
async function mistakesOf(plans: readonly Plan[], random: () => number): Promise<string[]> {
  const held = await holdAll(plans, new PlannedProvider(plans), random, SESSIONS_AT_ONCE);
  const settled = new Set(held.flatMap((one) => one.settled.map(({ plan }) => plan.id)));
  const unsettled = plans.filter(({ id }) => !settled.has(id)).map(({ id }) => `prompt ${id} never settled`);
  return [...unsettled, ...held.flatMap(lostOrDoubled), ...held.flatMap((one) => one.settled.flatMap(wrongOutcome))];
}

/** Each prompt is in the log once, settled once, and answered once at the most; no call of a broken reply was run. */
function lostOrDoubled({ plans, messages, settledEvents, noted }: Held): string[] {
  const where = `session of prompt ${plans[0]?.id}`;
  const asked = messages.filter(({ role }) => role === "user").map(textOf);
  const answers = messages.filter((message) => message.role === "assistant" && message.stopReason === "stop").map(textOf);
  return [
    ...(asked.join() === plans.map(({ id }) => `prompt ${id}?`).join() ? [] : [`${where}: the log has ${asked.join()}`]),
    ...(settledEvents === plans.length ? [] : [`${where}: ${settledEvents} prompts settled of ${plans.length}`]),
    ...(new Set(answers).size === answers.length ? [] : [`${where}: answers are doubled: ${answers.join()}`]),
    ...(noted.includes(NEVER) ? [`${where}: a call of a broken reply was run`] : []),
  ];
}

function textOf({ content }: Message): string {
  return typeof content === "string" ? content : content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function wrongOutcome({ plan, outcome, toolRuns }: Settled): string[] {
  const wrong = outcome.status === "failed" ? wrongFailure(plan, outcome, toolRuns) : wrongAnswer(plan, outcome, toolRuns);
  const { id, played } = plan;
  const told = `${outcome.status}, ${outcome.retries} retries, ${toolRuns} tool runs, ${outcome.failure?.message}`;
  return wrong === undefined ? [] : [`prompt ${id}, ${played.adapter.name}, ${played.step}: ${wrong} (${told})`];
}

type Wrong = string | undefined;

function wrongFailure({ played: { means } }: Plan, { failure, retries, requests }: Settled["outcome"], toolRuns: number): Wrong {
  if (failure === undefined || !means.includes(failure.kind)) return `took it for ${failure?.kind}`;
  if (RETRIED.has(failure.kind)) return "gave up what a retry mends";
  if (failure.kind === "context_overflow") return undefined;
  return retries > 0 || requests > 1 || toolRuns > 0 ? "went on with what cannot be mended" : undefined;
}

function wrongAnswer({ id, played, callsTool }: Plan, { status, message, retries }: Settled["outcome"], toolRuns: number): Wrong {
  const { means, step, example } = played;
  if (status !== "completed") return "neither completed nor failed";
  // Both are compacted and asked again where there is something to compact; a cut reply stands where there is not.
  if (means.includes("cut") || means.includes("context_overflow")) return toolRuns > 1 ? "ran the tool twice" : undefined;
  if (!means.some((meaning) => meaning === "answer" || RETRIED.has(meaning))) return "completed what cannot be";
  // Bytes that are no UTF-8 are known only to those who decode them: through the AI SDK they can pass, or break the JSON.
  if (step === "invalid-utf8") return undefined;
  // A busy machine may not even send a request within the short limit of an endless step.
  if (means.includes("answer") ? retries > 0 : retries === 0 || (retries > 1 && !example.endless))
    return "a retry too many, or none";
  if (message === undefined || textOf(message) !== `answer ${id}.`) return "another answer";
  return toolRuns === (callsTool ? 1 : 0) ? undefined : "the tool did not run as often as it was called";
}
