import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { anthropic } from "../../src/model/anthropic/index.ts";
import { openaiChat, openaiResponses } from "../../src/model/openai/index.ts";
import { readReply } from "../../src/model/read-reply.ts";
import type { Model } from "../../src/model/types.ts";
import { systemClock } from "../../src/retry/clock.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { median, now, type Row } from "./row.ts";

const DELTAS = 50_000;
const ROUNDS = 7;
/** Events that come in one piece of the network, as a fast model's do. */
const EVENTS_PER_CHUNK = 20;
const DELTA = "word ";
const LIMITS = { firstEventMs: 300_000, idleMs: 300_000, totalMs: 3_600_000 };

/** A wire format: its frames, our adapter, and the loop a person would write over the bare client. */
interface Sample {
  name: string;
  begin: object[];
  delta: object;
  end: (object | string)[];
  named: boolean;
  ours(fetch: typeof globalThis.fetch): Model;
  /** Returns the characters of text it saw. */
  bare(fetch: typeof globalThis.fetch): Promise<number>;
}

const choice = (delta: object, finish_reason: string | null = null): object => ({
  id: "c",
  object: "chat.completion.chunk",
  model: "m",
  choices: [{ index: 0, delta, finish_reason }],
});
const response = (status: string): object => ({
  id: "r",
  model: "m",
  status,
  error: null,
  incomplete_details: null,
  output: [],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
});

const SAMPLES: readonly Sample[] = [
  {
    name: "Anthropic Messages",
    named: true,
    begin: [
      { type: "message_start", message: { id: "m", model: "m", content: [], usage: { input_tokens: 1, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ],
    delta: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: DELTA } },
    end: [
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } },
      { type: "message_stop" },
    ],
    ours: (fetch) => anthropic({ model: "m", apiKey: "k", fetch }),
    async bare(fetch) {
      const client = new Anthropic({ apiKey: "k", maxRetries: 0, fetch });
      let characters = 0;
      for await (const event of await client.messages.create({
        model: "m",
        max_tokens: 9,
        stream: true,
        messages: [{ role: "user", content: "x" }],
      })) {
        if (event.type === "content_block_delta" && event.delta.type === "text_delta") characters += event.delta.text.length;
      }
      return characters;
    },
  },
  {
    name: "Chat Completions",
    named: false,
    begin: [choice({ role: "assistant" })],
    delta: choice({ content: DELTA }),
    end: [choice({}, "stop"), "[DONE]"],
    ours: (fetch) => openaiChat({ model: "m", apiKey: "k", fetch }),
    async bare(fetch) {
      const client = new OpenAI({ apiKey: "k", maxRetries: 0, fetch });
      let characters = 0;
      for await (const chunk of await client.chat.completions.create({
        model: "m",
        stream: true,
        messages: [{ role: "user", content: "x" }],
      })) {
        characters += chunk.choices[0]?.delta.content?.length ?? 0;
      }
      return characters;
    },
  },
  {
    name: "Responses",
    named: true,
    begin: [{ type: "response.created", response: response("in_progress") }],
    delta: { type: "response.output_text.delta", item_id: "i", output_index: 0, content_index: 0, delta: DELTA },
    end: [{ type: "response.completed", response: response("completed") }],
    ours: (fetch) => openaiResponses({ model: "m", apiKey: "k", fetch }),
    async bare(fetch) {
      const client = new OpenAI({ apiKey: "k", maxRetries: 0, fetch });
      let characters = 0;
      for await (const event of await client.responses.create({ model: "m", stream: true, input: "x" })) {
        if (event.type === "response.output_text.delta") characters += event.delta.length;
      }
      return characters;
    },
  },
];

function frame(event: object | string, named: boolean): string {
  if (typeof event === "string") return `data: ${event}\n\n`;
  const name = named && "type" in event ? `event: ${String(event.type)}\n` : "";
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}

/** A `fetch` whose every answer is the whole stream, cut into pieces as a network would. */
function feed({ begin, delta, end, named }: Sample): typeof globalThis.fetch {
  const encoder = new TextEncoder();
  const write = (events: readonly (object | string)[]): Uint8Array =>
    encoder.encode(events.map((event) => frame(event, named)).join(""));
  const piece = write(Array.from({ length: EVENTS_PER_CHUNK }, () => delta));
  const pieces = [write(begin), ...Array.from({ length: DELTAS / EVENTS_PER_CHUNK }, () => piece), write(end)];
  return async () => {
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const next = pieces[at++];
        if (next === undefined) controller.close();
        else controller.enqueue(next);
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

async function readAll(model: Model): Promise<number> {
  let characters = 0;
  const message = await readReply(
    model,
    { messages: [{ role: "user", content: "x", timestamp: 0 }] },
    {
      signal: new AbortController().signal,
      clock: systemClock,
      limits: LIMITS,
      onEvent: (event) => {
        if (event.type === "text_delta") characters += event.delta.length;
      },
    },
  );
  if (message.stopReason !== "stop") throw new Error(`The stream of the benchmark failed: ${message.errorMessage}`);
  return characters;
}

/** Microseconds per delta, of the two by turns, so that both meet the same machine. */
async function compare(
  ours: () => Promise<number>,
  bare: () => Promise<number>,
  expected: number,
): Promise<{ ours: number; bare: number }> {
  const times = { ours: [] as number[], bare: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, run] of [
      ["bare", bare],
      ["ours", ours],
    ] as const) {
      const start = now();
      const characters = await run();
      times[name].push(((now() - start) * 1000) / DELTAS);
      if (characters !== expected) throw new Error(`${name} saw ${characters} characters of ${expected}`);
    }
  }
  return { ours: median(times.ours), bare: median(times.bare) };
}

/** What the integrity layer costs per streamed delta, beside the bare client's iterator, and beside a bare loop on a scripted model. */
export async function streamRows(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const sample of SAMPLES) {
    const fetch = feed(sample);
    const { ours, bare } = await compare(
      () => readAll(sample.ours(fetch)),
      () => sample.bare(fetch),
      DELTAS * DELTA.length,
    );
    rows.push({ name: `${sample.name}: read one delta`, unit: "µs", ours, bare, note: "bare: the client's own iterator" });
    rows.push({ name: `${sample.name}: cost over the bare client`, unit: "µs per delta", ours: ours - bare, reach: 1 });
  }
  const text = DELTA.repeat(DELTAS);
  const model = scriptedModel(() => ({ text, deltas: DELTAS }), { record: false });
  const bareLoop = async (): Promise<number> => {
    let characters = 0;
    for await (const event of model.stream({ messages: [] }, { signal: new AbortController().signal }))
      if (event.type === "text_delta") characters += event.delta.length;
    return characters;
  };
  const { ours, bare } = await compare(() => readAll(model), bareLoop, text.length);
  rows.push({
    name: "readReply alone, on a scripted model",
    unit: "µs per delta",
    ours: ours - bare,
    reach: 0.5,
    note: `over a bare loop's ${bare.toFixed(2)} µs`,
  });
  return rows;
}
