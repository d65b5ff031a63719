import { classifyFailure, describeFailure, redact, toFailure } from "../../src/errors/index.ts";
import { retry } from "../../src/retry/index.ts";
import { textRows } from "../corpus/read-corpus.ts";
import { median, now } from "./row.ts";
import type { Row } from "./row.ts";

const RUNS = 9;

/** Median microseconds of one call, over several runs of `count` calls each. */
function microseconds(count: number, work: () => void): number {
  for (let warm = 0; warm < 3; warm += 1) work();
  const times = Array.from({ length: RUNS }, () => {
    const start = now();
    work();
    return ((now() - start) * 1000) / count;
  });
  return median(times);
}

/** An error as the official clients throw it. */
function clientError(): Error {
  return Object.assign(new Error("429 slow down"), {
    status: 429,
    headers: new Headers({ "retry-after": "3", "request-id": "req_1" }),
    error: { type: "rate_limit_error", message: "slow down" },
  });
}

const TEN_MEGABYTES = 10_000_000;

/** What it costs to understand a failure. */
export async function errorRows(): Promise<Row[]> {
  const facts = textRows.map((row) => describeFailure(row.text, row.status === null ? {} : { status: row.status }));
  const error = clientError();
  const unknown = new Error("Something went wrong");
  const repeat = (count: number, value: unknown): number =>
    microseconds(count, () => {
      for (let index = 0; index < count; index += 1) toFailure(value);
    });
  const huge = (text: string): number => microseconds(1, () => void toFailure(text)) / 1000;

  let retried = 0;
  const cycles = 2000;
  const start = now();
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const { attempts } = await retry(
      (attempt) => {
        if (attempt === 1) throw unknown;
        return attempt;
      },
      { sleep: async () => {} },
    );
    retried += attempts;
  }
  const retryMicroseconds = ((now() - start) * 1000) / cycles;

  return [
    {
      name: "describe a text of the corpus",
      unit: "µs",
      ours: microseconds(textRows.length, () => {
        for (const row of textRows) describeFailure(row.text);
      }),
    },
    {
      name: "classify facts of the corpus",
      unit: "µs",
      ours: microseconds(facts.length, () => {
        for (const one of facts) classifyFailure(one);
      }),
    },
    {
      name: "redact a text of the corpus",
      unit: "µs",
      ours: microseconds(textRows.length, () => {
        for (const row of textRows) redact(row.text);
      }),
    },
    { name: "a client's 429, whole", unit: "µs", ours: repeat(500, error), reach: 50 },
    { name: "an error no rule knows, whole", unit: "µs", ours: repeat(500, unknown), reach: 50 },
    { name: "10 MB of prose, whole", unit: "ms", ours: huge("lorem ipsum dolor 123: ".repeat(TEN_MEGABYTES / 23)) },
    { name: "10 MB of open brackets, whole", unit: "ms", ours: huge('[{"'.repeat(TEN_MEGABYTES / 3)) },
    {
      name: "retry() around a failure and a success, without its wait",
      unit: "µs",
      ours: retryMicroseconds,
      note: `${retried} tries`,
    },
  ];
}
