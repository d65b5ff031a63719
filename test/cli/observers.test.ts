import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { asking, command, provider, Run, temporaryFolder } from "./harness.ts";

test("--trace records the run; it can be replayed without a difference", async () => {
  const server = await provider(["status:529", "reply:fine"]);
  const cwd = temporaryFolder();
  const { code } = await command(["--trace", "run.jsonl", "hi"], { ...asking(server), cwd });
  expect(code).toBe(0);
  const { out, code: replayed } = await command(["replay", join(cwd, "run.jsonl")]);
  expect(out).toContain("No difference.");
  expect(replayed).toBe(0);
});

test("a trace that cannot be written is told before anything is asked", async () => {
  const { code, err } = await command(["--demo", "--trace", "no/such/folder/run.jsonl", "hi"]);
  expect(err).toContain("--trace no/such/folder/run.jsonl cannot be written: ");
  expect(code).toBe(2);
});

test("--inspect says where the page is, serves it while the run lasts, and ends it with the run", async () => {
  const server = await provider(["stall:half"]);
  const running = new Run(["--inspect", "hi"], asking(server));
  await running.says("inspector: ");
  const url = /inspector: (\S+)/.exec(running.err)?.[1] ?? "";
  expect(await (await fetch(url)).text()).toContain("<html");
  running.signal("SIGINT");
  expect(await running.exit).toBe(130);
  await expect(fetch(url)).rejects.toThrow("fetch failed");
});

test("a recorded session is shown until a signal comes", async () => {
  const server = await provider(["reply:fine"]);
  const cwd = temporaryFolder();
  await command(["--trace", "run.jsonl", "hi"], { ...asking(server), cwd });
  expect(existsSync(join(cwd, "run.jsonl"))).toBe(true);
  const running = new Run(["inspect", join(cwd, "run.jsonl")], {});
  await expect.poll(() => running.out).toMatch(/^http:\/\/127\.0\.0\.1:/);
  running.signal("SIGINT");
  expect(await running.exit).toBe(0);
});
