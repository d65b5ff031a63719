/** Writes docs/errors.md from the rule table and the corpus: `node docs/generate/errors.ts`. */
import { classifyFailure, ruleTable } from "../../src/errors/index.ts";
import type { Example, Rule } from "../../src/errors/index.ts";
import { wordingsOf } from "../../src/errors/rules/rule.ts";
import { leaveOneSourceOut } from "../../test/corpus/leave-one-out.ts";
import { whyLeft } from "../../test/corpus/left.ts";
import { scoreTexts, scoreThrown } from "../../test/corpus/score.ts";
import type { Score } from "../../test/corpus/score.ts";
import { mutationSection } from "./errors-mutation.ts";
import { saveWhenRun } from "./page.ts";

/** The page as it should be now. */
export function errorsPage(): string {
  return `${INTRODUCTION}
${figures()}
${RULE_ORDER}
${ruleIndex()}

${ruleTable.map(ruleSection).join("\n")}
${CLOSING}${mutationSection()}`;
}

const INTRODUCTION = `# Errors

<!-- Generated: node docs/generate/errors.ts -->

Everything that goes wrong in a call of a model is **described**, **classified** and **redacted**, in this order, and can be
**explained**:

| step | function | gives |
|---|---|---|
| describe | \`describeFailure(value, context?)\` | \`FailureFacts\`: status, codes, request id, waits, token numbers, texts, the chain of causes |
| classify | \`classifyFailure(facts)\` | \`{ action, kind, rule, why, retryAfterMs?, resetAt? }\` |
| all of it | \`toFailure(value, context?)\` | \`Failure\`: the verdict with a message and a hint for people |
| explain | \`explainFailure(value, options?)\`, \`agent-session explain\` | the verdict and all that led to it |

\`value\` is anything: an error of the official clients, of \`fetch\` or Node, an event of a stream, a response's body as an object,
as JSON or as HTML, a text, or nothing at all. None of these functions throws. What they give is plain JSON, bounded and redacted;
the time they take is linear in the size of what they are given.

    $ agent-session explain '429 {"error":{"type":"rate_limit_error","message":"slow down"}}'
    $ agent-session explain error.log --json
    $ some-command 2>&1 | agent-session explain - --status 503
    $ agent-session lab reliability

| action | kinds | what a session does |
|---|---|---|
| \`retry\` | \`overloaded\`, \`rate_limited\`, \`server_error\`, \`timeout\`, \`network\`, \`stream_interrupted\` | waits and repeats the request |
| \`compact\` | \`context_overflow\` | compacts the context, then repeats the request once |
| \`stop\` | \`quota_exhausted\`, \`auth\`, \`invalid_request\`, \`model_not_found\`, \`content_policy\`, \`output_limit\`, \`config\`, \`unknown\`, and our own \`log\`, \`limit\`, \`internal\` | settles as failed, at once |

The user's own abort is no failure: it is known from the signal, never from a text.

## How good it is
`;

function figures(): string {
  const texts = scoreTexts(classifyFailure, true);
  const thrown = scoreThrown(classifyFailure);
  const row = (name: string, { rows, action, kind }: Omit<Score, "misses">): string =>
    `| ${name} | ${rows} | ${action.toFixed(1)} % | ${kind.toFixed(1)} % |`;
  const misses = [...texts.misses, ...thrown.misses].map(
    ({ id, wanted, got }) => `- \`${id}\`: ${wanted} wanted, ${got} given. ${whyLeft(id)}`,
  );
  return `\`npm run corpus\` judges failures collected from public reports and from the official clients on real sockets:

| what | failures | right action | right kind |
|---|---|---|---|
${row("texts, with their status", texts)}
${row("the same as bare texts", scoreTexts(classifyFailure, false))}
${row("error objects", thrown)}
${row("texts, leave one source out", leaveOneSourceOut())}

*Leave one source out* asks whether the rules generalise: before the failures of one report are judged, every wording and every code
that no other report of the corpus uses is taken out of the table. What is left had to be learnt elsewhere.

The table was also tried on texts that it had not been made for, eleven sets one after the other, each labelled before it was judged: 187
texts without a status, 154 and 127 of which most had one, 28 of public reports picked for being unlike the corpus, and 62 in the corpus'
mixture had the right kind at first sight in 83, 81, 78, 68 and 92 %; then 193 of clients and gateways the corpus has little of (right action
97 %, right kind 92 %), 162 of further providers and of frameworks' wrappers (93 %, 86 %), 32 and 38 taken from public issues (94 %, 94 % and
92 %, 87 %), 86 made up to be worded as no provider words them (93 %, 84 %), and 42 of issues and of providers' lists of errors (95 %, 88 %).
Numbers after that say nothing, and are left out.

Left as they are:

${misses.join("\n")}

`;
}

