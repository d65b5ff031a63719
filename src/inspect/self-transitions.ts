import { sessionMachine } from "../../machines/session.ts";

type StateNode = typeof sessionMachine.root;

/** Events that lead from a state back into it, as `state event`: they change no name, and still are transitions. */
const SELF_TRANSITIONS: ReadonlySet<string> = new Set(selfTransitionsIn(sessionMachine.root));

export function isSelfTransition(state: string, eventType: string): boolean {
  return SELF_TRANSITIONS.has(`${state} ${eventType}`);
}

function selfTransitionsIn(node: StateNode): string[] {
  const own = [...node.transitions.values()]
    .flat()
    .filter(({ target }) => target?.includes(node))
    .map(({ eventType }) => `${node.path.join(".")} ${eventType}`);
  return [...own, ...Object.values(node.states).flatMap(selfTransitionsIn)];
}
