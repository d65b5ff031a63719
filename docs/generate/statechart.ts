/** Writes `docs/statechart.md` from the machine and the run-after table: `node docs/generate/statechart.ts`. */
import { runAfterRules } from "../../machines/run-after.ts";
import { sessionMachine } from "../../machines/session.ts";
import { saveWhenRun } from "./page.ts";

type Node = (typeof sessionMachine)["root"];
type Transition = Node["transitions"] extends Map<string, (infer Item)[]> ? Item : never;

const eventNames: Record<string, string> = {
  "xstate.done.actor.agentRun": "the run ends",
  "xstate.error.actor.agentRun": "the run throws",
  "xstate.done.actor.abortGrace": "the grace time is over",
  "xstate.done.actor.retryWait": "the wait is over",
  "xstate.done.actor.compaction": "the compaction answers",
  "xstate.error.actor.compaction": "the compaction throws",
  "": "at once",
};

export function render(): string {
  return `# The statechart of a session

This page is generated from [\`machines/session.ts\`](../machines/session.ts) and [\`machines/run-after.ts\`](../machines/run-after.ts)
by \`npm run docs\`. Guards and actions have the names they have there; [\`machines/session-guards.ts\`](../machines/session-guards.ts)
and [\`machines/session-actions.ts\`](../machines/session-actions.ts) say what each does.

![The statechart](images/statechart.svg)

A session rests in \`idle\` or \`settled\`, and is busy in every other state. It never touches a clock, a file or a network: the
events bring the numbers it needs (\`contextTokens\`, \`endedAt\`, \`random\`, \`at\`), and what it wants done it says as emitted events.
Each run, wait and compaction has a token; an answer with another token is late, and dropped (\`isLate\`).

## The run-after check

\`deciding\` is left at once, by the first rule that matches. Any rule but \`retryFailure\` first closes an open streak of retries.
\`decideAfterRun(facts)\` asks the table without a machine; \`runAfterRules\` is the table itself.

| # | rule | when | then | state |
| --- | --- | --- | --- | --- |
${runAfterRules.map(({ name, when, then, target }, index) => `| ${index + 1} | \`${name}\` | ${when} | ${then} | \`${target}\` |`).join("\n")}

## States

${[sessionMachine.root, ...states(sessionMachine.root)].map(section).join("\n")}
## Hosted elsewhere

The machine runs unchanged under \`createActor\` and under XState's pure \`transition()\`: context, events, inputs and outputs are plain
JSON. A host of its own answers the invoked actors by their done events, such as \`xstate.done.actor.agentRun\` with a \`RunOutcome\`,
and carries out the effects in order. Two facts of XState to know: an \`after\` timer would not survive a restored snapshot, which is
why \`backoff\` invokes a \`sleep\` actor with the deadline from context; and a restored \`running\` starts its actor again, which is why
\`createSession\` restores from the log instead and rests as interrupted.
`;
}

function states(node: Node): Node[] {
  return Object.values(node.states).flatMap((child) => [child, ...states(child)]);
}

function section(node: Node): string {
  const name = node.path.join(".") || "In every state";
  const title = node.path.length === 0 ? name : `\`${name}\``;
  const invoked = node.invoke
    .map(({ id, src }) => `Invokes \`${typeof src === "string" ? src : "an actor"}\` as \`${id}\`. `)
    .join("");
  const entered = node.entry.length === 0 ? "" : `On entry: ${names(node.entry)}. `;
  const rows = node.path.join() === "deciding" ? "See the table above.\n" : table(node);
  const text = `${node.description ?? ""} ${entered}${invoked}`.trim();
  return `### ${title}\n\n${text === "" ? "" : `${text}\n\n`}${rows}`;
}

function table(node: Node): string {
  const rows = [...node.transitions.values()]
    .flat()
    .concat(node.always ?? [])
    .map(row);
  return rows.length === 0 ? "" : `| on | if | goes to | doing |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
}

function row({ eventType, guard, target, actions }: Transition): string {
  const to = target?.map(({ path }) => `\`${path.join(".")}\``).join(", ") ?? "stays";
  return `| ${eventNames[eventType] ?? `\`${eventType}\``} | ${guard === undefined ? "" : guardName(guard)} | ${to} | ${names(actions)} |`;
}

function guardName(guard: unknown): string {
  if (typeof guard === "string") return `\`${guard}\``;
  const { type, guards }: { type?: string; guards?: unknown[] } = Object(guard);
  return guards ? guards.map(guardName).join(" and ") : `\`${type ?? "?"}\``;
}

function names(actions: readonly unknown[]): string {
  return actions.map((action) => `\`${typeof action === "string" ? action : String(Object(action).type)}\``).join(", ");
}

await saveWhenRun(import.meta.url, "docs/statechart.md", render);
