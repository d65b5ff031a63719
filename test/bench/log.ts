import { spawnSync } from "node:child_process";
import { closeSync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openLog } from "../../src/log/index.ts";
import type { Durability } from "../../src/log/index.ts";
import type { AssistantMessage, UserMessage } from "../../src/model/types.ts";
import { createSession } from "../../src/session/session.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import type { ScriptedReply } from "../../src/testing/scripted-model.ts";
import { median, now } from "./row.ts";
import type { Row } from "./row.ts";

/** With its usage, so that the model does not count the whole context for it. */
const answer: ScriptedReply = { text: "an answer", usage: { input: 10, output: 10 } };
const overloaded: ScriptedReply = { failure: { status: 529, message: "Overloaded" }, usage: { input: 10, output: 10 } };
const MESSAGES = 100_000;
const PROMPTS = 2_000;

/** The figures of the session file: opening a large one again, and prompts that write to it. */
export async function logRows(): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), "bench-log-"));
  try {
    return [
      ...(await reopenRows(join(directory, "large.jsonl"))),
      ...(await promptRows(directory)),
      ...(await growthRows(directory)),
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function reopenRows(path: string): Promise<Row[]> {
  await writeLarge(path);
  const megabytes = Math.round(statSync(path).size / 1e6);
  const runs = Array.from({ length: 5 }, () => child("ours", path));
  const bare = Array.from({ length: 5 }, () => child("bare", path));
  return [
    {
      name: `reopen ${MESSAGES / 1000},000 messages (${megabytes} MB), projection included`,
      unit: "ms",
      ours: median(runs.map(({ open }) => open)),
      bare: median(bare.map(({ open }) => open)),
      reach: 450,
      note: "in a new process; bare reads and parses each line",
    },
    {
      name: "then one prompt",
      unit: "ms",
      ours: median(runs.map(({ prompt }) => prompt ?? Number.NaN)),
      reach: 1,
      note: "in a process that has prompted before",
    },
  ];
}

interface Measured {
  open: number;
  prompt?: number;
}

function child(how: "ours" | "bare", path: string): Measured {
  const script = fileURLToPath(new URL("./reopen-child.ts", import.meta.url));
  const { stdout, status } = spawnSync(process.execPath, [script, how, path], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`The measurement "${how}" failed.`);
  return JSON.parse(stdout) as Measured;
}

/** A session of question and answer, about 490 bytes a line. */
async function writeLarge(path: string): Promise<void> {
  const log = await openLog(path, { durability: "none" });
  const text = "The quick brown fox jumps over the lazy dog. ".repeat(7);
  for (let index = 0; index < MESSAGES / 2; index++) {
    const question: UserMessage = { role: "user", content: [{ type: "text", text: `${index} ${text}` }], timestamp: index };
    const answer: AssistantMessage = {
      role: "assistant",
      content: [{ type: "text", text: text.slice(0, 155) }],
      api: "scripted",
      provider: "scripted",
      model: "one",
      usage: { input: 100, output: 50, cacheRead: 0, cacheWrite: 0, totalTokens: 150 },
      stopReason: "stop",
      timestamp: index,
    };
    log.append({ type: "message", message: question });
    log.append({ type: "message", message: answer });
  }
  await log.close();
}

async function promptRows(directory: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const durability of ["none", "settle", "entry"] satisfies Durability[]) {
    const path = join(directory, `${durability}.jsonl`);
    const times = await prompts(path, durability, durability === "none" ? PROMPTS : PROMPTS / 4);
    rows.push({
      name: `prompts per second with a file log, durability ${durability}`,
      unit: "/s",
      ours: perSecond(times),
      bare: bareWrites(path, join(directory, "bare.jsonl"), durability, times.length),
      ...(durability === "none" ? { reach: 3000, atLeast: true } : {}),
      note: "bare: the same lines written, and forced as often",
    });
  }
  return rows;
}

async function growthRows(directory: string): Promise<Row[]> {
  const plain = await prompts(join(directory, "growth.jsonl"), "none", PROMPTS);
  const retried = await prompts(join(directory, "retries.jsonl"), "none", PROMPTS, true);
  const growth = (times: number[]): number => median(times.slice(-200)) / median(times.slice(200, 400));
  const name = "prompts in one session with a file log";
  return [
    { name: `${name}: last 200 / prompts 200 to 400`, unit: "times", ours: growth(plain), reach: 1.3 },
    { name: `${name}, one retry each: last 200 / prompts 200 to 400`, unit: "times", ours: growth(retried), reach: 1.3 },
  ];
}

/** Milliseconds of each prompt. */
async function prompts(path: string, durability: Durability, count: number, retries = false): Promise<number[]> {
  const log = await openLog(path, { durability });
  const model = scriptedModel((_, index) => (retries && index % 2 === 0 ? overloaded : answer), { record: false });
  const session = createSession({ log, model, settings: { durability, retry: { baseDelayMs: 0 } } });
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const start = now();
    await session.prompt(`prompt ${index}`);
    times.push(now() - start);
  }
  await session.dispose();
  return times;
}

/** Prompts per second, if nothing had to be done but to write the lines they led to. */
function bareWrites(written: string, path: string, durability: Durability, count: number): number {
  const lines = readFileSync(written, "utf8").split("\n");
  const descriptor = openSync(path, "w");
  const perPrompt = Math.round(lines.length / count);
  const start = now();
  for (const [index, line] of lines.entries()) {
    writeSync(descriptor, `${line}\n`);
    if (durability === "entry" || (durability === "settle" && index % perPrompt === 0)) fdatasyncSync(descriptor);
  }
  const seconds = (now() - start) / 1000;
  closeSync(descriptor);
  return count / seconds;
}

function perSecond(times: readonly number[]): number {
  return (times.length / times.reduce((sum, time) => sum + time, 0)) * 1000;
}
