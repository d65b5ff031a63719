import { closeSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import type { Stats } from "node:fs";
import { join } from "node:path";
import { LogError, NotASessionFileError, systemCode } from "./errors.ts";
import { latestName } from "./latest-name.ts";
import { SessionReader } from "./session-reader.ts";
import type { ReadEntries } from "./session-reader.ts";
import type { Entry } from "./types.ts";

/** What a list shows of a session file. */
export interface SessionSummary {
  path: string;
  id: string;
  /** Working directory the session was begun in; empty when the file does not say. */
  cwd: string;
  name?: string;
  /** The first message of the user, on one line, cut at 200 characters. */
  firstMessage?: string;
  /** ISO 8601. */
  createdAt: string;
  /** Last write, in milliseconds since the epoch. */
  modifiedAt: number;
  bytes: number;
  /** Path or id of the session it was forked from, or converted from. */
  parentSession?: string;
}

/** The beginning that is read; more only while the first message is not in it. */
const FIRST_BYTES = 1 << 16;
const MOST_BYTES = 1 << 24;
const SHOWN_CHARACTERS = 200;

/**
 * The sessions of a directory, the latest written first. Of each file only its beginning is read, and as much of its end as it
 * takes to find the session's name. Files that hold no session, or one of a newer format, are left out.
 *
 * @param options.recursive Also the sessions in folders of the directory; default false.
 * @throws the system's error when the directory cannot be read; one that is not there has no sessions
 */
export function listSessions(directory: string, options: { recursive?: boolean } = {}): SessionSummary[] {
  const summaries: SessionSummary[] = [];
  for (const name of namesIn(directory, options.recursive === true)) {
    if (!name.endsWith(".jsonl")) continue;
    const summary = summarize(join(directory, name));
    if (summary !== undefined) summaries.push(summary);
  }
  return summaries.toSorted((one, other) => other.modifiedAt - one.modifiedAt || (one.path < other.path ? 1 : -1));
}

function namesIn(directory: string, recursive: boolean): string[] {
  try {
    return readdirSync(directory, { recursive, encoding: "utf8" });
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

function summarize(path: string): SessionSummary | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, "r");
    const stats = fstatSync(descriptor);
    return stats.isFile() ? summaryOf(path, descriptor, stats) : undefined;
  } catch (error) {
    // A file that is no session, or that went away while the list was made, or that is not for us to read.
    if (error instanceof NotASessionFileError || error instanceof LogError || systemCode(error) !== undefined) return undefined;
    throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function summaryOf(path: string, descriptor: number, stats: Stats): SessionSummary {
  const { header, entries, whole } = readBeginning(path, descriptor, stats.size);
  const named = entries.findLast((entry) => entry.type === "session_info");
  const name = whole ? named?.type === "session_info" && named.name : latestName(descriptor, stats.size);
  const firstMessage = entries.map(userText).find((text) => text !== undefined);
  return {
    path,
    id: header.id,
    cwd: header.cwd,
    createdAt: header.timestamp,
    modifiedAt: stats.mtimeMs,
    bytes: stats.size,
    ...(name ? { name } : {}),
    ...(firstMessage === undefined ? {} : { firstMessage }),
    ...(header.parentSession === undefined ? {} : { parentSession: header.parentSession }),
  };
}

/** Reads until the first message of the user is found. `whole` when that was all of the file. */
function readBeginning(path: string, descriptor: number, size: number): ReadEntries & { whole: boolean } {
  for (let bytes = FIRST_BYTES; ; bytes *= 4) {
    const buffer = Buffer.alloc(Math.min(bytes, size));
    const count = readSync(descriptor, buffer, 0, buffer.length, 0);
    const lines = buffer.toString("utf8", 0, count).split("\n");
    const whole = count >= size;
    const reader = new SessionReader(path);
    // The last one is cut off where reading stopped, or is empty.
    const rest = lines.pop() ?? "";
    for (const [index, line] of lines.entries()) reader.line(line, index + 1);
    if (whole && rest !== "") reader.tail(rest, lines.length + 1);
    if (!whole && bytes < MOST_BYTES && !reader.some((entry) => userText(entry) !== undefined)) continue;
    return { ...reader.finish(), whole };
  }
}

function userText(entry: Entry): string | undefined {
  if (entry.type !== "message" || entry.message.role !== "user") return undefined;
  const { content } = entry.message;
  const text =
    typeof content === "string"
      ? content
      : (content ?? []).map((block) => (block.type === "text" ? block.text : "[image]")).join(" ");
  const line = text
    .slice(0, SHOWN_CHARACTERS * 4)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS - 1)}…` : line;
}
