import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeFailure, explainFailure, ruleTable, toFailure } from "../../src/errors/index.ts";

const ids = new Set(ruleTable.map((rule) => rule.id));

function survives(value: unknown): void {
  const failure = toFailure(value);
  expect(ids.has(failure.rule) || failure.rule === "quota.long-wait").toBe(true);
  expect(failure.message).not.toBe("");
  expect(failure.message.length).toBeLessThanOrEqual(2000);
  // Plain JSON: what is written to a log reads back as it was.
  const facts = describeFailure(value);
  expect(JSON.parse(JSON.stringify(facts))).toEqual(facts);
  expect(facts.text.length).toBeLessThanOrEqual(16_000);
  expect(JSON.parse(JSON.stringify(failure))).toEqual(failure);
}

test("anything at all is described and judged", () => {
  fc.assert(
    fc.property(
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withSet: true,
        withTypedArray: true,
        withNullPrototype: true,
        withSparseArray: true,
      }),
      survives,
    ),
    { numRuns: 300 },
  );
});

test("objects that are shaped like errors, with anything in their places, are described and judged", () => {
  const places = [
    "message",
    "name",
    "code",
    "type",
    "status",
    "statusCode",
    "headers",
    "error",
    "errors",
    "cause",
    "body",
    "details",
    "metadata",
    "retry_after",
    "request_id",
    "n_ctx",
  ];
  const shape = fc.dictionary(fc.constantFrom(...places), fc.anything({ maxDepth: 3 }));
  fc.assert(fc.property(shape, survives), { numRuns: 300 });
});

test("texts of any bytes, with brackets and quotes, are described and judged", () => {
  const text = fc.string({
    unit: fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      '"',
      "'",
      "`",
      "\\",
      ":",
      ",",
      " ",
      "\n",
      "\u2028",
      "a",
      "é",
      "漢",
      "\ud83d",
      "\ude00",
      "4",
      "2",
      "9",
      "Error",
      "_",
    ),
    maxLength: 300,
  });
  fc.assert(fc.property(text, survives), { numRuns: 300 });
});

describe("what fights back", () => {
  const cycle: Record<string, unknown> = { message: "around" };
  cycle["error"] = cycle;
  cycle["cause"] = cycle;
  const loop = new Error("loop");
  loop.cause = new Error("back", { cause: loop });
  const throwing = Object.defineProperties(new Error("x"), {
    message: {
      get: () => {
        throw new Error("no message");
      },
    },
    status: {
      get: () => {
        throw new Error("no status");
      },
    },
    cause: {
      get: () => {
        throw new Error("no cause");
      },
    },
  });
  const refuse = (): never => {
    throw new Error("refused");
  };
  const proxy = new Proxy(
    {},
    { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse, getOwnPropertyDescriptor: refuse },
  );
  const revoked = Proxy.revocable([], {});
  revoked.revoke();
  let chain = new Error("deepest");
  for (let depth = 0; depth < 5000; depth += 1) chain = new Error(`link ${depth}`, { cause: chain });

  test.each<[string, unknown]>([
    ["a cycle", cycle],
    ["a cycle of causes", loop],
    ["getters that throw", throwing],
    ["a proxy that refuses", proxy],
    ["a revoked proxy", revoked.proxy],
    ["5000 causes", chain],
    ["a message that is no string", Object.assign(new Error("x"), { message: 42 })],
    ["a name that is no string", Object.assign(new Error("x"), { name: Symbol("n") })],
    ["a symbol", Symbol("s")],
    ["a function", () => 1],
    ["a huge array", Array.from({ length: 1_000_000 }, (_, index) => ({ message: `m${index}` }))],
    ["a lone surrogate", "\ud83d ".repeat(9000)],
    ["nothing", undefined],
  ])("%s is described and judged", (_name, value) => {
    survives(value);
    expect(() => explainFailure(value)).not.toThrow();
  });
});

/**
 * Time linear in the size, judged by the ratio of two sizes rather than by a clock: ten times the text may not take a
 * hundred times as long. Small inputs are measured often enough to be above the timer's noise.
 */
describe("ten times the text takes about ten times as long", () => {
  const SMALL = 200_000;
  const patterns: Record<string, string> = {
    braces: "{",
    "open arrays": "[{",
    quotes: '"',
    apostrophes: "'x ",
    "back-ticks": "`",
    newlines: "\n",
    digits: "1",
    "at signs": "a@",
    backslashes: '{"\\',
    "open objects": '{"a":',
    bearers: "bearer ",
    schemes: "a://",
    "half Python": "{'a': 'b', ",
    frames: "\n  at foo",
    cookies: "cookie: ",
    messages: '{"message": "',
    keys: "sk-",
    waits: "try again in 1 ",
    words: "rate limit context model token exceed ",
    emails: "a.b+c%d",
  };
  const timeOf = (text: string, runs: number): number => {
    const start = performance.now();
    for (let run = 0; run < runs; run += 1) toFailure(text);
    return (performance.now() - start) / runs;
  };
  test.each(Object.entries(patterns))("%s", (_name, pattern) => {
    const small = pattern.repeat(Math.ceil(SMALL / pattern.length));
    const large = pattern.repeat(Math.ceil((10 * SMALL) / pattern.length));
    timeOf(small, 2);
    const best = Math.min(...[1, 2, 3].map(() => timeOf(large, 1)));
    expect(best / Math.max(timeOf(small, 5), 2)).toBeLessThan(40);
  });
});
