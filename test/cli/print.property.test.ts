import fc from "fast-check";
import { expect, test } from "vitest";
import { systemClock } from "../../src/retry/clock.ts";
import { startFaultServer, type FaultScript } from "../../src/testing/fault-server.ts";
import { asking, Run } from "./harness.ts";

const STEPS = [
  "reply:whole",
  "status:529",
  "status:429:retry-after-ms=2",
  "status:500",
  "status:401",
  "status:404",
  "reset",
  "cut:half:fin",
  "cut:2:rst",
  "cut:finish:clean",
  "error-event:overloaded:half:named",
  "error:insufficient_quota",
  "error:context_length_exceeded",
  "finish-reason:max_tokens",
  "finish-reason:refusal",
  "empty-answer:silent",
  "html:html",
  "stall:half",
];

/** A run against a script, with a signal after some milliseconds, or none. */
const scenario = fc.record({
  script: fc.array(fc.constantFrom(...STEPS), { minLength: 1, maxLength: 6 }),
  prompts: fc.integer({ min: 1, max: 2 }),
  signalAfterMs: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
  terminal: fc.subarray<"stdout" | "stderr">(["stdout", "stderr"]),
  verbosity: fc.constantFrom("-q", "-v", undefined),
});

test("whatever happens, the run ends, says why unless all was answered, and its exit code agrees with stdout", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ script, prompts, signalAfterMs, terminal, verbosity }) => {
      await using server = await startFaultServer({ script: script as FaultScript, reply: { text: "whole" } });
      const questions = Array.from({ length: prompts }, (_, index) => `question ${index}`);
      const limits = ["--set", "stream.firstEventMs=80", "--set", "stream.idleMs=80", "--max-retries", "2", "--no-session"];
      const running = new Run([...questions, ...limits, ...(verbosity === undefined ? [] : [verbosity])], {
        ...asking(server),
        cwd: "/",
        terminal,
      });
      const cancel = signalAfterMs === undefined ? undefined : systemClock.after(signalAfterMs, () => running.signal("SIGINT"));
      const code = await running.exit;
      cancel?.();
      await new Promise((resolve) => setImmediate(resolve));

      expect([0, 1, 75, 130]).toContain(code);
      expect(running.exits).toEqual([]);
      if (code === 130) expect(signalAfterMs).toBeDefined();
      if (code !== 0) expect(running.err).not.toBe("");
      if (code === 0) expect(running.out.endsWith("whole\n")).toBe(true);
      // In a pipe: answers, each whole and on its own, and nothing else. A cut one is the exception, and the exit code says so.
      if (!terminal.includes("stdout") && !script.includes("finish-reason:max_tokens")) {
        expect(running.out).toBe("whole\n".repeat(running.out.length / 6));
        if (code === 0) expect(running.out).toBe("whole\n".repeat(prompts));
      }
      if (verbosity === "-q") expect(running.err).not.toContain("retrying in");
    }),
    { numRuns: 60 },
  );
}, 60_000);
