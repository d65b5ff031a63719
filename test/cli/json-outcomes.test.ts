import { describe, expect, test } from "vitest";
import { asking, command, provider, Run } from "./harness.ts";

/** The lines of JSON mode; every one has to be JSON. */
function lines(out: string): Record<string, unknown>[] {
  expect(out.endsWith("\n")).toBe(true);
  return out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("in JSON mode stdout holds lines of JSON alone, and the last one tells the exit code", () => {
  test.each([
    ["answered", ["reply:fine"], 0, { status: "completed" }],
    ["answered after retries", ["status:529", "cut:half:fin", "reply:fine"], 0, { status: "completed", retries: 2 }],
    ["retries exhausted", ["reset", "reset", "reset", "reset"], 1, { status: "failed", retries: 3 }],
    ["a permanent failure", ["status:401"], 1, { status: "failed", failure: { kind: "auth" } }],
    ["an answer that is cut", ["finish-reason:max_tokens"], 1, { status: "completed", cut: true }],
    [
      "an overflow nothing helps against",
      ["error:context_length_exceeded"],
      1,
      { status: "failed", failure: { kind: "context_overflow" } },
    ],
    ["a used-up quota", ["error:insufficient_quota"], 75, { status: "failed", failure: { kind: "quota_exhausted" } }],
  ])("%s", async (_name, script, exitCode, outcome) => {
    const server = await provider(script);
    const { code, out } = await command(["--mode", "json", "hi"], asking(server));
    const [header, ...rest] = lines(out);
    expect(header).toMatchObject({ type: "session", version: 3 });
    expect(rest.at(-1)).toMatchObject({ type: "outcome", exitCode, ...outcome });
    expect(rest.filter(({ type }) => type === "agent_settled")).toHaveLength(1);
    expect(code).toBe(exitCode);
  });

  test("aborted", async () => {
    const server = await provider(["stall:half"]);
    const running = new Run(["--mode", "json", "hi"], asking(server));
    await new Promise<void>((resolve) => running.stdout.on("data", (chunk: Buffer) => chunk.includes("text_delta") && resolve()));
    running.signal("SIGINT");
    expect(await running.exit).toBe(130);
    expect(lines(running.out).at(-1)).toMatchObject({ type: "outcome", exitCode: 130, status: "aborted" });
  });

  test("wrong use leaves stdout empty", async () => {
    const { code, out, err } = await command(["--mode", "json", "--max-retries", "many", "hi"]);
    expect(out).toBe("");
    expect(err).toContain("--max-retries");
    expect(code).toBe(2);
  });
});
