import type { EventObject } from "xstate";
import type { AnsweringActor } from "../../machines/session-guards.ts";

/** What starts a task: it calls `finish` once with the answer, and returns what stops it. */
export type StartTask<Output, Input> = (input: Input, finish: (output: Output) => void) => () => void;

/**
 * Actor logic for work that answers once, with a value. Unlike a promise actor it is done in the very moment `finish` is called,
 * so that nothing can come between a task's last effect and its answer. An answer after the stop is dropped.
 */
export function fromTask<Output, Input>(start: StartTask<Output, Input>): AnsweringActor<Output, Input> {
  const stops = new WeakMap<object, () => void>();
  return {
    getInitialSnapshot: (_scope, input) => ({ status: "active", output: undefined, error: undefined, input }),
    getPersistedSnapshot: (snapshot) => snapshot,
    transition(snapshot, event, { self }) {
      if (isFinished(event)) return { ...snapshot, status: "done", output: event.output, error: undefined };
      if (event.type !== "xstate.stop") return snapshot;
      stops.get(self)?.();
      return { ...snapshot, status: "stopped", output: undefined, error: undefined };
    },
    start(snapshot, { self }) {
      let over = false;
      const stop = start(snapshot.input, (output) => {
        if (over) return;
        over = true;
        self.send({ type: FINISHED, output } as EventObject);
      });
      stops.set(self, () => {
        if (over) return;
        over = true;
        stop();
      });
    },
  };
}

const FINISHED = "task.finished";

function isFinished(event: EventObject): event is EventObject & { output: never } {
  return event.type === FINISHED;
}
