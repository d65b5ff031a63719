/** Figures of the last run of mutation testing, which is done by hand. */
export const MUTATION = `
## Mutation testing

Run by hand with Stryker 10.1 and its vitest runner, over the tests of these files alone:

| file | mutants | killed | score |
|---|---|---|---|
| \`src/errors/classify.ts\` | 143 | 119 | 83 % |
| \`src/retry/retry.ts\` | 87 | 79 | 91 % |
| \`src/retry/exec.ts\` | 180 | 153 | 85 % |
| \`src/retry/clock.ts\` | 32 | 25 | 78 % |
| \`machines/run-after.ts\` | 337 | 285 | 85 % |

The tests of \`classify\`, \`retry\`, \`exec\` and \`clock\` were then extended for what had lived in the first four files: the wait of exactly an
hour, causes known by name or code alone, each way to refuse the input, ranges of status to their ends, messages of refused options,
listeners left on a signal, timers longer than a timer takes. The score after that has not been measured. What may live by intent:

- the error that is thrown when the last fallback rule matches nothing, which cannot be: it matches everything;
- the text's bound before the wording is tried, which changes time and not verdicts;
- how the texts of causes are joined, since no wording spans two of them;
- \`{ once: true }\` on a listener that is taken off in any case;
- spreading an option only where it is given, where the callee's own default is the same.
`;
