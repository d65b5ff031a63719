import type { Message } from "../model/types.ts";
import { transcriptParts, type TranscriptLimits } from "./summary-transcript.ts";

const SEPARATOR = "\n\n";

/** Room for the line that says who speaks, in characters. */
const LABEL_CHARACTERS = 120;

/** As long as the transcript fits a single request, its tool results and calls are shrunk rather than it being split. */
const SINGLE_PIECE_LIMITS = [
  { result: 2000, call: 1000 },
  { result: 500, call: 500 },
  { result: 200, call: 200 },
] as const;

/** In pieces, texts too are shrunk while there would be more pieces than this. */
const MANY_PIECES = 8;
const TEXT_LIMITS = [Infinity, 8000, 2000, 500] as const;

/** Packs the parts, in order, into as few pieces as hold at most `budget` characters each. */
function pack(parts: readonly string[], budget: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const part of parts) {
    const joined = piece === "" ? part : piece + SEPARATOR + part;
    if (joined.length <= budget) {
      piece = joined;
    } else {
      if (piece !== "") pieces.push(piece);
      piece = part.slice(0, budget);
    }
  }
  if (piece !== "") pieces.push(piece);
  return pieces;
}

/**
 * The conversation as one transcript or, where it does not fit, as several to be summarised one after another; none longer than
 * `budget` characters. Tool results are shrunk first, then the transcript is split; a single text that would not fit a piece
 * keeps its head and tail.
 */
export function transcriptPieces(messages: readonly Message[], budget: number, openTurn?: number): string[] {
  const longest = Math.max(0, budget - LABEL_CHARACTERS);
  const pieces = (limits: TranscriptLimits): string[] =>
    pack(
      transcriptParts(
        messages,
        { result: Math.min(limits.result, longest), call: Math.min(limits.call, longest), text: Math.min(limits.text, longest) },
        openTurn,
      ),
      budget,
    );
  for (const limits of SINGLE_PIECE_LIMITS) {
    const single = pieces({ ...limits, text: Infinity });
    if (single.length <= 1) return single;
  }
  let last: string[] = [];
  for (const text of TEXT_LIMITS) {
    last = pieces({ result: 200, call: 200, text });
    if (last.length <= MANY_PIECES) break;
  }
  return last;
}
