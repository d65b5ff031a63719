import { readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { text as allText } from "node:stream/consumers";
import type { ImageBlock, UserContent } from "../model/types.ts";
import type { Io } from "./io.ts";
import { UsageError } from "./usage-error.ts";

const IMAGE_TYPES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

/** Until the person is told that the command waits for its stdin to end. */
const PATIENCE_MS = 2_000;

/**
 * The prompts a run is given. Each word is one, in order. Files (`@path`), images and what is piped in belong to the first; without
 * any word they are it.
 *
 * @throws UsageError for a file that cannot be read, and for an empty prompt.
 */
export async function readPrompts(words: readonly string[], images: readonly string[], io: Io): Promise<UserContent[][]> {
  const texts = words.filter((word) => !word.startsWith("@"));
  const files = words.filter((word) => word.startsWith("@")).map((word) => word.slice(1));
  for (const text of texts) {
    if (text.trim() === "") throw new UsageError('The prompt is empty: an argument is "". Give it some text.');
  }
  const attached = await Promise.all(files.map((path) => attachment(path, io.cwd)));
  const pictures = await Promise.all(images.map((path) => image(path, io.cwd)));
  const piped = io.hasPipedInput ? await readPipe(io) : "";
  const first: UserContent[] = [];
  // What is talked about comes before the question.
  for (const { path, content } of attached) {
    if (typeof content !== "string") first.push(content);
    else
      first.push({
        type: "text",
        text: texts.length === 0 && files.length === 1 ? content : `<file path="${path}">\n${content}\n</file>`,
      });
  }
  if (piped.trim() !== "") first.push({ type: "text", text: piped });
  first.push(...pictures);
  const [question, ...others] = texts.map((text): UserContent => ({ type: "text", text }));
  if (question) first.push(question);
  if (first.length === 0) return [];
  return [first, ...others.map((block) => [block])];
}

async function attachment(path: string, cwd: string): Promise<{ path: string; content: string | ImageBlock }> {
  if (IMAGE_TYPES[extname(path).toLowerCase()] !== undefined) return { path, content: await image(path, cwd) };
  const bytes = await read(path, cwd, `@${path}`);
  if (bytes.includes(0)) throw new UsageError(`@${path} is no text file. Images are png, jpeg, gif and webp.`);
  const content = bytes.toString("utf8");
  if (content.trim() === "") throw new UsageError(`The file @${path} is empty.`);
  return { path, content };
}

async function image(path: string, cwd: string): Promise<ImageBlock> {
  const mimeType = IMAGE_TYPES[extname(path).toLowerCase()];
  if (mimeType === undefined) throw new UsageError(`The image ${path} is of no known type. Images are png, jpeg, gif and webp.`);
  const bytes = await read(path, cwd, `The image ${path}`);
  if (bytes.length === 0) throw new UsageError(`The image ${path} is empty.`);
  return { type: "image", data: bytes.toString("base64"), mimeType };
}

async function read(path: string, cwd: string, what: string): Promise<Buffer> {
  try {
    return await readFile(resolve(cwd, path));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    const hint = what.startsWith("@") ? " A prompt that begins with @ needs a space before it." : "";
    throw new UsageError(`${what} cannot be read (${code}).${hint}`, { cause: error });
  }
}

/** All of stdin. A pipe that nobody writes to or closes would wait for ever: the person is told what it waits for. */
async function readPipe(io: Io): Promise<string> {
  const quiet = io.clock.after(PATIENCE_MS, () =>
    io.stderr.write("waiting for the end of stdin (</dev/null goes on without it)\n"),
  );
  try {
    return await allText(io.stdin);
  } finally {
    quiet();
  }
}
