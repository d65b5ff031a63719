import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createMemoryLog } from "../../src/log/index.ts";
import { systemClock, type Clock } from "../../src/retry/clock.ts";
import { createSession, type Session } from "../../src/session/session.ts";
import { scriptedModel, type ScriptedReply } from "../../src/testing/scripted-model.ts";
import { BareLoop } from "./bare-loop.ts";
import { median, now, type Row } from "./row.ts";

const usage = { input: 10, output: 10 };
const answer: ScriptedReply = { text: "an answer", usage };
// With its usage stated, so that the scripted model does not count characters for it.
const overloaded: ScriptedReply = { failure: { status: 529, message: "Overloaded" }, usage };

/** Waits pass at once, so that only the work around them is measured. */
const impatient: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    if (milliseconds > 60_000) return systemClock.after(milliseconds, callback);
    let cancelled = false;
    queueMicrotask(() => {
      if (!cancelled) callback();
    });
    return () => {
      cancelled = true;
    };
  },
};

const limits = { stream: { firstEventMs: 300_000, idleMs: 300_000 } };

function open(reply: ScriptedReply | ((index: number) => ScriptedReply)): Session {
  const model = scriptedModel((_, index) => (typeof reply === "function" ? reply(index) : reply), { record: false });
  return createSession({ model, clock: impatient, settings: limits });
}

/** Microseconds each prompt took. */
async function prompts(count: number, prompt: (text: string) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const start = now();
    await prompt(`prompt ${index}`);
    times.push((now() - start) * 1_000);
  }
  return times;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

async function promptRows(): Promise<Row[]> {
  await prompts(500, (text) => open(answer).prompt(text));
  const session = open(answer);
  const ours = await prompts(2_000, (text) => session.prompt(text));
  const bare = new BareLoop(scriptedModel(() => answer, { record: false }));
  const theirs = await prompts(2_000, (text) => bare.prompt(text));
  const growth = (times: number[]): number => median(times.slice(-200)) / median(times.slice(200, 400));

  const failing = open((index) => (index % 2 === 0 ? overloaded : answer));
  const retried = await prompts(2_000, (text) => failing.prompt(text));
  return [
    {
      name: "2000 prompts in one session, 1 delta each: per prompt",
      unit: "µs",
      ours: mean(ours),
      bare: mean(theirs),
      reach: 150,
    },
    { name: "the same: last 200 / prompts 200 to 400", unit: "times", ours: growth(ours), bare: growth(theirs), reach: 1.3 },
    { name: "the same with one retry each: last 200 / prompts 200 to 400", unit: "times", ours: growth(retried), reach: 1.3 },
  ];
}

async function deltaRow(): Promise<Row> {
  const deltas = 50_000;
  const reply: ScriptedReply = { text: "x".repeat(deltas), deltas, usage };
  const run = async (): Promise<[number, number]> => {
    const session = open(reply);
    let seen = 0;
    session.subscribe(({ type }) => {
      if (type === "message_update") seen++;
    });
    let start = now();
    await session.prompt("hi");
    const ours = now() - start;
    if (seen < deltas) throw new Error(`Only ${seen} of ${deltas} deltas arrived.`);
    const bare = new BareLoop(
      scriptedModel(() => reply, { record: false }),
      () => {
        seen++;
      },
    );
    start = now();
    await bare.prompt("hi");
    return [(ours * 1_000) / deltas, ((now() - start) * 1_000) / deltas];
  };
  await run();
  const runs = [await run(), await run(), await run(), await run(), await run()];
  return {
    name: "50,000 deltas to one subscriber: per delta",
    unit: "µs",
    ours: median(runs.map(([ours]) => ours)),
    bare: median(runs.map(([, bare]) => bare)),
    reach: 0.8,
  };
}

