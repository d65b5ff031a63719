import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { WireFormatName } from "../../src/testing/fault-server.ts";

/** What the loop over an official client's stream has gathered when it ends. */
export interface Gathered {
  text: string;
  /** Arguments of tool calls, as far as they came. */
  calls: string[];
  /** The last stop reason or status that was told. */
  stop: string | undefined;
}

/** How a call by the official client ended, with its own retries off: it returned, threw, or did neither in time. */
export type BareOutcome = { ended: "returned"; gathered: Gathered } | { ended: "threw"; error: unknown } | { ended: "never" };

const PATIENCE_MS = 1000;
const QUESTION = "Delete the old files.";

/** Asks by the official client of `format`, and reads its stream the way its documentation shows. */
export async function askBare(format: WireFormatName, url: string): Promise<BareOutcome> {
  const gathered: Gathered = { text: "", calls: [], stop: undefined };
  const stop = new AbortController();
  const reading = READERS[format](url, gathered, stop.signal).then(
    (): BareOutcome => ({ ended: "returned", gathered }),
    (error: unknown): BareOutcome => ({ ended: "threw", error }),
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<BareOutcome>((resolve) => {
    timer = setTimeout(() => resolve({ ended: "never" }), PATIENCE_MS);
  });
  const outcome = await Promise.race([reading, patience]);
  clearTimeout(timer);
  stop.abort();
  await reading;
  return outcome;
}

type Reader = (url: string, gathered: Gathered, signal: AbortSignal) => Promise<void>;

const READERS: Readonly<Record<WireFormatName, Reader>> = {
  async "anthropic-messages"(url, gathered, signal) {
    const client = new Anthropic({ apiKey: "test", baseURL: url, maxRetries: 0 });
    const messages = [{ role: "user" as const, content: QUESTION }];
    const stream = await client.messages.create({ model: "claude-test", max_tokens: 100, messages, stream: true }, { signal });
    for await (const event of stream) {
      if (event.type === "content_block_start" && event.content_block.type === "tool_use") gathered.calls.push("");
      if (event.type === "message_delta") gathered.stop = event.delta.stop_reason ?? gathered.stop;
      if (event.type !== "content_block_delta") continue;
      if (event.delta.type === "text_delta") gathered.text += event.delta.text;
      if (event.delta.type === "input_json_delta") addArguments(gathered, event.delta.partial_json);
    }
  },
  async "openai-completions"(url, gathered, signal) {
    const client = new OpenAI({ apiKey: "test", baseURL: `${url}/v1`, maxRetries: 0 });
    const messages = [{ role: "user" as const, content: QUESTION }];
    const stream = await client.chat.completions.create({ model: "gpt-test", messages, stream: true }, { signal });
    for await (const chunk of stream) {
      const choice = chunk.choices?.[0];
      gathered.text += choice?.delta?.content ?? "";
      gathered.stop = choice?.finish_reason ?? gathered.stop;
      for (const call of choice?.delta?.tool_calls ?? []) {
        if (call.function?.name !== undefined) gathered.calls.push("");
        addArguments(gathered, call.function?.arguments ?? "");
      }
    }
  },
  async "openai-responses"(url, gathered, signal) {
    const client = new OpenAI({ apiKey: "test", baseURL: `${url}/v1`, maxRetries: 0 });
    const stream = await client.responses.create({ model: "gpt-test", input: QUESTION, stream: true }, { signal });
    for await (const event of stream) {
      if (event.type === "response.output_text.delta") gathered.text += event.delta;
      if (event.type === "response.output_item.added" && event.item.type === "function_call") gathered.calls.push("");
      if (event.type === "response.function_call_arguments.delta") addArguments(gathered, event.delta);
      if ("response" in event && event.response.status !== "in_progress") gathered.stop = event.response.status ?? event.type;
    }
  },
};

function addArguments({ calls }: Gathered, delta: string): void {
  calls[Math.max(0, calls.length - 1)] = (calls.at(-1) ?? "") + delta;
}
