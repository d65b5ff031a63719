import { createActor, transition, type AnyStateNode, type AnyTransitionDefinition } from "xstate";
import { getShortestPaths } from "xstate/graph";
import { describe, expect, test } from "vitest";
import { sessionMachine } from "../../machines/session.ts";
import type { Pending, RestoredState, SessionInput, SessionMachineEmitted } from "../../machines/types.ts";
import { policyStep, referenceSettings } from "../../src/testing/index.ts";
import { failureOf } from "./failures.ts";
import {
  addressed,
  pairs,
  SMALL,
  type MachineEvent,
  type MachineScope,
  type MachineSnapshot,
  type Pair,
} from "./machine-events.ts";
import { note } from "./report.ts";
import { emittedEvent, policyOf, relevant } from "./machine-policy.ts";

const { retry, maxRetries, baseDelayMs, maxAgentDelayMs, waitUpToMs, reserveTokens } = referenceSettings;
const input: SessionInput = {
  sessionId: "explored",
  model: { key: SMALL, contextWindow: 1000 },
  settings: {
    // A kind that is stopped at by default is retried once, jitter adds to each wait, and the second reaches the cap.
    retry: {
      enabled: retry,
      maxRetries,
      baseDelayMs: 3 * baseDelayMs,
      maxAgentDelayMs,
      jitter: 0.5,
      longWait: { waitUpToMs },
      policies: { quota_exhausted: { action: "retry", maxRetries: 1, baseDelayMs: 10 } },
    },
    compaction: { enabled: true, reserveTokens },
    abortGraceMs: 500,
  },
};
const pendingRetry: Pending = {
  kind: "retry",
  attempt: 1,
  retryAt: 700,
  failure: failureOf({ action: "retry", kind: "overloaded" }),
};
const pendingCompaction: Pending = {
  kind: "compaction",
  task: { purpose: "overflow", reason: "overflow", omit: ["e"] },
  failure: failureOf({ action: "compact", kind: "context_overflow" }),
};
const rested: RestoredState = {
  attempt: 0,
  overflowRecoveryUsed: true,
  steering: [],
  followUp: ["f"],
  pending: null,
  outcome: { status: "interrupted", cut: false, failure: null },
};

interface Start {
  name: string;
  given: SessionInput;
  scope: MachineScope;
}

const starts: readonly Start[] = [
  { name: "a new session", given: input, scope: { steering: true } },
  { name: "a new session with follow-ups", given: input, scope: { followUp: true } },
  { name: "a new session whose settings change", given: input, scope: { settings: true } },
  { name: "a session opened again", given: { ...input, restored: rested }, scope: { followUp: true } },
  {
    name: "a session opened again in a backoff",
    given: { ...input, restored: { ...rested, followUp: [], pending: pendingRetry } },
    scope: { dispose: true },
  },
  {
    name: "a session opened again in a compaction",
    given: { ...input, restored: { ...rested, followUp: [], pending: pendingCompaction } },
    scope: { dispose: true },
  },
];

const serializeState = (snapshot: MachineSnapshot): string => `${JSON.stringify(snapshot.value)} ${relevant(policyOf(snapshot))}`;

/** A shortest path to each state that can be reached. */
function explored({ given, scope }: Start) {
  return getShortestPaths(sessionMachine, {
    input: given,
    serializeState,
    events: (snapshot) => pairs(snapshot, scope).map(({ event }) => event),
    limit: 1_000_000,
  });
}

const counted = { states: 0, edges: 0 };

const paths = new Map(starts.map((start) => [start, explored(start)]));

describe("every transition of the statechart is as the reference says, from", () => {
  test.each(starts)("$name", { timeout: 900_000 }, (start) => {
    const differences: string[] = [];
    for (const { state } of paths.get(start) ?? []) {
      counted.states++;
      for (const pair of pairs(state, start.scope)) {
        counted.edges++;
        const difference = judge(state, pair);
        if (difference !== undefined) differences.push(difference);
      }
    }
    expect(differences.slice(0, 5).join("\n\n")).toBe("");
  });
});

function judge(state: MachineSnapshot, { event, input: given }: Pair): string | undefined {
  const before = policyOf(state);
  const expected = policyStep(before, given);
  const [next, actions] = transition(sessionMachine, state, event);
  const emitted = actions.flatMap(({ type, params }) =>
    type.startsWith("xstate.emit") ? [Object(params).event as SessionMachineEmitted] : [],
  );
  const told = emitted.map(emittedEvent).filter((one) => one !== undefined);
  const seen = `${relevant(policyOf(next))} ${JSON.stringify(told)}`;
  const wanted = `${relevant(expected.state)} ${JSON.stringify(expected.events)}`;
  return seen === wanted
    ? undefined
    : `${JSON.stringify(event)}\n  in       ${relevant(before)}\n  expected ${wanted}\n  seen     ${seen}`;
}

test("every transition of the statechart is taken", { timeout: 900_000 }, () => {
  const taken = new Set<string>();
  for (const start of starts) for (const events of differentPaths(start)) take(start.given, events, taken);
  note({ about: "statechart", ...counted, transitions: transitionsOf(sessionMachine.root).size });
  expect([...transitionsOf(sessionMachine.root)].filter((name) => !taken.has(name))).toEqual([]);
});

/** For each event in each kind of state, a shortest path that ends with it. */
function differentPaths(start: Start): MachineEvent[][] {
  const found = new Map<string, MachineEvent[]>();
  for (const { state, steps } of paths.get(start) ?? []) {
    const { context, value } = state;
    const kindOfState = [
      JSON.stringify(value),
      context.compaction?.purpose,
      context.pending?.kind,
      context.steering.length + context.followUp.length,
    ];
    for (const { event } of pairs(state, start.scope)) {
      const kind = [
        ...kindOfState,
        JSON.stringify(event, (key, item: unknown) => (key === "token" ? item === context.token : item)),
      ].join(" ");
      if (!found.has(kind)) found.set(kind, [...steps.slice(1).map((step) => step.event), event]);
    }
  }
  return [...found.values()];
}

/** Sends events to an actor and notes the transitions of each microstep. */
function take(given: SessionInput, events: readonly MachineEvent[], taken: Set<string>): void {
  const actor = createActor(sessionMachine, {
    input: given,
    inspect: (inspected) => {
      if (inspected.type === "@xstate.microstep") for (const one of inspected._transitions) taken.add(nameOf(one));
    },
  });
  actor.start();
  // A path goes through states whose tokens are those of another way to them.
  for (const event of events) actor.send(addressed(event, actor.getSnapshot()));
  actor.stop();
}

function nameOf({ source, eventType, target, guard, actions }: AnyTransitionDefinition): string {
  return JSON.stringify([source.id, eventType, guard ?? null, target?.map(({ id }) => id) ?? null, actions]);
}

function transitionsOf(node: AnyStateNode): Set<string> {
  const own = [...node.transitions.values(), ...(node.always ? [node.always] : [])].flat().map(nameOf);
  return new Set([...own, ...Object.values(node.states).flatMap((child) => [...transitionsOf(child)])]);
}