const RULE_ORDER = `## How it decides

The first rule that matches decides. They are tried

1. on the error's codes and on what the provider itself says (its own message, and the chain of causes), with what is quoted left out;
2. on the whole text, with what is quoted left out;
3. on the whole text, unless it refuses the caller's input (status 400 or 422, \`invalid_request_error\`, or a report on the input);

and when none of them matches, the fallback rules: general codes, the status, and last \`unknown\`. So structured facts decide before
text, the provider's message before what it echoes, and the deepest cause before its wrapper; what stops comes before what repeats,
because its words are the more specific ones. Digits decide only where a status stands.

A throttle that asks for more than an hour is \`quota_exhausted\` (\`quota.long-wait\`), whatever matched.

A report on the caller's input (a validation error, a refused tool call) may quote anything: "rate limit", "503", "insufficient_quota".
It is known by how it begins; what it quotes, and JSON that follows it, is not read. The request's own data in an error object
(\`request\`, \`config\`, \`requestBodyValues\`) is never read either.

### How to add a rule

A rule is a row in one of the files of \`src/errors/rules/\`; \`index.ts\` there has the order. A new wording of a known kind is one line
in the \`says\` of a row, a new code one word in its \`codes\`. Then:

- Take the part of the wording that would be there in another case too. Never a whole text.
- Write wordings in lower case, with bounded repetition only (\`[^.]{0,40}\`, never \`.*\`), so that the time stays linear.
- Give the row an example it must match and a near miss it must not: the tests judge every one of them.
- Run \`npm run corpus\` and \`node docs/generate/errors.ts\`.

## The rules
`;

function ruleIndex(): string {
  const rows = ruleTable.map(
    ({ id, action, kind, why }, index) => `| ${index + 1} | [\`${id}\`](#${anchor(id)}) | ${action} | \`${kind}\` | ${why} |`,
  );
  return ["| # | rule | action | kind | why |", "|---|---|---|---|---|", ...rows].join("\n");
}

function anchor(id: string): string {
  return id.toLowerCase().replaceAll(/[^a-z0-9-]/g, "");
}

function ruleSection(rule: Rule): string {
  const lines = [`### ${rule.id}`, "", `${rule.action} (\`${rule.kind}\`). ${rule.why} Source: ${rule.source}.`, ""];
  if (rule.status)
    lines.push(`- Status: ${rule.status.map((one) => (typeof one === "number" ? String(one) : one.join(" to "))).join(", ")}`);
  if (rule.codes) lines.push(`- Codes: ${rule.codes.map((name) => `\`${name}\``).join(", ")}`);
  if (rule.says)
    lines.push(
      `- Wordings: ${wordingsOf(rule.says)
        .map((wording) => code(wording))
        .join(", ")}`,
    );
  if (rule.when) lines.push("- A further condition: see its source");
  lines.push(`- Matches: ${rule.examples.map(exampleText).join("; ")}`);
  if (rule.nearMisses.length > 0) lines.push(`- Leaves to others: ${rule.nearMisses.map(exampleText).join("; ")}`);
  return `${lines.join("\n")}\n`;
}

function exampleText(example: Example): string {
  const text = typeof example === "string" ? example : example.text;
  const shown = text === "" ? "(nothing)" : code(text);
  return typeof example === "string" ? shown : `${shown} with status ${example.status}`;
}

/** A code span that may hold back-ticks. */
function code(text: string): string {
  const fence = text.includes("`") ? "``" : "`";
  return `${fence}${fence === "``" ? " " : ""}${text.replaceAll("\n", "\\n")}${fence === "``" ? " " : ""}${fence}`;
}

const CLOSING = `
## Another policy

