import type { StepArguments } from "./arguments.ts";
import type { Part } from "./formats/wire-format.ts";

/**
 * A place in a reply's stream: a number of events, or `start` (nothing but the headers), `half` (in the middle of what is
 * said), `content` (all is said, nothing is closed), `finish` (all but the terminal event), `end` (after it).
 */
export type Point = number | (typeof POINTS)[number];

const POINTS = ["start", "half", "content", "finish", "end"] as const;

/** How steps write a point in their usage lines. */
export const POINT_WORDS = `${POINTS.join(", ")}, or a number of events`;

export function pointArgument(words: StepArguments, otherwise: Point): Point {
  const parse = (word: string): Point | undefined =>
    /^\d{1,6}$/u.test(word) ? Number(word) : POINTS.find((point) => point === word);
  return words.parsed("the point", POINT_WORDS, parse, otherwise);
}

/** How many of `pieces` come before `point`. */
export function piecesBefore(point: Point, pieces: readonly { part: Part }[]): number {
  if (typeof point === "number") return Math.min(point, pieces.length);
  if (point === "start") return 0;
  if (point === "end") return pieces.length;
  const content = pieces.flatMap((piece, index) => (piece.part === "content" ? [index + 1] : []));
  const opening = pieces.findLastIndex((piece) => piece.part === "opening") + 1;
  if (point === "half") return content[Math.ceil(content.length / 2) - 1] ?? opening;
  if (point === "content") return content.at(-1) ?? opening;
  const terminal = pieces.findIndex((piece) => piece.part === "terminal");
  return terminal === -1 ? pieces.length : terminal;
}
