/**
 * The process that is killed. It opens the session file, takes up what was interrupted, then prompts, steers and follows up for
 * ever, and says on stdout, a line each, what was accepted: `accepted <text>`, `continuing`, `continued <status>`.
 * Arguments: session file, ledger file, URL of the model, number of this life; "last" as the fifth: settle everything and leave.
 */
import { appendFileSync, writeSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { createSession, openLog, type AnyTool } from "../../src/index.ts";
import { anthropic } from "../../src/model/anthropic/index.ts";

const [path = "", ledger = "", url = "", life = "", last] = process.argv.slice(2);
const say = (line: string): number => writeSync(1, `${line}\n`);

const tool = (name: string, idempotent: boolean): AnyTool => ({
  name,
  description: `Does ${name}.`,
  parameters: { type: "object" },
  idempotent,
  async execute(_, { toolCallId }) {
    await delay(1);
    // What a tool does outside: it can be seen by whoever looks, whether or not its result reaches the log.
    appendFileSync(ledger, `${name} ${toolCallId}\n`);
    return `${name} done. ${"x".repeat(400)}`;
  },
});

const session = createSession({
  model: anthropic({ model: "killed", baseURL: url, apiKey: "test", contextWindow: 8_000 }),
  log: await openLog(path, { durability: "none" }),
  tools: [tool("read", true), tool("pay", false)],
  settings: {
    retry: { baseDelayMs: 5, maxRetries: 5, maxAgentDelayMs: 20 },
    compaction: { reserveTokens: 1_000, keepRecentTokens: 300 },
    limits: { maxTurns: 12 },
  },
});
say("open");
const unfinished = session.state.outcome !== null || session.state.steering.length + session.state.followUp.length > 0;
if (unfinished) {
  say("continuing");
  const outcome = await session.continue().catch(() => undefined);
  say(`continued ${outcome?.status ?? "nothing"}`);
}

if (last === "last") {
  while (session.state.steering.length + session.state.followUp.length > 0) await session.continue();
  await session.dispose();
  say("left");
} else {
  for (let number = 0; ; number++) {
    const text = `prompt ${life}.${number}`;
    const outcome = session.prompt(text);
    say(`accepted ${text}`);
    if (number % 3 === 1) {
      session.steer(`steer ${life}.${number}`);
      say(`accepted steer ${life}.${number}`);
      session.followUp(`follow ${life}.${number}`);
      say(`accepted follow ${life}.${number}`);
    }
    await outcome;
  }
}
