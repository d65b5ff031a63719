import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { serve } from "@hono/node-server";
import { afterAll, expect, test } from "vitest";
import { runReview } from "../../docs/examples/parent-machine.ts";
import { chatServer } from "../../docs/examples/server.ts";
import { startFaultServer, type FaultServer } from "../../src/testing/fault-server.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { quiet } from "../session/harness.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const servers: FaultServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

async function faultServer(script: Parameters<typeof startFaultServer>[0]): Promise<FaultServer> {
  const server = await startFaultServer(script);
  servers.push(server);
  return server;
}

/** Runs a file of this tree as a user would, with the package's name meaning this tree. */
async function run(
  file: string,
  args: string[],
  env: Record<string, string>,
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, ["--import", "./test/tools/self.ts", file, ...args], {
    cwd: root,
    env: { PATH: process.env["PATH"], ...env },
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (data) => (out += data));
  child.stderr.on("data", (data) => (err += data));
  const [code] = await once(child, "close");
  return { code, out, err };
}

test("the embedding example answers over real HTTP", async () => {
  const server = await faultServer({ script: [{ reply: { text: "Sunny, as the tool says." } }] });
  const { code, out, err } = await run("docs/examples/embed.ts", ["How is it?"], {
    ANTHROPIC_API_KEY: "test",
    ANTHROPIC_BASE_URL: server.url,
  });
  expect(err).toContain("completed: 1 requests, 0 retries");
  expect(out).toContain("Sunny, as the tool says.");
  expect(code).toBe(0);
});

test("the embedding example says what to do when the key is refused", async () => {
  const server = await faultServer({ script: ["status:401"] });
  const { code, err } = await run("docs/examples/embed.ts", ["How is it?"], {
    ANTHROPIC_API_KEY: "test",
    ANTHROPIC_BASE_URL: server.url,
  });
  expect(err).toContain("failed: 1 requests, 0 retries");
  expect(err).toContain("ANTHROPIC_API_KEY");
  expect(code).toBe(1);
});

test("the worker example runs a session in a thread of its own", async () => {
  const server = await faultServer({ script: [{ reply: { text: "from a thread" } }] });
  const { promptInWorker } = await import("../../docs/examples/worker.ts");
  expect(promptInWorker).toBeTypeOf("function");
  const code = `
    import { promptInWorker } from "./docs/examples/worker.ts";
    let text = "";
    const outcome = await promptInWorker("hi", { model: "m", baseURL: "${server.url}/v1", apiKey: "test" }, (event) => {
      if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") text += event.assistantMessageEvent.delta;
    });
    console.log(outcome.status, text);
  `;
  const child = spawn(process.execPath, ["--import", "./test/tools/self.ts", "-e", code], { cwd: root });
  let out = "";
  child.stdout.on("data", (data) => (out += data));
  child.stderr.on("data", (data) => (out += data));
  await once(child, "close");
  expect(out.trim()).toBe("completed from a thread");
});

test("a parent machine spawns sessions as its children", async () => {
  const model = scriptedModel(["Cats sleep.", "Too short."]);
  expect(await runReview(model, "cats")).toEqual({ draft: "Cats sleep.", critique: "Too short." });
  expect(JSON.stringify(model.requests[1])).toContain("Criticise: Cats sleep.");
});

test("the server example streams deltas and the outcome", async () => {
  const app = chatServer(scriptedModel([{ text: "hello there", deltas: 2 }]));
  const response = await app.request("/chat", {
    method: "POST",
    body: JSON.stringify({ prompt: "hi" }),
    headers: { "content-type": "application/json" },
  });
  const text = await response.text();
  expect(text).toContain('data: {"delta":"hello"}'.slice(0, 14));
  expect(text).toContain('event: agent_settled\ndata: {"status":"completed"}');
});

test("the server example aborts the session when its client goes away", async () => {
  let aborted: (() => void) | undefined;
  const gone = new Promise<void>((resolve) => (aborted = resolve));
  const base = scriptedModel([{ text: "never ends", hang: true }]);
  const app = chatServer({
    ...base,
    stream: (request, options) => {
      options.signal.addEventListener("abort", () => aborted?.());
      return base.stream(request, options);
    },
  });
  const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0, createServer });
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const controller = new AbortController();
  const response = await fetch(`http://127.0.0.1:${port}/chat`, {
    method: "POST",
    body: JSON.stringify({ prompt: "hi" }),
    headers: { "content-type": "application/json" },
    signal: controller.signal,
  });
  await response.body?.getReader().read();
  controller.abort();
  await gone;
  await quiet();
  server.close();
});