\`retry.policies\` of a session's settings changes what is done about a kind, without touching what a failure is:

    settings: { retry: { policies: { timeout: { stop: true }, unknown: { retry: true, maxRetries: 1 } } } }

To judge an error yourself, give a \`classify\`: it is asked first, and what it leaves undefined goes to the rules. One that throws is
passed over.

    toFailure(error, {
      classify: (facts) =>
        facts.codes.includes("E_TENANT_ASLEEP")
          ? { action: "retry", kind: "overloaded", rule: "tenant-asleep", why: "The tenant is waking up." }
          : undefined,
    });

## Retry

\`retry(operation, options)\` is the one primitive under request-level retry, summaries and \`exec\`. It gives
\`{ value, attempts, delays }\`, or throws \`RetryExhausted\`, which names the number of tries and the type of the last error, and nothing
of its text; \`failure()\` gives the redacted account. The operation must be safe to repeat. An abort ends a wait at once.

\`exec(operation, options)\` is one more layer, for tasks: a session's outcome \`failed\` counts as a throw, errors of the program are thrown on
untouched, permanent failures (all that a session would not retry, but for \`unknown\`) end it at once ("failed permanently"), and in the end
it says "failed after N attempts" with each of them. Between tries it waits 1.5, 3 and 6 s, or as long as was demanded. It makes one try
unless told otherwise, because layers multiply:

| layer | setting | tries |
|---|---|---|
| task | \`exec\`, \`maxAttempts: 3\` | 3 |
| session | \`retry.maxRetries: 3\` | 1 + 3 = 4 runs each |
| request | \`retry.provider.maxRetries: 0\` | 1 + 0 = 1 each |
| **in all** | | 3 × 4 × 1 = **12 requests** |

With \`retry.provider.maxRetries: 2\` the same task makes up to 36. \`maxRequests\` caps them over all layers: no further try begins when
they are used up, and each try is told what is left (\`requestsLeft\`), to hand to the session's \`limits.maxRequests\`.

## Secrets

Redaction comes first: texts are redacted as they are read, before they are judged, cut or kept, so no later step can leak them.
Each secret is replaced by a mark that keeps its kind, such as \`[redacted openai-key]\`.

Covered: keys of Anthropic, OpenAI, OpenRouter, Google (API keys and OAuth tokens), AWS (access keys, Bedrock keys), Groq, xAI, NVIDIA,
Hugging Face, Perplexity, Cerebras, Replicate, Fireworks, Stripe, GitHub, GitLab, Slack, npm and LangSmith by their shape; JSON web tokens;
\`Authorization\` of every scheme; bearer and basic credentials wherever they stand; the value of every header, property, environment
variable, form field and query parameter whose name says that it is secret (keys, tokens, secrets, passwords, signatures, sessions);
user info in URLs; cookies; private keys; e-mail addresses. Not covered: a secret of no known shape in plain prose, names, addresses
and phone numbers.

Maintained libraries were looked at first. \`fast-redact\`, \`@pinojs/redact\`, \`@hackylabs/deep-redact\`, \`@zapier/secret-scrubber\` and
\`redact-secrets\` take out the properties of objects by their paths or names; a failure is mostly text, in which they find little.
\`@secretlint/core\` with its recommended rules finds keys in text, but weighs 5 MB, is asynchronous and reports places in files.
\`@arcjet/redact\` is 27 KB of WebAssembly for e-mail addresses, phone and card numbers. None of them covers keys of model providers,
headers and URLs in running text, so the patterns are our own, in \`src/errors/redact.ts\`, with a property test for each.
`;

await saveWhenRun(import.meta.url, "docs/errors.md", errorsPage);
