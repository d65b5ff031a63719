import fc from "fast-check";
import { createMemoryLog } from "../../src/log/index.ts";
import type { EntryDraft, SessionLog } from "../../src/log/index.ts";
import { compaction, omit, replace, reply, result, user } from "./drafts.ts";

/** What to do to a log next; numbers pick an entry among those there are, so that every sequence is possible. */
export type Step =
  | { do: "append"; draft: EntryDraft }
  | { do: "calls"; text: string; calls: string[] }
  | { do: "result"; call: string; text: string }
  | { do: "omit" | "label" | "keep" | "move"; at: number; text: string }
  | { do: "replace"; at: number; text: string }
  | { do: "root" }
  | { do: "batch"; at: number; text: string };

const text = fc.oneof(
  fc.string({ maxLength: 12, unit: "binary" }),
  fc.constantFrom("\u2028", "a\nb", "{", '"', "\u0000", "\ud800"),
);
const at = fc.nat(1000);
const call = fc.constantFrom("call_0", "call_1");

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: text.map((content): Step => ({ do: "append", draft: user(content) })) },
    { weight: 2, arbitrary: text.map((content): Step => ({ do: "append", draft: reply(content) })) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(text, fc.constantFrom("error" as const, "aborted" as const), fc.array(call, { maxLength: 1 }))
        .map(([content, stopReason, calls]): Step => ({ do: "append", draft: reply(content, { stopReason, calls }) })),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant("calls" as const), text, calls: fc.uniqueArray(call, { minLength: 1 }) }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("result" as const), call, text }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom("omit" as const, "label" as const, "keep" as const, "move" as const),
        at,
        text,
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("replace" as const), at, text }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("batch" as const), at, text }) },
    { weight: 1, arbitrary: fc.constant<Step>({ do: "root" }) },
    {
      weight: 1,
      arbitrary: text.map((content): Step => ({
        do: "append",
        draft: { type: "custom_message", customType: "app/x", content, display: true },
      })),
    },
    {
      weight: 1,
      arbitrary: fc.jsonValue().map((data): Step => ({ do: "append", draft: { type: "custom", customType: "app/y", data } })),
    },
    { weight: 1, arbitrary: text.map((name): Step => ({ do: "append", draft: { type: "session_info", name } })) },
    {
      weight: 1,
      arbitrary: text.map((summary): Step => ({ do: "append", draft: { type: "branch_summary", fromId: "0", summary } })),
    },
  ),
  { maxLength: 40 },
);

/** Does a step. Steps that need an entry do nothing as long as there is none. */
export function apply(log: SessionLog, step: Step): void {
  if (step.do === "append") log.append(step.draft);
  else if (step.do === "calls") log.append(reply(step.text, { calls: step.calls }));
  else if (step.do === "result") log.append(result(step.call, step.text));
  else if (step.do === "root") log.moveTo(null);
  else {
    const entry = log.entries[step.at % Math.max(1, log.entries.length)];
    if (entry === undefined) return;
    if (step.do === "omit") log.append(omit(entry.id));
    else if (step.do === "replace") log.append(replace(entry.id, step.text));
    else if (step.do === "keep") log.append(compaction(step.text, entry.id));
    else if (step.do === "label")
      log.append({ type: "label", targetId: entry.id, ...(step.text === "" ? {} : { label: step.text }) });
    else if (step.do === "move") log.moveTo(entry.id);
    else log.appendAll([compaction(step.text, entry.id), omit(entry.id), user(step.text)]);
  }
}

/** A log whose ids and times count up from 0: two of them, given the same steps, are equal. */
export function countingLog(
  create: (options: { newId: () => string; now: () => number }) => SessionLog = createMemoryLog,
): SessionLog {
  let id = 0;
  let time = 0;
  return create({ newId: () => (id++).toString(16).padStart(8, "0"), now: () => time++ });
}
