import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runExplain } from "../../src/cli/explain.ts";
import { failureMatrix, runLab } from "../../src/cli/lab.ts";
import type { Explanation } from "../../src/errors/index.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "explain-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function* bytes(...chunks: (Buffer | string)[]): AsyncGenerator<Buffer | string> {
  yield* chunks;
}

async function run(
  command: typeof runExplain,
  args: string[],
  input: AsyncIterable<Buffer | string> = bytes(),
  env: Record<string, string> = {},
) {
  const written = { stdout: "", stderr: "" };
  const code = await command(args, {
    stdin: input,
    stdout: { write: (text) => (written.stdout += text) },
    stderr: { write: (text) => (written.stderr += text) },
    env,
  });
  return { code, ...written };
}

describe("agent-session explain", () => {
  test("tells verdict, rule, reason, and what a session would do", async () => {
    const { code, stdout } = await run(runExplain, ["529 Overloaded"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^verdict +retry \(overloaded\)\nrule +overload\.wording\nwhy +There is no capacity/);
    expect(stdout).toContain("session  repeat the same request after 2 s, 4 s and 8 s\n");
  });

  test("takes a demanded wait for the least", async () => {
    const { stdout } = await run(runExplain, ["Rate limit reached. Please try again in 5s."]);
    expect(stdout).toContain("after 5 s, 5 s and 8 s (never sooner than the 5 s that were asked for)");
  });

  test("takes words without quotes as one text", async () => {
    expect((await run(runExplain, ["prompt", "is", "too", "long"])).stdout).toContain("compact (context_overflow)");
  });

  test("reads standard input for - and for nothing, in whatever pieces it comes", async () => {
    const [one, two] = [Buffer.from("当前分组上游负载已饱和").subarray(0, 7), Buffer.from("当前分组上游负载已饱和").subarray(7)];
    for (const args of [["-"], []]) expect((await run(runExplain, args, bytes(one, two))).stdout).toContain("retry (overloaded)");
  });

  test.each(["/var/log/agent/error.log", "./error", "../last-error.txt", "error.json", "C:\\logs\\error.log"])(
    "says that %s is no file, when it is none",
    async (path) => {
      const { code, stdout, stderr } = await run(runExplain, [path]);
      expect(code).toBe(0);
      expect(stderr).toBe(`agent-session explain: there is no file ${path}; this is how it is judged as a text\n`);
      expect(stdout).toContain("verdict");
    },
  );

  test.each([["Overloaded"], ["404 /v1/messages not found"], ["no such file: error.log"]])(
    "takes %j for a text",
    async (text) => {
      expect((await run(runExplain, [text])).stderr).toBe("");
    },
  );

  test("reads a file", async () => {
    const file = join(folder, "error.log");
    writeFileSync(file, '401 {"error":{"type":"authentication_error","message":"invalid x-api-key"}}');
    expect((await run(runExplain, [file])).stdout).toContain("stop (auth)");
  });

  test("takes a text that names no file, however long, as a text", async () => {
    expect((await run(runExplain, ["x".repeat(100_000)])).code).toBe(0);
    expect((await run(runExplain, ["nul \0 byte"])).code).toBe(0);
  });

  test("gives the whole account as JSON", async () => {
    const { stdout } = await run(runExplain, ["slow down", "--status", "429", "--provider", "acme", "--json"]);
    const explanation = JSON.parse(stdout) as Explanation;
    expect(explanation).toMatchObject({
      failure: { action: "retry", kind: "rate_limited", status: 429 },
      facts: { provider: "acme" },
    });
    expect(explanation.failure.hint).toContain("Acme");
  });

  test("names the address and the proxy of the environment", async () => {
    const { stdout } = await run(runExplain, ["fetch failed", "--base-url", "https://api.acme.example/v1"], bytes(), {
      HTTPS_PROXY: "http://proxy.example:3128",
    });
    expect(stdout).toMatch(/do +api\.acme\.example could not be reached through the proxy http:\/\/proxy\.example:3128/i);
  });

  test("shows no secret", async () => {
    const { stdout } = await run(runExplain, ["401 invalid key sk-ant-api03-abcdefgh1234", "--json"]);
    expect(stdout).not.toContain("abcdefgh1234");
  });

  test.each([[["--status", "abc", "x"]], [["--status", "42", "x"]], [["--nonsense"]]])(
    "refuses %j with code 2 and says why",
    async (args) => {
      const { code, stdout, stderr } = await run(runExplain, args);
      expect(code).toBe(2);
      expect(stdout).toBe("");
      expect(stderr).toMatch(/^agent-session explain: /);
    },
  );

  test("tells its usage", async () => {
    expect((await run(runExplain, ["--help"])).stdout).toContain("Usage: agent-session explain");
  });
});

describe("agent-session lab reliability", () => {
  test("begins with the failures everybody meets", () => {
    expect(
      failureMatrix()
        .slice(0, 8)
        .map(({ example, failure, delaysMs }) => [example, failure.kind, delaysMs]),
    ).toEqual([
      ["429 with Retry-After: 17", "rate_limited", [17_000, 17_000, 17_000]],
      ["500 Internal Server Error", "server_error", [2000, 4000, 8000]],
      ["503 Service Unavailable", "server_error", [2000, 4000, 8000]],
      ["529 Overloaded", "overloaded", [2000, 4000, 8000]],
      ["401 invalid x-api-key", "auth", []],
      ["403 no permission", "auth", []],
      ["400 unexpected field", "invalid_request", []],
      ["cut in mid-stream", "stream_interrupted", [2000, 4000, 8000]],
    ]);
  });

  test("has a row for every kind of failure a call can end with", () => {
    const kinds = new Set(failureMatrix().map(({ failure }) => failure.kind));
    for (const kind of [
      "overloaded",
      "rate_limited",
      "server_error",
      "timeout",
      "network",
      "stream_interrupted",
      "context_overflow",
      "quota_exhausted",
      "auth",
      "invalid_request",
      "model_not_found",
      "content_policy",
      "output_limit",
      "config",
      "unknown",
    ] as const) {
      expect(kinds).toContain(kind);
    }
  });

  test("prints a line for each, or JSON", async () => {
    const text = await run(runLab, ["reliability"]);
    expect(text.code).toBe(0);
    expect(text.stdout.trimEnd().split("\n")).toHaveLength(failureMatrix().length + 1);
    expect(JSON.parse((await run(runLab, ["reliability", "--json"])).stdout)).toHaveLength(failureMatrix().length);
  });

  test.each([[[]], [["speed"]], [["reliability", "--fast"]]])("refuses %j with code 2", async (args) => {
    const { code, stderr } = await run(runLab, args);
    expect(code).toBe(2);
    expect(stderr).toContain("Usage: agent-session lab reliability");
  });
});
