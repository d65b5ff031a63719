import { expect, test } from "vitest";
import { runFaults } from "../../src/cli/faults.ts";
import { faults } from "../../src/testing/fault-server.ts";

interface Run {
  exit: Promise<number>;
  out: () => string;
  errors: () => string;
  stop: () => void;
  url: () => Promise<string>;
}

function run(...args: string[]): Run {
  const stop = new AbortController();
  let out = "";
  let errors = "";
  const exit = runFaults(args, {
    stdout: (text) => (out += text),
    stderr: (text) => (errors += text),
    signal: stop.signal,
  });
  const url = async (): Promise<string> => {
    for (;;) {
      const found = /https?:\/\/127\.0\.0\.1:\d+/u.exec(out);
      if (found) return found[0];
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { exit, out: () => out, errors: () => errors, stop: () => stop.abort(), url };
}

async function status(url: string): Promise<number> {
  return (await fetch(`${url}/v1/messages`, { method: "POST", body: "{}" })).status;
}

test("says where it is, how to point a client there, and what each request got", async () => {
  const command = run("--script", "status:529, reply");
  const url = await command.url();
  expect([await status(url), await status(url), await status(url)]).toEqual([529, 200, 200]);
  command.stop();
  expect(await command.exit).toBe(0);
  expect(command.out()).toContain(`ANTHROPIC_BASE_URL=${url} `);
  expect(command.out()).toContain(`OPENAI_BASE_URL=${url}/v1 `);
  expect(command.out()).toContain("1 POST /v1/messages -> status:529\n2 POST /v1/messages -> reply\nThe script is over");
  await expect(fetch(url)).rejects.toThrow("fetch failed");
});

test("plays a script again and again when told to", async () => {
  const command = run("--script", "status:529,status:400", "--loop");
  const url = await command.url();
  expect([await status(url), await status(url), await status(url)]).toEqual([529, 400, 529]);
  command.stop();
  expect(await command.exit).toBe(0);
  expect(command.out()).not.toContain("The script is over");
});

test("tells of requests that no format takes, and does not count them", async () => {
  const command = run("--script", "status:529");
  const url = await command.url();
  expect((await fetch(`${url}/v1/models`)).status).toBe(404);
  expect(command.out()).toContain("1 GET /v1/models -> 404: no format is served there\n");
  expect(command.out()).not.toContain("The script is over");
  expect(await status(url)).toBe(529);
  expect(command.out()).toContain("The script is over");
  command.stop();
  expect(await command.exit).toBe(0);
});

test("ends at once when it was told to before it began", async () => {
  const signal = AbortSignal.abort();
  expect(await runFaults([], { stdout: () => undefined, stderr: () => undefined, signal })).toBe(0);
});

test("lists every step with what it does", async () => {
  const command = run("--list");
  expect(await command.exit).toBe(0);
  for (const fault of Object.values(faults)) {
    expect(command.out()).toContain(fault.usage);
    expect(command.out()).toContain(fault.title);
  }
});

test.each([
  [["--script", "cut:half:gently"], "the ending takes fin, rst, clean, eof"],
  [["--script", "nothing-known"], 'no step is named "nothing-known"'],
  [["--port", "high"], '--port takes a whole number from 0 to 65535; got "high"'],
  [["--loop"], "--loop needs a --script"],
  [["--what"], "--what"],
])("%j ends with 2, says why and how it goes", async (args, message) => {
  const command = run(...args);
  expect(await command.exit).toBe(2);
  expect(command.errors()).toContain(message);
  expect(command.errors()).toContain("Usage: agent-session faults");
  expect(command.out()).toBe("");
});
