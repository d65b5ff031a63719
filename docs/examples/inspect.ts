/**
 * A session in trouble, to look at in the inspector: `node docs/examples/inspect.ts`, then open the address it prints.
 * Needs no key and no network. Ctrl-C ends it.
 */
import { pathToFileURL } from "node:url";
import { createSession } from "../../src/index.ts";
import { createInspector } from "../../src/inspect/index.ts";
import { scriptedModel, type ScriptedReply } from "../../src/testing/scripted-model.ts";

const OVERLOADED: ScriptedReply = {
  deltas: ["Let me ", "look at"],
  failure: { status: 529, message: "overloaded_error: Overloaded" },
};
const TOO_LONG: ScriptedReply = { failure: { status: 400, message: "prompt is too long: 9214 tokens > 8000 maximum" } };
const ANSWER: ScriptedReply = { text: `Here it is, at some length. ${"More about it. ".repeat(700)}`, deltas: 40 };

export interface InspectExample extends AsyncDisposable {
  /** The inspector's page. */
  url: string;
  /** Asks once more: the overloaded model is asked again, and a context that is too long is made shorter. */
  prompt(): Promise<string>;
}

/** @param baseDelayMs The first wait before a retry. */
export async function startExample(baseDelayMs = 5000): Promise<InspectExample> {
  // A good answer, one that fails at first, and one that does not fit before the context is compacted.
  const script = [ANSWER, OVERLOADED, OVERLOADED, ANSWER, TOO_LONG, "A summary of what was said.", ANSWER];
  const session = createSession({
    model: scriptedModel((_request, index) => script[index % script.length] ?? ANSWER, { contextWindow: 8000 }),
    settings: { retry: { baseDelayMs }, compaction: { keepRecentTokens: 1000, reserveTokens: 1000 } },
  });
  const inspector = await createInspector({ control: true });
  inspector.attach(session);
  return {
    url: inspector.url,
    prompt: async () => (await session.prompt("Tell me more about it.")).status,
    async [Symbol.asyncDispose]() {
      await session.dispose();
      await inspector.close();
    },
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await using example = await startExample();
  console.log(`The inspector is at ${example.url}`);
  for (;;) {
    console.log(await example.prompt());
    await new Promise((resolve) => setTimeout(resolve, 4000));
  }
}
