import { expect, test, vi } from "vitest";
import { narrate } from "../../docs/examples/survive/narrator.ts";
import { startProvider } from "../../docs/examples/survive/provider.ts";
import { readLog } from "../../docs/examples/survive/services.ts";
import { summarize } from "../../docs/examples/survive/summary.ts";
import { createSession } from "../../src/index.ts";
import { anthropic } from "../../src/model/anthropic/index.ts";
import { FastClock } from "../integrity/fast-clock.ts";

test("the story of npm start: an overload, a throttle, a cut, three tool calls, an overflow, and an answer", async () => {
  let page = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    page += String(text);
    return true;
  });
  const provider = await startProvider();
  const session = createSession({
    model: anthropic({ model: "claude-demo", baseURL: provider.url, apiKey: "demo" }),
    tools: [readLog],
    settings: { retry: { baseDelayMs: 1_000 } },
    clock: new FastClock(100),
  });
  const story = narrate(session, { question: "What failed?", url: provider.url });
  const outcome = await session.prompt("What failed?");
  story.end();
  summarize(session, outcome);
  await session.dispose();
  await provider.stop();
  vi.restoreAllMocks();

  expect(outcome).toMatchObject({ status: "completed", retries: 3, requests: 9 });
  const labels = page
    .split("\n")
    .map((line) => /^[a-z]+(?= {2})/.exec(line)?.[0])
    .filter((label) => label !== undefined);
  const failed = ["running", "failure", "deciding", "backoff"];
  const cut = ["running", "answer", "failure", "deciding", "backoff", "discarded"];
  const turn = ["running", "answer", "tool"];
  expect(labels).toEqual([
    "you",
    ...failed,
    ...failed,
    ...cut,
    ...["running", "answer", "retry", "tool"],
    ...turn,
    ...turn,
    ...["running", "failure", "deciding", "compacting", "compacting"],
    ...["running", "answer", "deciding", "settled"],
  ]);
  expect(page).toContain("retry 2 of 3 in 3 s, as long as the server asked for");
  expect(page).toContain("rule recoverOverflow: compact (overflow), omit the reply, repeat the request once");
  expect(page).toContain("a reply: failed (529 Overloaded)");
  expect(page).toContain("the summary stands for it");
  expect(page).not.toContain("\u001b");
});