/** A retry cycle costs what a prompt with one retry costs more than one without. */
async function retryRows(): Promise<Row[]> {
  const cycle = async (messages: number): Promise<number> => {
    let failing = false;
    const session = open((index) => (failing && index % 2 === 0 ? overloaded : answer));
    while (session.log.entries.length < messages) await session.prompt("fill");
    const plain = median(await prompts(200, (text) => session.prompt(text)));
    failing = true;
    return median(await prompts(200, (text) => session.prompt(text))) - plain;
  };
  await cycle(100);
  let failing = false;
  const bare = new BareLoop(scriptedModel((_, index) => (failing && index % 2 === 0 ? overloaded : answer), { record: false }));
  const plain = median(await prompts(200, (text) => bare.prompt(text)));
  failing = true;
  const bareCycle = median(await prompts(200, (text) => bare.prompt(text))) - plain;
  return [
    { name: "retry cycle beyond its delay, new session", unit: "µs", ours: await cycle(0), bare: bareCycle, reach: 100 },
    { name: "retry cycle beyond its delay, session with 10,000 messages", unit: "µs", ours: await cycle(10_000), reach: 120 },
  ];
}

function memoryRow(): Row {
  const heap = (): number => {
    globalThis.gc?.();
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const count = 2_000;
  const model = scriptedModel([], { record: false });
  const measure = (make: () => unknown): number => {
    const kept: unknown[] = [];
    const before = heap();
    for (let index = 0; index < count; index++) kept.push(make());
    const used = (heap() - before) / count / 1_024;
    return kept.length === count ? used : Number.NaN;
  };
  measure(() => createSession({ model, log: createMemoryLog() }));
  return {
    name: "idle session",
    unit: "KB heap",
    ours: measure(() => createSession({ model, log: createMemoryLog() })),
    bare: measure(() => new BareLoop(model)),
    reach: 8,
    ...(globalThis.gc ? {} : { note: "run node with --expose-gc for a true figure" }),
  };
}

async function abortRows(): Promise<Row[]> {
  const settle = async (reply: ScriptedReply, state: string): Promise<number> => {
    const session = createSession({ model: scriptedModel(() => reply, { record: false }) });
    const outcome = session.prompt("hi");
    while (session.state.state !== state || session.state.contextTokens < 0)
      await new Promise((resolve) => setImmediate(resolve));
    const start = now();
    await session.abort();
    const took = (now() - start) * 1_000;
    await outcome;
    await session.dispose();
    return took;
  };
  const times = async (reply: ScriptedReply, state: string): Promise<number> => {
    const taken: number[] = [];
    for (let index = 0; index < 400; index++) taken.push(await settle(reply, state));
    return median(taken.slice(100));
  };
  const bare = async (): Promise<number> => {
    const controller = new AbortController();
    const stream = scriptedModel(() => ({ text: "a", hang: true }), { record: false }).stream(
      { messages: [] },
      { signal: controller.signal },
    );
    const reading = (async () => {
      for await (const event of stream) if (event.type === "error") return;
    })();
    await new Promise((resolve) => setImmediate(resolve));
    const start = now();
    controller.abort();
    await reading;
    return (now() - start) * 1_000;
  };
  const bareTimes: number[] = [];
  for (let index = 0; index < 400; index++) bareTimes.push(await bare());
  return [
    {
      name: "abort to settled, streaming",
      unit: "µs",
      ours: await times({ text: "a", hang: true }, "running"),
      bare: median(bareTimes.slice(100)),
      reach: 100,
    },
    { name: "abort to settled, in backoff", unit: "µs", ours: await times(overloaded, "backoff"), reach: 60 },
  ];
}

function importRow(): Row {
  const node = (code: string): number => {
    const times: number[] = [];
    for (let index = 0; index < 9; index++) {
      const start = now();
      const { status } = spawnSync(process.execPath, ["--input-type=module", "-e", code], { stdio: "ignore" });
      if (status !== 0) return Number.NaN;
      times.push(now() - start);
    }
    return median(times);
  };
  const built = fileURLToPath(new URL("../../dist/src/index.js", import.meta.url));
  return {
    name: "import of the built library, with node itself",
    unit: "ms",
    ours: node(`await import(${JSON.stringify(built)})`),
    bare: node(""),
    reach: 70,
    note: "needs npm run build",
  };
}

export async function sessionRows(): Promise<Row[]> {
  return [...(await promptRows()), await deltaRow(), ...(await retryRows()), memoryRow(), ...(await abortRows()), importRow()];
}
