import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { asking, provider, temporaryFolder } from "./harness.ts";

const BIN = fileURLToPath(new URL("../../src/cli/bin.ts", import.meta.url));
const STORY = fileURLToPath(new URL("../../docs/examples/survive.ts", import.meta.url));

interface Started {
  child: ChildProcess;
  out: () => string;
  err: () => string;
  /** Resolves when stderr has the text. */
  says: (text: string) => Promise<void>;
  /** Exit code, or the signal it died of. */
  end: Promise<number | string | null>;
}

function start(args: readonly string[], env: Record<string, string> = {}, file = BIN): Started {
  const home = temporaryFolder();
  const child = spawn(process.execPath, [file, ...args], {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (data) => (out += data));
  child.stderr.on("data", (data) => (err += data));
  return {
    child,
    out: () => out,
    err: () => err,
    async says(text) {
      while (!err.includes(text)) await once(child.stderr, "data");
    },
    end: once(child, "close").then(([code, signal]) => code ?? signal),
  };
}

test("answers a question, as a process of its own", async () => {
  const server = await provider(["status:529", "reply:fine"]);
  const run = start(["How is it?"], asking(server).env);
  expect(await run.end).toBe(0);
  expect(run.out()).toBe("fine\n");
  expect(run.err()).toMatch(/^retrying in 1 ms \(1\/3\): 529 /);
});

test("SIGINT aborts cleanly, once; the exit code says so", async () => {
  const server = await provider(["status:529"]);
  const run = start(["hi", "--set", "retry.baseDelayMs=60000"], asking(server).env);
  await run.says("retrying in 1 min");
  run.child.kill("SIGINT");
  expect(await run.end).toBe(130);
  expect(run.err()).toMatch(/aborting… \(Ctrl-C again leaves at once\)\naborted\n$/);
});

test("a second SIGINT leaves at once, also when a tool does not listen", async () => {
  const tools = join(temporaryFolder(), "tools.mjs");
  writeFileSync(
    tools,
    `export default [{ name: "deaf", description: "Never ends.", parameters: { type: "object" }, execute: () => new Promise(() => setInterval(() => {}, 1000)) }];`,
  );
  const server = await provider([{ reply: { toolCalls: [{ name: "deaf", arguments: {} }] } }]);
  const run = start(["hi", "--tools", tools], asking(server).env);
  await run.says("tool deaf");
  run.child.kill("SIGINT");
  await run.says("aborting");
  run.child.kill("SIGINT");
  expect(await run.end).toBe(130);
  expect(run.err()).not.toContain("aborted");
});

test("ends although a tools module holds something open", async () => {
  const tools = join(temporaryFolder(), "tools.mjs");
  writeFileSync(tools, "setInterval(() => {}, 1000); export default [];");
  const server = await provider(["reply:done"]);
  const run = start(["hi", "--tools", tools], asking(server).env);
  expect(await run.end).toBe(0);
  expect(run.out()).toBe("done\n");
});

test("a large answer arrives whole in a pipe", async () => {
  const text = "0123456789".repeat(50_000);
  const server = await provider([{ reply: { text } }]);
  const run = start(["hi"], asking(server).env);
  expect(await run.end).toBe(0);
  expect(run.out()).toBe(`${text}\n`);
});

test("a reader that leaves early is no crash", async () => {
  const text = "0123456789".repeat(50_000);
  const server = await provider([{ reply: { text } }, "reply:two"]);
  const run = start(["first", "second"], asking(server).env);
  run.child.stdout?.once("data", () => run.child.stdout?.destroy());
  expect(await run.end).toBe(1);
  expect(run.err()).toContain("aborting: nobody reads stdout any more\n");
  expect(run.err()).not.toMatch(/\n\s+at /);
});

test.each([["models"], ["--help"], ["lab", "reliability"], ["completions", "fish"]])(
  "%s into a pipe whose reader has seen enough is no crash",
  async (...args) => {
    const run = start(args);
    run.child.stdout?.once("data", () => run.child.stdout?.destroy());
    await run.end;
    expect(run.err()).toBe("");
  },
);

test.skipIf(!existsSync("/dev/full"))("a full disk is no success", async () => {
  const server = await provider(["reply:an answer"]);
  const full = openSync("/dev/full", "w");
  const env = { PATH: process.env["PATH"], HOME: temporaryFolder(), ...asking(server).env };
  const child = spawn(process.execPath, [BIN, "hi"], { cwd: temporaryFolder(), env, stdio: ["ignore", full, "pipe"] });
  let err = "";
  child.stderr?.on("data", (data) => (err += data));
  const [code] = await once(child, "close");
  closeSync(full);
  expect(err).toContain("stdout cannot be written: ");
  expect(err).toContain("ENOSPC");
  expect(code).toBe(1);
});

test("a promise that a tools module forgot is told, and ends nothing", async () => {
  const tools = join(temporaryFolder(), "tools.mjs");
  writeFileSync(tools, 'export default []; setImmediate(() => Promise.reject(new Error("forgotten")));');
  const server = await provider(["drip:20"]);
  const run = start(["hi", "--tools", tools], asking(server).env);
  expect(await run.end).toBe(0);
  expect(run.err()).toContain("a promise was rejected, and nobody handled it: Error: forgotten");
  expect(run.out()).not.toBe("");
});

test("an older Node gets one readable line, and exit code 2", () => {
  // The version is what bin.ts looks at first; the rest of this Node is as new as ever.
  const old = `Object.defineProperty(process, "version", { value: "v20.11.1" }); await import(${JSON.stringify(BIN)});`;
  const { status, stderr, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", old], { encoding: "utf8" });
  expect(stderr).toBe("agent-session needs Node >= 22.18; this is v20.11.1. https://nodejs.org has newer ones.\n");
  expect(stdout).toBe("");
  expect(status).toBe(2);
});

test("--help loads neither the statechart nor a client", () => {
  const watch = `import { registerHooks } from "node:module";
registerHooks({ load(url, context, next) { process.stderr.write(url + "\\n"); return next(url, context); } });`;
  const { stderr, stdout } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(watch)}`, BIN, "--help"],
    { encoding: "utf8" },
  );
  expect(stdout).toContain("Usage: agent-session");
  const loaded = stderr.split("\n").filter((url) => url.startsWith("file:"));
  expect(loaded.length).toBeGreaterThan(3);
  expect(loaded.filter((url) => !url.includes("/src/cli/") && !url.includes("/src/retry/clock"))).toEqual([]);
});

test("npm start with a question and no key is the command: exit code 2, and the variables by name", async () => {
  const run = start(["a question"], {}, STORY);
  expect(await run.end).toBe(2);
  expect(run.err()).toContain("ANTHROPIC_API_KEY or OPENAI_API_KEY");
  expect(run.out()).toBe("");
});
