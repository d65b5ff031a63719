import type { Message } from "../model/types.ts";

/** Which tools touch files, and where they say so. */
export interface FileTools {
  /** Names of tools that read a file. */
  read: readonly string[];
  /** Names of tools that write, change, move or delete one. */
  modify: readonly string[];
  /** Names of arguments that hold a path, or a list of paths. */
  pathArguments: readonly string[];
}

/** The names most tool sets use. */
export const DEFAULT_FILE_TOOLS: FileTools = {
  read: ["read", "read_file", "readFile", "view", "view_file", "cat", "open_file"],
  modify: [
    "write",
    "write_file",
    "writeFile",
    "edit",
    "edit_file",
    "editFile",
    "create_file",
    "str_replace",
    "apply_patch",
    "delete_file",
    "move_file",
  ],
  pathArguments: ["path", "paths", "file", "files", "file_path", "filePath", "filename"],
};

/** Files a session has touched; kept from compaction to compaction in the entry's `details`. */
export interface TouchedFiles {
  /** Read and not modified. */
  readFiles: string[];
  modifiedFiles: string[];
}

/** More than these would fill the summary with names; the newest stay. */
const MOST_FILES = 200;

function strings(value: unknown): string[] {
  if (typeof value === "string") return value.trim() === "" ? [] : [value];
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string" && each.trim() !== "") : [];
}

/** Reads the lists out of the `details` of an earlier summary, whoever wrote it; what is no list of names counts as empty. */
function touchedFilesOf(details: unknown): TouchedFiles {
  if (typeof details !== "object" || details === null) return { readFiles: [], modifiedFiles: [] };
  return {
    readFiles: "readFiles" in details ? strings(details.readFiles) : [],
    modifiedFiles: "modifiedFiles" in details ? strings(details.modifiedFiles) : [],
  };
}

/** Adds the names to the set, those it has already anew, so that the newest come last. */
function addLast(set: Set<string>, names: readonly string[]): void {
  for (const name of names) {
    set.delete(name);
    set.add(name);
  }
}

/**
 * The files that earlier summaries tell of, and those the tool calls of these messages touched. A call whose result is an
 * error touched nothing. At most 200 of each kind, the newest.
 *
 * @param earlier The `details` of the summaries before, oldest first.
 */
export function collectTouchedFiles(
  earlier: readonly unknown[],
  messages: readonly Message[],
  tools: FileTools = DEFAULT_FILE_TOOLS,
): TouchedFiles {
  const read = new Set<string>();
  const modified = new Set<string>();
  for (const { readFiles, modifiedFiles } of earlier.map(touchedFilesOf)) {
    addLast(read, readFiles);
    addLast(modified, modifiedFiles);
  }
  // Ids are taken one reply at a time: some providers give the same ones again and again.
  const waiting = new Map<string, () => void>();
  for (const message of messages) {
    if (message.role === "toolResult") {
      if (!message.isError) waiting.get(message.toolCallId)?.();
      waiting.delete(message.toolCallId);
    } else if (message.role === "assistant") {
      for (const block of message.content) {
        if (block.type !== "toolCall") continue;
        const files = tools.modify.includes(block.name) ? modified : tools.read.includes(block.name) ? read : undefined;
        if (files !== undefined)
          waiting.set(block.id, () =>
            addLast(
              files,
              tools.pathArguments.flatMap((name) => strings(block.arguments[name])),
            ),
          );
      }
    }
  }
  // A call whose result is not known may have run.
  for (const touch of waiting.values()) touch();
  return {
    readFiles: [...read].filter((path) => !modified.has(path)).slice(-MOST_FILES),
    modifiedFiles: [...modified].slice(-MOST_FILES),
  };
}
