import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { UsageError } from "./usage-error.ts";

/** The system prompt: a text, or `@path` for the text of a file. @throws UsageError */
export async function readSystemPrompt(given: string | undefined, cwd: string): Promise<string | undefined> {
  if (given === undefined || !given.startsWith("@")) return given;
  try {
    return await readFile(resolve(cwd, given.slice(1)), "utf8");
  } catch (error) {
    throw new UsageError(`The system prompt ${given} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
