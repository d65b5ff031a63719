import { pointerOf } from "./layer.ts";

/** What a position in a JSON text is called: the pointer of each key and element, with the 1-based line it begins on. */
export interface JsonPositions {
  lines: ReadonlyMap<string, number>;
  /** Keys that an object has twice; JSON.parse would take the last without a word. */
  duplicates: readonly { pointer: string; line: number }[];
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+|\n/g;

interface Container {
  /** The next element's index; undefined in an object. */
  index: number | undefined;
  key: string;
}

/** Finds the lines of a text that is valid JSON. */
export function jsonPositions(text: string): JsonPositions {
  const lines = new Map<string, number>();
  const duplicates: { pointer: string; line: number }[] = [];
  const open: Container[] = [];
  let line = 1;
  let expectsKey = false;

  const note = (): void => {
    const pointer = pointerOf(open.map(({ key }) => key));
    if (lines.has(pointer)) duplicates.push({ pointer, line });
    lines.set(pointer, line);
  };
  const element = (): void => {
    const inside = open.at(-1);
    if (inside?.index === undefined) return;
    inside.key = String(inside.index++);
    note();
  };

  for (const [token] of text.matchAll(TOKEN)) {
    const inside = open.at(-1);
    if (token === "\n") line++;
    else if (token === "}" || token === "]") open.pop();
    else if (token === ",") expectsKey = inside?.index === undefined;
    else if (token === ":") expectsKey = false;
    else if (expectsKey && inside) {
      inside.key = String(JSON.parse(token));
      note();
    } else {
      element();
      if (token === "{" || token === "[") open.push({ index: token === "[" ? 0 : undefined, key: "" });
      expectsKey = token === "{";
    }
  }
  return { lines, duplicates };
}
