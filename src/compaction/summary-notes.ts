import type { TouchedFiles } from "./files.ts";
import { boundText } from "../errors/index.ts";

/** Longest quotation of the request that is being worked on, in characters. */
const REQUEST_CHARACTERS = 2000;

const REQUEST = "current-request";
const NOTES = [REQUEST, "read-files", "modified-files"] as const;

const NOTE_PATTERN = new RegExp(`\\n*<(${NOTES.join("|")})>\\n([\\s\\S]*?)\\n</\\1>`, "g");

function note(name: (typeof NOTES)[number], text: string): string {
  return text === "" ? "" : `\n\n<${name}>\n${text}\n</${name}>`;
}

/**
 * Puts at the end of a summary what needs no model to be remembered: the request that is being worked on, in the user's own
 * words, and the files touched so far.
 */
export function withNotes(summary: string, files: TouchedFiles, currentRequest?: string): string {
  return (
    summary.trim() +
    note(REQUEST, boundText(currentRequest?.trim() ?? "", REQUEST_CHARACTERS)) +
    note("read-files", files.readFiles.join("\n")) +
    note("modified-files", files.modifiedFiles.join("\n"))
  );
}

/** A summary without such notes: they are made anew each time. */
export function withoutNotes(summary: string): string {
  return summary.replaceAll(NOTE_PATTERN, "").trim();
}

/** The request a summary's notes quote. */
export function currentRequestOf(summary: string): string | undefined {
  for (const [, name, text] of summary.matchAll(NOTE_PATTERN)) if (name === REQUEST) return text;
  return undefined;
}
