import { createInspector, recordTrace } from "../../src/inspect/index.ts";
import { createSession, type Session } from "../../src/session/session.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import type { Row } from "./row.ts";

const PROMPTS = 1000;
const DELTAS = 50_000;
const ROUNDS = 5;

/** Watches a session; returns what ends that. */
type Watch = (session: Session) => Promise<() => Promise<void>>;

const nobody: Watch = async () => async () => undefined;

const inspector: Watch = async (session) => {
  const attached = await createInspector();
  attached.attach(session);
  return () => attached.close();
};

const page: Watch = async (session) => {
  const attached = await createInspector();
  attached.attach(session);
  const reading = new AbortController();
  const { body } = await fetch(`${attached.url}events`, { signal: reading.signal });
  void body?.pipeTo(new WritableStream()).catch(() => undefined);
  return async () => {
    reading.abort();
    await attached.close();
  };
};

const trace: Watch = async (session) => {
  const stop = recordTrace(session, () => undefined);
  return async () => stop();
};

/** What watching a session costs it: processor time, since a page reads in its own. */
export async function inspectorRows(): Promise<Row[]> {
  const watches: Record<string, Watch> = {
    nobody,
    "the inspector": inspector,
    "the inspector, with a page open": page,
    "a trace": trace,
  };
  const costs = new Map<string, Cost>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, watch] of Object.entries(watches)) costs.set(name, lower(costs.get(name), await costUnder(watch)));
  }
  const bare = costs.get("nobody");
  if (!bare) throw new Error("Nothing was measured.");
  return [...costs].flatMap(([name, { prompt, delta }]): Row[] => {
    if (name === "nobody") return [];
    return [
      {
        name: `a prompt more, watched by ${name}`,
        unit: "µs",
        ours: prompt - bare.prompt,
        reach: 1000,
        note: `${prompt.toFixed(0)} against ${bare.prompt.toFixed(0)}`,
      },
      {
        name: `a delta more, watched by ${name}`,
        unit: "µs",
        ours: Math.max(0, delta - bare.delta),
        reach: 0.2,
        note: `${delta.toFixed(2)} against ${bare.delta.toFixed(2)}`,
      },
    ];
  });
}

/** Microseconds. */
interface Cost {
  prompt: number;
  delta: number;
}

async function costUnder(watch: Watch): Promise<Cost> {
  let deltas = 1;
  const model = scriptedModel(() => ({ deltas: Array.from({ length: deltas }, () => "word ") }), { record: false });
  const session = createSession({ model });
  const end = await watch(session);
  await prompts(session, PROMPTS / 4);
  const prompt = (await prompts(session, PROMPTS)) / PROMPTS;
  deltas = DELTAS;
  await prompts(session, 1);
  const delta = (await prompts(session, 1)) / DELTAS;
  await end();
  await session.dispose();
  return { prompt, delta };
}

async function prompts(session: Session, count: number): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < count; index += 1) await session.prompt("Go on");
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** The best of several rounds: what else the machine does only ever adds. */
function lower(one: Cost | undefined, other: Cost): Cost {
  if (!one) return other;
  return { prompt: Math.min(one.prompt, other.prompt), delta: Math.min(one.delta, other.delta) };
}
