import { sessionMachine, type SessionMachine } from "../../machines/session.ts";
import type { CompactionInput, CompactionOutcome, RunInput, RunOutcome, SleepInput } from "../../machines/types.ts";
import type { Clock } from "../retry/clock.ts";
import { fromTask, type StartTask } from "./task-actor.ts";

/** What does the work of the machine's actors, for one session. */
export interface SessionPorts {
  runs: { start: StartTask<RunOutcome, RunInput> };
  compactions: { start: StartTask<CompactionOutcome, CompactionInput> };
  clock: Clock;
}

const portsBySession = new Map<string, SessionPorts>();

/** @returns Forgets them. @throws RangeError when the id is taken. */
export function registerPorts(sessionId: string, ports: SessionPorts): () => void {
  if (portsBySession.has(sessionId)) {
    throw new RangeError(
      `A session with the id "${sessionId}" is open in this process already. Dispose it first, or give the new one its own id.`,
    );
  }
  portsBySession.set(sessionId, ports);
  return () => portsBySession.delete(sessionId);
}

function portsOf(sessionId: string): SessionPorts {
  const ports = portsBySession.get(sessionId);
  if (!ports) throw new RangeError(`No session with the id "${sessionId}" is open in this process.`);
  return ports;
}

/**
 * The one machine of all sessions. Its actors find what they need by the session's id in their input, since a machine of its own
 * (`provide`) would cost each session six times the memory.
 */
export const hostedMachine: SessionMachine = sessionMachine.provide({
  actors: {
    agentRun: fromTask<RunOutcome, RunInput>((input, finish) => portsOf(input.sessionId).runs.start(input, finish)),
    sleep: fromTask<{ token: number }, SleepInput>(({ sessionId, token, until }, finish) => {
      const { clock } = portsOf(sessionId);
      return clock.after(Math.max(0, until - clock.now()), () => finish({ token }));
    }),
    compaction: fromTask<CompactionOutcome, CompactionInput>((input, finish) =>
      portsOf(input.sessionId).compactions.start(input, finish),
    ),
  },
});
