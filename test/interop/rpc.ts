/** Pi's own RpcClient starts our command and drives it, with a retry and an overflow under way. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { startFaultServer, type FaultServer, type FaultStep } from "../../src/testing/fault-server.ts";
import type { PiRpcClient, PiRpcClientClass } from "./pi.ts";

const built = fileURLToPath(new URL("../../dist/src/cli/bin.js", import.meta.url));

type Event = { type: string } & Record<string, unknown>;

/** Each gives the problems it found. */
export const rpcChecks: Readonly<Record<string, (RpcClient: PiRpcClientClass) => Promise<string[]>>> = {
  "prompt, promptAndWait, getState and getMessages, with a retry under way": (RpcClient) =>
    withClient(RpcClient, ["status:529", { reply: { text: "hello" } }, { reply: { text: "again" } }], async (client, events) => {
      const idle = client.waitForIdle();
      const disposition = await client.prompt("hi");
      await idle;
      const state = await client.getState();
      const collected = await client.promptAndWait("more");
      return [
        ...expect(disposition, "started", "disposition"),
        ...expect(state.isStreaming, false, "isStreaming"),
        ...expect(state.messageCount, 2, "messageCount"),
        ...expect((await client.getMessages()).length, 4, "messages"),
        ...expect(collected.at(-1)?.type, "agent_settled", "last event"),
        ...expect(await client.getLastAssistantText(), "again", "last text"),
        ...contains(events, ["auto_retry_start", "auto_retry_end", "agent_settled"]),
      ];
    }),
  "steer, followUp, clearQueue and abort while streaming": (RpcClient) =>
    withClient(RpcClient, ["stall:half", { reply: { text: "on" } }], async (client, events) => {
      await client.prompt("hi");
      const steered = await client.steer("s");
      const followed = await client.followUp("f");
      const cleared = await client.clearQueue();
      const idle = client.waitForIdle();
      await client.abort();
      await idle;
      return [
        ...expect(steered, "queued", "steer"),
        ...expect(followed, "queued", "followUp"),
        ...expect(JSON.stringify(cleared), '{"steering":["s"],"followUp":["f"]}', "cleared"),
        ...contains(events, ["queue_update", "agent_settled"]),
      ];
    }),
  "abortRetry in a backoff, and setAutoRetry": (RpcClient) =>
    withClient(
      RpcClient,
      ["status:529", "status:529"],
      async (client, events) => {
        const idle = client.waitForIdle();
        const waiting = new Promise<void>((resolve) => client.onEvent(({ type }) => type === "auto_retry_start" && resolve()));
        await client.prompt("hi");
        await waiting;
        await client.abortRetry();
        await idle;
        await client.setAutoRetry(false);
        const collected = await client.promptAndWait("again");
        return [
          ...contains(events, ["auto_retry_end"]),
          ...expect(
            collected.some(({ type }) => type === "auto_retry_start"),
            false,
            "a retry with retries off",
          ),
        ];
      },
      ["--set", "retry.baseDelayMs=60000"],
    ),
  "compact, and an overflow that is recovered": (RpcClient) =>
    withClient(
      RpcClient,
      [
        { reply: { text: "long ".repeat(2_000) } },
        { reply: { text: "short" } },
        "error:context_length_exceeded",
        { reply: { text: "the summary" } },
        { reply: { text: "recovered" } },
        { reply: { text: "word ".repeat(500) } },
        { reply: { text: "short" } },
        { reply: { text: "a second summary" } },
      ],
      async (client, events) => {
        for (const prompt of ["one", "two", "three"]) await client.promptAndWait(prompt);
        const recovered = await client.getLastAssistantText();
        for (const prompt of ["four", "five"]) await client.promptAndWait(prompt);
        const result = await client.compact("briefly");
        return [
          ...expect(recovered, "recovered", "answer after the overflow"),
          ...expect(typeof result.summary, "string", "summary"),
          ...contains(events, ["compaction_start", "compaction_end"]),
        ];
      },
      ["--set", "compaction.keepRecentTokens=1"],
    ),
};

async function withClient(
  RpcClient: PiRpcClientClass,
  script: FaultStep[],
  use: (client: PiRpcClient, events: Event[]) => Promise<string[]>,
  args: string[] = [],
): Promise<string[]> {
  if (!existsSync(built)) return ["dist is missing: npm run build first"];
  const server: FaultServer = await startFaultServer({ script });
  const client = new RpcClient({
    cliPath: built,
    args: [
      "--no-session",
      "--model",
      "anthropic/claude-sonnet-5-5",
      "--base-url",
      server.url,
      "--set",
      "retry.baseDelayMs=1",
      ...args,
    ],
    // Its client starts `node` from PATH: the one that runs this.
    env: { PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`, ANTHROPIC_API_KEY: "test" },
  });
  const events: Event[] = [];
  client.onEvent((event) => events.push(event));
  try {
    await client.start();
    return await use(client, events);
  } finally {
    await client.stop();
    await server.close();
  }
}

function expect(given: unknown, wanted: unknown, what: string): string[] {
  return given === wanted ? [] : [`${what}: ${JSON.stringify(given)} instead of ${JSON.stringify(wanted)}`];
}

function contains(events: readonly Event[], types: readonly string[]): string[] {
  return types.filter((type) => !events.some((event) => event.type === type)).map((type) => `no ${type} event`);
}
