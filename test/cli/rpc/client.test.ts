import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { RpcClient, RpcCommandError, RpcProcessError } from "../../../src/cli/rpc/client.ts";
import { startFaultServer, type FaultServerOptions } from "../../../src/testing/fault-server.ts";

const bin = fileURLToPath(new URL("../../../src/cli/bin.ts", import.meta.url));

async function client(script: NonNullable<FaultServerOptions["script"]>, args: string[] = []) {
  const server = await startFaultServer({ script });
  const rpc = new RpcClient({
    command: process.execPath,
    args: [
      bin,
      "--no-session",
      "--model",
      "anthropic/claude-sonnet-5-5",
      "--base-url",
      server.url,
      "--set",
      "retry.baseDelayMs=1",
      ...args,
    ],
    env: { ANTHROPIC_API_KEY: "test" },
    onStderr: () => {},
  });
  onTestFinished(async () => {
    await rpc.stop();
    await server.close();
  });
  return { rpc, server };
}

test("a client starts the process, prompts, sees a retry, and stops it", async () => {
  const { rpc, server } = await client(["status:529", { reply: { text: "hello over RPC" } }]);
  await rpc.start();
  const seen: string[] = [];
  rpc.onEvent(({ type }) => seen.push(type));
  const { outcome } = await rpc.promptAndWait("hi");
  expect(outcome).toMatchObject({ status: "completed", retries: 1 });
  expect(seen).toContain("auto_retry_start");
  expect(await rpc.send({ type: "get_last_assistant_text" })).toEqual({ text: "hello over RPC" });
  expect(server.requests).toHaveLength(2);
  await rpc.stop();
  await expect(rpc.send({ type: "get_state" })).rejects.toThrow(RpcProcessError);
});

test("a refused command rejects with the field at fault", async () => {
  const { rpc } = await client([]);
  await rpc.start();
  await expect(rpc.send({ type: "get_entries", since: "nowhere" })).rejects.toMatchObject({
    name: "RpcCommandError",
    field: "since",
  });
  await expect(rpc.send({ type: "switch_session", sessionPath: "/nowhere" })).rejects.toThrow(RpcCommandError);
});

test("a process that cannot start says so", async () => {
  const { rpc } = await client([], ["--set", "retry.maxRetries=-1"]);
  await expect(rpc.start()).rejects.toThrow(/ended \(exit code 2\)/);
});

test("what tools print does not reach stdout", async () => {
  const { rpc } = await client(
    [{ reply: { text: "quiet" } }],
    ["--tools", fileURLToPath(new URL("noisy-tools.ts", import.meta.url))],
  );
  await rpc.start();
  expect(await rpc.promptAndWait("hi")).toMatchObject({ outcome: { status: "completed" } });
});
