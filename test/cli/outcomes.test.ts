import { describe, expect, test } from "vitest";
import { asking, command, provider, Run } from "./harness.ts";

const ANSWER = { reply: { text: "Because of Rayleigh scattering." } };

describe("the exit code says how it went, stdout holds the answer, stderr the reason", () => {
  test("0: answered", async () => {
    const server = await provider([ANSWER]);
    const { code, out, err } = await command(["Why is the sky blue?"], asking(server));
    expect(out).toBe("Because of Rayleigh scattering.\n");
    expect(err).toBe("");
    expect(code).toBe(0);
  });

  test("0: answered after retries, which are told on stderr", async () => {
    const server = await provider(["status:529", "cut:half:fin", ANSWER]);
    const { code, out, err } = await command(["hi"], asking(server));
    expect(out).toBe("Because of Rayleigh scattering.\n");
    expect(err).toMatch(
      /^retrying in 1 ms \(1\/3\): 529 .+\nretrying in 2 ms \(2\/3\): .+\na partial answer was discarded; it is asked for again\n$/,
    );
    expect(code).toBe(0);
  });

  test("1: retries exhausted, with their number and what to do", async () => {
    const server = await provider(["reset", "reset", "reset", "reset"]);
    const { code, out, err } = await command(["hi"], asking(server));
    expect(out).toBe("");
    expect(err).toContain("retrying in 4 ms (3/3): ");
    expect(err).toMatch(/\nRetry failed after 3 attempts: .+\n.+Check the connection, the base URL and the proxy\.\n$/);
    expect(server.requests).toHaveLength(4);
    expect(code).toBe(1);
  });

  test("1: a permanent failure, without any retry", async () => {
    const server = await provider(["status:401"]);
    const { code, out, err } = await command(["hi"], asking(server));
    expect(out).toBe("");
    expect(err).toMatch(/^failed: 401 .+\nCheck the API key in ANTHROPIC_API_KEY/);
    expect(err).not.toContain("retrying");
    expect(code).toBe(1);
  });

  test("1: an answer that is cut is printed, and said to be cut", async () => {
    const server = await provider(["finish-reason:max_tokens"]);
    const { code, out, err } = await command(["hi"], asking(server));
    expect(out.trim()).not.toBe("");
    expect(err).toContain("the answer is cut");
    expect(code).toBe(1);
  });

  test("1: a context overflow that no compaction can help", async () => {
    const server = await provider(["error:context_length_exceeded"]);
    const { code, out, err } = await command(["hi"], asking(server));
    expect(out).toBe("");
    expect(err).toContain("the context is full, compacting…");
    expect(err).toContain("not compacted: ");
    expect(err).toMatch(/\nfailed: .+\n/);
    expect(code).toBe(1);
  });

  test("1: an answer without any text is never passed off as success", async () => {
    const server = await provider([
      { reply: { text: "" } },
      { reply: { text: "" } },
      { reply: { text: "" } },
      { reply: { text: "" } },
    ]);
    const { code, out, err } = await command(["hi"], asking(server));
    expect(out).toBe("");
    expect(err).not.toBe("");
    expect(code).toBe(1);
  });

  test("75: the quota is used up, with the time it resets", async () => {
    const server = await provider(["error:insufficient_quota:retry-after=7200"]);
    const { code, out, err } = await command(["hi"], asking(server));
    expect(out).toBe("");
    expect(err).toMatch(/^failed: .+\n.+quota.+\nresets at \d{4}-\d\d-\d\dT.+Z \(in 2 h\)\n$/);
    expect(server.requests).toHaveLength(1);
    expect(code).toBe(75);
  });

  test("75: also when the provider does not say when it resets", async () => {
    const server = await provider(["error:insufficient_quota"]);
    const { code, err } = await command(["hi"], asking(server));
    expect(err).toContain("the provider does not say when it resets");
    expect(code).toBe(75);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s in a wait aborts cleanly, with exit code %i", async (signal, exit) => {
    const server = await provider(["status:529"]);
    const running = new Run(["hi", "--set", "retry.baseDelayMs=60000"], asking(server));
    await running.says("retrying in 1 min (1/3)");
    running.signal(signal);
    expect(await running.exit).toBe(exit);
    expect(running.err).toContain("aborting");
    expect(running.err).toMatch(/\naborted\n$/);
    expect(running.exits).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  test("SIGINT in the middle of an answer aborts it; a second one leaves at once", async () => {
    const server = await provider(["stall:half"]);
    const running = new Run(["hi", "-v"], asking(server));
    await running.says("model anthropic/claude-sonnet-5-5");
    running.signal("SIGINT");
    running.signal("SIGINT");
    expect(running.exits).toEqual([130]);
    expect(await running.exit).toBe(130);
    expect(running.out).toBe("");
  });
});

test("the prompts of one run share a session; after one that fails the rest is not asked", async () => {
  const server = await provider(["reply:one", "status:401"]);
  const { code, out, err } = await command(["first", "second", "third", "fourth"], asking(server));
  expect(out).toBe("one\n");
  expect(err).toContain("the next 2 prompts were not asked");
  expect(server.requests).toHaveLength(2);
  expect(JSON.stringify(server.requests[1]?.body)).toContain("first");
  expect(code).toBe(1);
});

test("quiet says nothing of retries, and still why it failed", async () => {
  const server = await provider(["status:529", "status:401"]);
  const { code, err } = await command(["-q", "hi"], asking(server));
  expect(err).toMatch(/^failed: 401 .+\n.+\n$/);
  expect(code).toBe(1);
});

test("verbose says each decision with its rule, and what it took", async () => {
  const server = await provider(["status:529", ANSWER]);
  const { err } = await command(["-v", "hi"], asking(server));
  expect(err).toContain("rule retryFailure: omit the reply, count a retry, back off\n");
  expect(err).toContain("retry 1 went through\n");
  expect(err).toMatch(/\n2 requests, 1 retry, tokens: \d+ in, \d+ out.*\$0\.0/);
});

test("a demanded wait longer than the cap ends the run and names the time", async () => {
  const server = await provider(["status:429:retry-after=3600"]);
  const { code, err } = await command(["hi"], asking(server));
  expect(err).toMatch(/asks to wait 3600 s, until \d{4}-/);
  expect(code).toBe(1);
});

test("OpenAI's models are asked where OPENAI_BASE_URL says", async () => {
  const server = await provider([ANSWER]);
  const { code, out } = await command(["hi"], { env: { OPENAI_API_KEY: "test-key", OPENAI_BASE_URL: `${server.url}/v1` } });
  expect(out).toBe("Because of Rayleigh scattering.\n");
  expect(server.requests[0]?.format).toBe("openai-completions");
  expect(code).toBe(0);
});

test("a local server needs no key, and is sent none of another provider", async () => {
  const server = await provider([ANSWER]);
  const { code, out } = await command(["hi", "--base-url", `${server.url}/v1`, "--model", "qwen3:8b"], {
    env: { OPENAI_API_KEY: "sk-not-for-this-server" },
  });
  expect(out).toBe("Because of Rayleigh scattering.\n");
  expect(JSON.stringify(server.requests[0])).not.toContain("sk-not-for-this-server");
  expect(code).toBe(0);
});

test("--demo plays a script, and says so on both streams", async () => {
  const { code, out, err } = await command(["--demo", "hi"], { env: { AGENT_SESSION_RETRY_BASE_DELAY_MS: "1" } });
  expect(err).toContain("DEMO: a script answers; no model is asked.\n");
  expect(out).toContain("a script answers, not a model");
  expect(code).toBe(0);
});
