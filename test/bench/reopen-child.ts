/** One measurement in a process of its own, as reopening is what a process begins with. Prints milliseconds as JSON. */
import { closeSync, openSync, readSync, rmSync } from "node:fs";
import { openLog } from "../../src/log/index.ts";
import { createSession } from "../../src/session/session.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import type { ScriptedReply } from "../../src/testing/scripted-model.ts";
import { now } from "./row.ts";

/** With its usage, so that the model does not count the whole context for it. */
const answer: ScriptedReply = { text: "an answer", usage: { input: 10, output: 10 } };
const [how, path = ""] = process.argv.slice(2);
const start = now();
if (how === "bare") {
  const entries = parsedLines(path);
  process.stdout.write(JSON.stringify({ open: now() - start, entries: entries.length }));
} else {
  const log = await openLog(path, { durability: "none" });
  const open = now() - start;
  const model = scriptedModel(() => answer, { record: false });
  // What is measured next is what the length of the session costs, not what the first prompt of a process does.
  const warmLog = `${path}.warm-up`;
  const warmUp = createSession({ model, log: await openLog(warmLog, { durability: "none" }) });
  for (let index = 0; index < 200; index++) await warmUp.prompt("warm up");
  await warmUp.dispose();
  rmSync(warmLog);
  const session = createSession({ log, model });
  const before = now();
  const { status } = await session.prompt("one more");
  const prompt = now() - before;
  if (status !== "completed") throw new Error(`The prompt ended as ${status}.`);
  await session.dispose();
  process.stdout.write(JSON.stringify({ open, prompt, entries: log.entries.length }));
}

/** What has to be done at least: read the file in pieces and parse each line. */
function parsedLines(file: string): unknown[] {
  const descriptor = openSync(file, "r");
  const buffer = Buffer.allocUnsafe(1 << 20);
  const parsed: unknown[] = [];
  let rest = "";
  for (let count = readSync(descriptor, buffer); count > 0; count = readSync(descriptor, buffer)) {
    const lines = (rest + buffer.toString("utf8", 0, count)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) parsed.push(JSON.parse(line));
  }
  closeSync(descriptor);
  return parsed;
}
