// A whole agent in one file: a tool, a model, a session, and what happens shown as it happens.
import { createSession, defineTool, type SessionEvent } from "agent-session-machine";
import { anthropic } from "agent-session-machine/anthropic";
import { z } from "zod";

const weather = defineTool({
  name: "weather",
  description: "Says what the weather is in a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `It is sunny in ${city}.`,
});

function show(event: SessionEvent): void {
  switch (event.type) {
    case "message_update":
      if (event.assistantMessageEvent.type === "text_delta") process.stdout.write(event.assistantMessageEvent.delta);
      break;
    case "tool_execution_start":
      console.error(`→ ${event.toolName} ${JSON.stringify(event.args)}`);
      break;
    case "auto_retry_start":
      console.error(`retry ${event.attempt} of ${event.maxAttempts} in ${event.delayMs / 1000} s: ${event.errorMessage}`);
      break;
    case "compaction_start":
      console.error("compacting…");
      break;
  }
}

await using session = createSession({
  model: anthropic({ model: "claude-sonnet-5-5" }), // reads ANTHROPIC_API_KEY
  tools: [weather],
  settings: { retry: { maxRetries: 5 }, limits: { maxRequests: 50 } },
});
session.subscribe(show);

const outcome = await session.prompt(process.argv[2] ?? "How is the weather in Lisbon?");
console.error(
  `\n${outcome.status}: ${outcome.requests} requests, ${outcome.retries} retries, ${outcome.usage.totalTokens} tokens`,
);
if (outcome.failure) console.error(`${outcome.failure.message}\n${outcome.failure.hint}`);
process.exitCode = outcome.status === "completed" && !outcome.cut ? 0 : 1;
