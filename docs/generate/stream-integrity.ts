import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { AssistantMessage } from "../../src/model/types.ts";
import { startFaultServer } from "../../src/testing/fault-server.ts";
import { wireFormats } from "../../src/testing/fault-server/formats/index.ts";
import { adapters } from "../../test/integrity/adapters.ts";
import type { Adapter } from "../../test/integrity/adapters.ts";
import { casesOf, modes } from "../../test/integrity/cases.ts";
import type { Case } from "../../test/integrity/cases.ts";
import { observe } from "../../test/integrity/observe.ts";
import type { BareOutcome } from "./bare-clients.ts";
import { askBare } from "./bare-clients.ts";

export const PAGE = new URL("../stream-integrity.md", import.meta.url);

/** The text whose reply is broken; the steps about tool calls bring their own. */
const RAW = modes.find(({ name }) => name === "raw");
const TEXT = RAW?.reply.text ?? "";

/** The cases a table of the page has a row for. */
export function rowsOf(adapter: Adapter): Case[] {
  return RAW === undefined ? [] : casesOf(adapter, RAW);
}

/** Heading of an adapter's table. */
export function titleOf({ name, format }: Adapter): string {
  return name === "aiSdkModel" ? "AI SDK" : wireFormats[format].title;
}

/** A conclusion, and whether it is one that does no harm: an answer where there is one, a failure where there is none. */
interface Told {
  words: string;
  sound: boolean;
}

function failed({ means }: Case): boolean {
  return !means.includes("answer") && !means.includes("cut");
}

function bareTold(outcome: BareOutcome, played: Case): Told {
  if (outcome.ended === "never") return { words: "waits", sound: false };
  if (outcome.ended === "threw") return { words: `throws ${thrown(outcome.error)}`, sound: failed(played) };
  const { text, calls, stop } = outcome.gathered;
  const said =
    calls.length > 0
      ? `a call with ${quality(calls[0] ?? "")}`
      : text === ""
        ? "an empty answer"
        : text === TEXT
          ? "the whole text"
          : "part of the text";
  return { words: `${said}, ${stop === undefined ? "no stop reason" : `stop reason \`${stop}\``}`, sound: !failed(played) };
}

function quality(json: string): string {
  if (json === "") return "no arguments";
  try {
    JSON.parse(json);
    return "arguments that parse";
  } catch {
    return "half its arguments";
  }
}

function thrown(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return `${error.constructor.name}: ${cell(`${error.message}${cause}`)}`;
}

function ourTold(message: AssistantMessage, played: Case): Told {
  const { failure, stopReason } = message;
  if (failure === undefined) return { words: stopReason === "length" ? "cut at its limit" : "answer", sound: !failed(played) };
  const kept = message.content.some((block) => block.type !== "thinking") ? ", partial content kept" : "";
  return { words: `${failure.kind}: ${failure.action}${kept}. ${cell(failure.message)}`, sound: failed(played) };
}

/** Text as a table can hold it: one line, bounded, without the ports that differ each time. */
function cell(text: string): string {
  const line = text
    .replaceAll(/127\.0\.0\.1:\d+/gu, "127.0.0.1:PORT")
    .replaceAll(/[\s|<>]+/gu, " ")
    .replaceAll(/[0-9A-F]{16}:/gu, "")
    .trim();
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

interface Row {
  played: Case;
  bare: Told;
  ours: Told;
}

async function measure(played: Case): Promise<Row> {
  await using server = await startFaultServer({ script: [played.step], afterScript: "repeat", reply: played.mode.reply });
  const bare = bareTold(await askBare(played.adapter.format, server.url), played);
  const { message } = await observe(played);
  return { played, bare, ours: ourTold(message, played) };
}

function table(rows: readonly Row[], withBare: boolean): string {
  const columns = withBare ? ["step", "right", "bare client", "this library"] : ["step", "right", "this library"];
  const mark = ({ words, sound }: Told): string => (sound ? words : `**wrong**: ${words}`);
  const lines = rows.map(({ played, bare, ours }) => {
    const cells = [`\`${played.step}\``, played.means[0] ?? "", ...(withBare ? [mark(bare)] : []), mark(ours)];
    return `| ${cells.join(" | ")} |`;
  });
  return [`| ${columns.join(" | ")} |`, `|${columns.map(() => "---").join("|")}|`, ...lines].join("\n");
}

function summary(all: readonly { adapter: Adapter; rows: readonly Row[] }[]): string {
  const lines = all.map(({ adapter, rows }) => {
    const failures = rows.filter(({ played }) => failed(played));
    const silent = failures.filter(({ bare }) => !bare.sound && bare.words !== "waits").length;
    const waits = rows.filter(({ bare }) => bare.words === "waits").length;
    const ours = rows.filter((row) => !row.ours.sound).length;
    return `| ${wireFormats[adapter.format].title} | ${rows.length} | ${failures.length} | ${silent} | ${waits} | ${ours} |`;
  });
  return [
    "| format | steps | of them failures | bare client reports no error | bare client waits without end | this library is wrong |",
    "|---|---|---|---|---|---|",
    ...lines,
  ].join("\n");
}

const INTRODUCTION = `# Stream integrity

<!-- Generated: node docs/generate/stream-integrity.ts -->

What becomes of a model's reply when its stream breaks, for every step of the [fault server](fault-server.md), on real sockets.
The rules behind it:

- A stream without its terminal event is never an answer, however whole its text or arguments look.
- Reading stops at the terminal event; what the connection does afterwards is void.
- An error anywhere in the stream ends the attempt with the kind the provider gave it.
- An empty answer, an unknown stop reason, and a body that is no stream are failures.
- A stream that says nothing for too long is ended by a time limit; keep-alives do not count, thinking does.
- What had come is kept in the failed message, for people to see. No tool call of it is ever run.

The bare client is the official one (\`@anthropic-ai/sdk\`, \`openai\`) with its own retries off, its stream read as its
documentation shows. **wrong** marks a failure without an error, an answer with one, and a wait that nothing ended within a second
(the clients' own limit of ten minutes counts only up to the headers). A failure of this library reads: its kind, what a session
does about it, and the message.
`;

const AI_SDK = `Any model of the AI SDK can be used; its providers read the connection themselves. Here it is a provider over Chat
Completions that is made as they are. What they do not pass on cannot be seen from above: whether \`[DONE]\` came, bytes that were
no UTF-8, an error body under status 200. Where a session's work depends on it, use the adapter of the format itself.`;

/** The page, measured now. */
export async function page(): Promise<string> {
  const all = [];
  for (const adapter of adapters) {
    const rows = [];
    for (const played of rowsOf(adapter)) rows.push(await measure(played));
    all.push({ adapter, rows });
  }
  const official = all.filter(({ adapter }) => adapter.name !== "aiSdkModel");
  const sections = all.map(({ adapter, rows }) => {
    const measuredBare = official.some((one) => one.adapter === adapter);
    const note = measuredBare ? `\`${adapter.name}\`` : `\`${adapter.name}\`\n\n${AI_SDK}`;
    return `## ${titleOf(adapter)}\n\n${note}\n\n${table(rows, measuredBare)}\n`;
  });
  return [INTRODUCTION, `${summary(official)}\n`, ...sections].join("\n");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) writeFileSync(PAGE, await page());
