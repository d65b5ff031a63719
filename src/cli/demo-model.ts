import { scriptedModel } from "../testing/scripted-model.ts";
import type { Model } from "../model/types.ts";

/** What `--demo` answers with: nothing of it comes from a model, and it says so. */
const ANSWER =
  "This is the demo of agent-session: a script answers, not a model, and your question was not read. " +
  "You have just seen an overloaded server and a connection cut in mid-answer, and the session that went on. " +
  "Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a server with --base-url, to ask a model.";

/** A scripted model: the first question meets two failures, later ones are answered at once. */
export function demoModel(): Model {
  return scriptedModel(
    (_, index) => {
      if (index === 0) return { failure: { status: 529, message: "Overloaded" } };
      const words = ANSWER.split(/(?<= )/);
      if (index === 1) return { deltas: words.slice(0, 12), cut: 9 };
      return { deltas: words };
    },
    { id: "demo", provider: "demo", contextWindow: 200_000, maxOutputTokens: 8_192, record: false },
  );
}
