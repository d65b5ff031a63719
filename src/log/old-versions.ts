import { isEntry, isKnownType } from "./entry-shapes.ts";

/**
 * Turns the records of version 1 or 2 into entries of version 3, one by one in the order of the file.
 *
 * - Version 1 was a list: each entry becomes the child of the one before it, and a compaction named what it keeps by its place
 *   in the file (the header is place 0).
 * - Version 2 called the messages of extensions `hookMessage`.
 */
export class OldVersionReader {
  readonly #version: number;
  readonly #idByLine = new Map<number, string>();
  #parentId: string | null = null;

  constructor(version: number) {
    this.#version = version;
  }

  /** Tells a record, found in a damaged line, from a part of one. */
  accepts(value: object): boolean {
    if (this.#version > 1) return isEntry(value);
    return "type" in value && typeof value.type === "string" && isKnownType(value.type);
  }

  /** @param line The record's line, from 1. */
  convert(record: object, line: number): unknown {
    const renamed = renameHookMessage(record);
    if (this.#version > 1) return renamed;
    // Ids made of places are the same whenever the file is read.
    const id = line.toString(16).padStart(8, "0");
    this.#idByLine.set(line, id);
    const { firstKeptEntryIndex, ...rest }: Record<string, unknown> = { timestamp: new Date(0).toISOString(), ...renamed };
    const kept =
      typeof firstKeptEntryIndex === "number" ? { firstKeptEntryId: this.#idByLine.get(firstKeptEntryIndex + 1) ?? id } : {};
    const entry = { ...rest, ...kept, id, parentId: this.#parentId };
    this.#parentId = id;
    return entry;
  }
}

function renameHookMessage(record: object): object {
  const { message }: Partial<Record<string, unknown>> = { ...record };
  const isHook = typeof message === "object" && message !== null && "role" in message && message.role === "hookMessage";
  return isHook ? { ...record, message: { ...message, role: "custom" } } : record;
}

/** The path of the file that an older file goes on in. */
export function convertedPath(path: string): string {
  return `${path.replace(/\.jsonl$/, "")}.v3.jsonl`;
}
