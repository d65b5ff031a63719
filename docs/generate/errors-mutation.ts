/**
 * Figures and survivors of the last run of mutation testing, which is done by hand. A survivor is named by the line it sits in:
 * where that line is no more, the page cannot be written until Stryker has run again.
 */
import { readFileSync } from "node:fs";

interface Mutated {
  file: string;
  /** The tests that were run against its mutants. */
  tests: string;
  mutants: number;
  /** Those a test failed for, or never ended with. */
  killed: number;
  survivors: readonly Survivor[];
}

interface Survivor {
  /** The whole line, without its indentation. */
  line: string;
  /** What stands there instead of what. */
  mutation: string;
  /** Why it may live. */
  why: string;
}

const MUTATED: readonly Mutated[] = [
  {
    file: "src/errors/classify.ts",
    tests: "`classify`, `rule-table` and `failure` of `test/errors`",
    mutants: 130,
    killed: 127,
    survivors: [
      {
        line: 'if (!rule) throw new Error("The last fallback rule takes everything");',
        mutation: "the condition is `false`",
        why: "It cannot be true: the last fallback rule has no condition. The line is there for the type.",
      },
      {
        line: 'if (!rule) throw new Error("The last fallback rule takes everything");',
        mutation: "the text is empty",
        why: "As above: it is never thrown.",
      },
      {
        line: "if (status === undefined) return false;",
        mutation: "the condition is `false`",
        why: "An undefined status is equal to no number and within no range, so the next line says the same. The line is there for the type.",
      },
    ],
  },
  {
    file: "machines/run-after.ts",
    tests: "`test/machines/run-after.test.ts`",
    mutants: 330,
    killed: 328,
    survivors: [
      {
        line: 'throw new Error("The last rule of the run-after check has to match always.");',
        mutation: "the text is empty",
        why: "It is never thrown: the last rule of the table matches always, which a test holds.",
      },
      {
        line: "return threshold !== undefined && contextTokens > threshold;",
        mutation: "the first condition is `true`",
        why: "No number is above `undefined`, so the second condition says the same. The first is there for the type.",
      },
    ],
  },
  {
    file: "src/retry/retry.ts",
    tests: "`test/retry`",
    mutants: 91,
    killed: 91,
    survivors: [],
  },
  {
    file: "src/retry/exec.ts",
    tests: "`test/retry`",
    mutants: 193,
    killed: 192,
    survivors: [
      {
        line: "const usedUp = (): boolean => maxRequests !== undefined && requests >= maxRequests;",
        mutation: "the first condition is `true`",
        why: "No number is at least `undefined`, so the second condition says the same. The first is there for the type.",
      },
    ],
  },
  {
    file: "src/retry/clock.ts",
    tests: "`test/retry`",
    mutants: 32,
    killed: 32,
    survivors: [],
  },
];

/** The section of the page. */
export function mutationSection(): string {
  return `
## Mutation testing

Run by hand with Stryker 10.1 and its vitest runner, two at a time, over the tests named here alone. It wants a copy of the tree without
\`tsconfig.json\`, which it cannot read with TypeScript 7: \`stryker run --testRunner vitest --coverageAnalysis perTest --mutate FILE\`.

| file | tests | mutants | killed | score |
|---|---|---|---|---|
${MUTATED.map(figures).join("\n")}

The wordings of the rules are no part of it: each rule has its examples and near misses, and the corpus. Every survivor, and why it may
live:

| file | line | mutation | reason |
|---|---|---|---|
${MUTATED.flatMap(survivors).join("\n")}
`;
}

function figures({ file, tests, mutants, killed }: Mutated): string {
  return `| \`${file}\` | ${tests} | ${mutants} | ${killed} | ${((100 * killed) / mutants).toFixed(1)} % |`;
}

function survivors({ file, mutants, killed, survivors: left }: Mutated): string[] {
  if (left.length !== mutants - killed) throw new Error(`${file}: ${mutants - killed} mutants live, ${left.length} are listed`);
  const lines = new Set(
    readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")
      .split("\n")
      .map((line) => line.trim()),
  );
  return left.map(({ line, mutation, why }) => {
    if (!lines.has(line)) throw new Error(`${file} has no such line any more, so run Stryker again: ${line}`);
    return `| \`${file}\` | \`${line.replaceAll("|", "\\|")}\` | ${mutation} | ${why} |`;
  });
}
