// A parent machine that spawns sessions as its children: a writer drafts, then a critic judges the draft.
import { assign, createActor, setup, toPromise, type ActorRefFrom } from "xstate";
import { createSession, hostedMachine, type Model, type PromptOutcome, type Session } from "agent-session-machine";

interface ReviewContext {
  model: Model;
  topic: string;
  draft: string;
  critique: string;
}

type ReviewEvent = { type: "DRAFTED"; text: string } | { type: "CRITICISED"; text: string };

const review = setup({
  types: {
    context: {} as ReviewContext,
    input: {} as { model: Model; topic: string },
    events: {} as ReviewEvent,
    output: {} as { draft: string; critique: string },
  },
  // Sessions are children like any other; each finds its own model, log and tools by its id.
  actors: { session: hostedMachine },
}).createMachine({
  context: ({ input }) => ({ ...input, draft: "", critique: "" }),
  initial: "writing",
  states: {
    writing: {
      entry: assign(({ context, spawn, self }) => {
        const writer = sessionIn(context, (input) => spawn("session", { id: "writer", input }));
        void writer
          .prompt(`Write a sentence about ${context.topic}.`)
          .then((outcome) => self.send({ type: "DRAFTED", text: textOf(outcome) }));
        return {};
      }),
      on: { DRAFTED: { target: "criticising", actions: assign({ draft: ({ event }) => event.text }) } },
    },
    criticising: {
      entry: assign(({ context, spawn, self }) => {
        const critic = sessionIn(context, (input) => spawn("session", { id: "critic", input }));
        void critic
          .prompt(`Criticise: ${context.draft}`)
          .then((outcome) => self.send({ type: "CRITICISED", text: textOf(outcome) }));
        return {};
      }),
      on: { CRITICISED: { target: "done", actions: assign({ critique: ({ event }) => event.text }) } },
    },
    done: { type: "final" },
  },
  output: ({ context: { draft, critique } }) => ({ draft, critique }),
});

type SessionInput = Parameters<NonNullable<Parameters<typeof createSession>[0]["spawn"]>>[1];

function sessionIn({ model }: ReviewContext, spawn: (input: SessionInput) => ActorRefFrom<typeof hostedMachine>): Session {
  return createSession({ model, spawn: (_machine, input) => spawn(input) });
}

function textOf({ message }: PromptOutcome): string {
  return message?.content.map((block) => (block.type === "text" ? block.text : "")).join("") ?? "";
}

export function runReview(model: Model, topic: string): Promise<{ draft: string; critique: string }> {
  return toPromise(createActor(review, { input: { model, topic } }).start());
}
