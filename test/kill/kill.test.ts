import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { expect, test } from "vitest";
import { openLog, type Entry } from "../../src/log/index.ts";
import type { Message } from "../../src/model/types.ts";
import { startFaultServer, type FaultStep } from "../../src/testing/fault-server.ts";

/** How often the process is killed; `KILLS=1000 npx vitest run test/kill` tries longer. */
const KILLS = Number(process.env["KILLS"] ?? 200);
const SEED = Number(process.env["SEED"] ?? 20_261_130);

/** The program of the process, in one file: hundreds of starts should spend their time on what is tested. */
async function bundled(folder: string): Promise<string> {
  const file = join(folder, "child.mjs");
  const input = fileURLToPath(new URL("child.ts", import.meta.url));
  await build({ input, platform: "node", output: { file, format: "esm", codeSplitting: false }, logLevel: "silent" });
  return file;
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Answers, tool calls, overloads, cuts and refusals of a long context, by chance. */
function steps(random: () => number): (request: { body: unknown }) => FaultStep {
  let calls = 0;
  const call = (name: string) => ({ id: `call-${++calls}`, name, arguments: {} });
  return ({ body }) => {
    const size = JSON.stringify(body).length;
    const usage = { input: Math.round(size / 4), output: 20 };
    const chance = random();
    if (size > 36_000 || chance < 0.03) return "error:context_length_exceeded";
    if (chance < 0.1) return "status:529";
    if (chance < 0.15) return "cut:half:rst";
    if (chance < 0.35) return { reply: { text: "I look.", toolCalls: [call("read"), call("pay")], usage } };
    if (chance < 0.45) return { reply: { toolCalls: [call("pay")], usage } };
    return { reply: { text: `An answer. ${"word ".repeat(60)}`, usage } };
  };
}

interface Life {
  process: ChildProcess;
  lines: string[];
  ended: Promise<void>;
}

function start(child: string, args: string[]): Life {
  const started = spawn(process.execPath, [child, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  let rest = "";
  started.stdout?.on("data", (data: Buffer) => {
    const parts = (rest + data.toString("utf8")).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
  });
  started.stderr?.on("data", (data: Buffer) => lines.push(`stderr ${data.toString("utf8")}`));
  return { process: started, lines, ended: new Promise((resolve) => started.once("close", () => resolve())) };
}

async function untilOpen(life: Life): Promise<void> {
  while (life.lines.length === 0 && life.process.exitCode === null) await new Promise((resolve) => setImmediate(resolve));
}

/** Texts of user messages in the log, and of those that wait in a queue. */
function kept(entries: readonly Entry[]): Map<string, number> {
  const texts = new Map<string, number>();
  const add = (content: unknown): void => {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    texts.set(text, (texts.get(text) ?? 0) + 1);
  };
  const queued = new Map<string, unknown>();
  for (const entry of entries) {
    if (entry.type === "message" && entry.message.role === "user") add(entry.message.content);
    if (entry.type !== "custom" || entry.customType !== "agent-session-machine/queue") continue;
    const record = Object(entry.data);
    if (record.op === "add") queued.set(record.id, record.content);
    else for (const id of record.ids) queued.delete(id);
  }
  for (const content of queued.values()) add(content);
  return texts;
}

/** Calls the model is shown without their result right after them. */
function unanswered(messages: readonly Message[]): string[] {
  return messages.flatMap((message, index) => {
    if (message.role !== "assistant") return [];
    const calls = message.content.filter((block) => block.type === "toolCall").map(({ id }) => id);
    const results = messages
      .slice(index + 1, index + 1 + calls.length)
      .map((next) => (next.role === "toolResult" ? next.toolCallId : ""));
    return calls.filter((id) => !results.includes(id));
  });
}

test(
  `killed ${KILLS} times at random moments: no accepted message is lost or doubled, no completed tool runs twice, and the session goes on`,
  { timeout: 600_000 },
  async () => {
    const random = seeded(SEED);
    const folder = mkdtempSync(join(tmpdir(), "agent-session-kill-"));
    const path = join(folder, "session.jsonl");
    const ledger = join(folder, "ledger");
    const child = await bundled(folder);
    const server = await startFaultServer({ script: steps(random) });
    const accepted: string[] = [];
    let continued = 0;

    const check = async (): Promise<void> => {
      const log = await openLog(path, { readOnly: true });
      const texts = kept(log.entries);
      for (const text of accepted) expect(texts.get(text), `${text} is in the log once`).toBe(1);
      await log.close();
      const ran = existsSync(ledger) ? readFileSync(ledger, "utf8").trim().split("\n") : [];
      const paid = ran.filter((line) => line.startsWith("pay "));
      expect(new Set(paid).size, "a tool that is not idempotent ran twice").toBe(paid.length);
    };
    const note = (life: Life): void => {
      expect(life.lines.filter((line) => line.startsWith("stderr"))).toEqual([]);
      accepted.push(...life.lines.filter((line) => line.startsWith("accepted ")).map((line) => line.slice("accepted ".length)));
      continued += life.lines.filter((line) => line === "continuing").length;
    };

    for (let kill = 0; kill < KILLS; kill++) {
      const life = start(child, [path, ledger, server.url, String(kill)]);
      await untilOpen(life);
      // The random moment: mostly early, sometimes after several prompts and all that follows them.
      const until = performance.now() + random() ** 2 * 500;
      while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve));
      life.process.kill("SIGKILL");
      await life.ended;
      note(life);
      if (kill % 10 === 9) await check();
    }
    await check();

    const last = start(child, [path, ledger, server.url, "last", "last"]);
    await last.ended;
    note(last);
    expect(last.lines.at(-1)).toBe("left");
    expect(continued).toBeGreaterThan(KILLS / 4);

    const log = await openLog(path);
    const texts = kept(log.entries);
    for (const text of accepted) expect(texts.get(text)).toBe(1);
    expect(unanswered(log.projection.messages())).toEqual([]);
    const types = new Set(log.entries.map(({ type }) => type));
    // A short run may end before the context is full.
    const expected =
      KILLS < 100 ? (["message", "custom"] as const) : (["message", "context_edit", "compaction", "custom"] as const);
    for (const type of expected) expect(types).toContain(type);
    await log.close();
    await server.close();
    rmSync(folder, { recursive: true });
  },
);
