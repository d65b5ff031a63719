import { omissions, type Entry, type Omission, type PromptOutcome, type Session } from "../../../src/index.ts";
import { page } from "./page.ts";

/** What the prompt took, and what of the session the model is not shown (any more). */
export function summarize(session: Session, outcome: PromptOutcome): void {
  const { entries } = session.log;
  const compactions = entries.filter(({ type }) => type === "compaction").length;
  const calls = entries.filter((entry) => entry.type === "message" && entry.message.role === "toolResult").length;
  const omitted = omissions(session.log);
  page.heading("What it took");
  row("outcome", outcome.cut ? `${outcome.status}, cut` : outcome.status);
  row("requests", `${outcome.requests}, one of them for the summary`);
  row("retries", String(outcome.retries));
  row("compactions", String(compactions));
  row("tool calls", `${calls}, each run once: a retry repeats a request, never a tool`);
  row("tokens", `${outcome.usage.input} read, ${outcome.usage.output} written, failed requests included`);

  page.heading(`In the log (${entries.length} entries), but not shown to the model`);
  for (const entry of entries) {
    const omission = omitted.get(entry.id);
    if (omission) row(entry.id, `${nameOf(entry)}: ${reasonOf(omission)}`);
  }

  page.heading("Next");
  row("ask", 'npm start -- "your question"     with ANTHROPIC_API_KEY or OPENAI_API_KEY set');
  row("read", "README.md, and docs/troubleshooting.md for what each line above means");
  row("test", "npm test\n");
}

function row(name: string, text: string): void {
  process.stdout.write(`  ${name.padEnd(13)}${text}\n`);
}

function nameOf(entry: Entry): string {
  if (entry.type !== "message") return entry.type;
  const { message } = entry;
  if (message.role === "toolResult") return `result of ${message.toolName}`;
  return message.role === "user" ? "the question" : "a reply";
}

function reasonOf(omission: Omission): string {
  switch (omission.reason) {
    case "failed_reply":
      return `failed (${omission.errorMessage ?? omission.stopReason})`;
    case "edited_out":
      return "left out together with its failed reply";
    case "compacted":
      return "the summary stands for it";
    case "replaced":
      return "shown shortened";
    default:
      return omission.reason;
  }
}
