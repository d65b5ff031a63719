import { readFileSync } from "node:fs";
import type { FailureKind } from "../../src/errors/types.ts";
import type { WireFormatName } from "../../src/testing/fault-server.ts";
import { adapters } from "./adapters.ts";
import type { Adapter } from "./adapters.ts";
import { modes } from "./cases.ts";
import type { Mode } from "./cases.ts";

/** A case in which an official client threw nothing, or hung: what a simple adapter would believe, and what happened. */
export interface SilentRow {
  id: string;
  scenario: string;
  api: string;
  outcome: "silent" | "hang";
  conclusion: string;
  truth: FailureKind | "aborted";
  retryable: boolean;
}

/** How the case is played again, and what has to come of it. */
export interface SilentCase {
  row: SilentRow;
  adapter: Adapter;
  mode: Mode;
  step: string;
  /** The failure's kind; `answer` where the reply was whole, `cut` where it stopped at its limit. */
  expected: FailureKind | "aborted" | "answer" | "cut";
  /** What the user aborts with, as soon as something has come. */
  abortWith?: { reason: unknown };
}

type Play = Pick<SilentCase, "step"> & Partial<Pick<SilentCase, "expected" | "abortWith">>;

const FORMATS: Readonly<Record<string, WireFormatName>> = {
  chat: "openai-completions",
  responses: "openai-responses",
  messages: "anthropic-messages",
};

/**
 * The step that plays a scenario again, by the scenario's number. Scenarios of plain requests are played to a stream: adapters
 * ask for nothing else. The truth of the row is what is expected, but for replies that were whole (their terminal event had
 * come; what followed is void) and those that stopped at their limit, which is no failure but a stop reason.
 */
const PLAYS: Readonly<Record<string, Play | ((format: WireFormatName) => Play)>> = {
  C2: { step: "stall:start" },
  C3: { step: "stall:start" },
  C5: { step: "stall:half" },
  D3: { step: "stall:half", abortWith: { reason: undefined } },
  D4: { step: "stall:half", abortWith: { reason: "the user pressed escape" } },
  D5: { step: "stall:half", abortWith: { reason: new Error("overloaded: 529") } },
  E2: { step: "cut:content:eof" },
  E5: { step: "half-event:end" },
  E8: { step: "empty:stream" },
  E9: { step: "empty:comments" },
  E10: { step: "empty-answer:terminal" },
  E13: { step: "gzip-cut:half" },
  E14: { step: "invalid-utf8" },
  E15: { step: "cut:finish:clean" },
  E17: { step: "reset-after-end", expected: "answer" },
  E18: { step: "never-close", expected: "answer" },
  F1: { step: "html" },
  F2: { step: "empty:body" },
  F3: { step: "error-200:rate_limit" },
  F4: { step: "error-200:rate_limit" },
  F5: { step: "whole-json" },
  F9: { step: "empty:null" },
  F10: { step: "text" },
  F11: { step: "empty:204" },
  // An answer without anything in it: to a stream it is one that lost its content.
  F12: { step: "empty-answer:silent", expected: "stream_interrupted" },
  F14: { step: "redirect-html" },
  "G1.api": { step: "error-event:server_error" },
  "G1.rate": { step: "error-event:rate_limit" },
  "G1.quota": { step: "error-event:insufficient_quota" },
  "G1.overflow": { step: "error-event:context_length_exceeded" },
  "G1.invalidPrompt": { step: "error-event:content_policy" },
  // The row's error had no code; this one has.
  G2: { step: "error-event:server_error:half:unnamed", expected: "server_error" },
  G3: { step: "response-failed:null" },
  G4: { step: "finish-reason:max_output_tokens", expected: "cut" },
  G5: { step: "finish-reason:content_filter" },
  G6: { step: "cut-arguments", expected: "cut" },
  G7: (format) => ({ step: format === "anthropic-messages" ? "finish-reason:refusal" : "finish-reason:content_filter" }),
  G8: { step: "finish-reason:model_context_window_exceeded", expected: "cut" },
  G9b: { step: "finish-reason:error" },
  G9c: { step: "finish-reason:network_error" },
  G10: { step: "error-event:overloaded:half:unnamed" },
  G13: { step: "html-in-stream" },
  G14: { step: "response-failed:server_error:finish" },
  K2: { step: "status:429:retry-after=120" },
};

/** Scenarios that a client that only asks for streams cannot meet. */
const NOT_MET: readonly string[] = ["F6"];

/** E1 cuts a reply of five parts cleanly after some of them. */
const CUT_PARTS: readonly string[] = [
  "cut:start:clean",
  "cut:1:clean",
  "cut:half:clean",
  "cut:content:clean",
  "cut:finish:clean",
];

function playOf(scenario: string, format: WireFormatName): Play {
  const [number = ""] = scenario.split(" ");
  const cut = /^E1\.(?:text|tool)\.(\d)$/u.exec(number);
  const play = cut ? { step: CUT_PARTS[Number(cut[1])] ?? "" } : PLAYS[number];
  if (play === undefined) throw new Error(`no step plays "${scenario}"`);
  return typeof play === "function" ? play(format) : play;
}

/** Every observed case that our adapters can meet. */
export function silentCases(): SilentCase[] {
  const lines = readFileSync(new URL("silent.jsonl", import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  return lines
    .map((line): SilentRow => JSON.parse(line))
    .filter(({ scenario }) => !NOT_MET.some((number) => scenario.startsWith(`${number} `)))
    .map((row) => {
      const format = FORMATS[row.api.split(".")[0] ?? ""];
      const adapter = adapters.find((candidate) => candidate.format === format);
      const mode = modes.find(({ name }) => (name === "with tools") === /tool/u.test(row.scenario));
      if (format === undefined || adapter === undefined || mode === undefined) throw new Error(`no adapter plays ${row.id}`);
      return { row, adapter, mode, expected: row.truth, ...playOf(row.scenario, format) };
    });
}
