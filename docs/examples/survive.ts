/**
 * `npm start`: a session meets an overload, a throttle, a connection cut in mid-answer and a context that is too long for the model,
 * and answers all the same. The provider is a mock on loopback; the client that talks to it is Anthropic's own.
 *
 * `npm start -- "question"` asks a real model instead, as `agent-session "question"` does.
 */
import { createSession } from "../../src/index.ts";
import { anthropic } from "../../src/model/anthropic/index.ts";
import { narrate } from "./survive/narrator.ts";
import { startProvider } from "./survive/provider.ts";
import { readLog } from "./survive/services.ts";
import { summarize } from "./survive/summary.ts";

const QUESTION = "Which of our services failed last night, and why?";

if (process.argv.length > 2) {
  const [{ main }, { processIo }] = await Promise.all([import("../../src/cli/main.ts"), import("../../src/cli/process-io.ts")]);
  await main(process.argv.slice(2), processIo());
} else {
  await demo();
}

async function demo(): Promise<void> {
  const provider = await startProvider();
  const session = createSession({
    model: anthropic({ model: "claude-demo", baseURL: provider.url, apiKey: "demo" }),
    systemPrompt: "You are the on-call engineer. Read the logs, then answer in two sentences.",
    tools: [readLog],
    // As the defaults, only that the waits are half as long: 1, 2 and 4 seconds.
    settings: { retry: { baseDelayMs: 1_000 } },
  });
  const story = narrate(session, { question: QUESTION, url: provider.url });
  const outcome = await session.prompt(QUESTION);
  story.end();
  summarize(session, outcome);
  await session.dispose();
  await provider.stop();
  process.exitCode = outcome.status === "completed" ? 0 : 1;
}
