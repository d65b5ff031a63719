/** A body found inside a text. */
export interface EmbeddedBody {
  value: unknown;
  /** Where it begins and ends in the text. */
  start: number;
  end: number;
}

/** Longest text that is searched for bodies that are no plain JSON. */
const LONGEST_LOOSE = 200_000;
const MAX_STARTS = 12;

/** The first JSON object or array inside a text, also as Python prints one; undefined when there is none. Linear. */
export function findBody(text: string): EmbeddedBody | undefined {
  let from = 0;
  for (let tries = 0; tries < MAX_STARTS; tries += 1) {
    const start = nextStart(text, from);
    if (start < 0) return undefined;
    const end = closingEnd(text, start);
    if (end < 0) return undefined;
    const value = parseLoosely(text.slice(start, end));
    if (typeof value === "object" && value !== null) return { value, start, end };
    from = start + 1;
  }
  return undefined;
}

function nextStart(text: string, from: number): number {
  for (let index = from; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === 0x7b) return index;
    // An array of bodies; `[400]`, `[models]` and Markdown links are none.
    if (character === 0x5b && /^\[\s{0,20}[{]/.test(text.slice(index, index + 24))) return index;
  }
  return -1;
}

/** The end of the bracket that opens at `start`, strings left alone; -1 when it never closes. */
function closingEnd(text: string, start: number): number {
  let depth = 0;
  let quote = "";
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (quote !== "") {
      if (character === "\\") index += 1;
      else if (character === quote) quote = "";
    } else if (character === '"' || (character === "'" && opensString(text, index))) quote = character;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return -1;
}

/** A single quote opens a string after a bracket, a colon or a comma; anywhere else it is an apostrophe. */
function opensString(text: string, index: number): boolean {
  return /[{[:,(b]\s*$/.test(text.slice(Math.max(0, index - 3), index));
}

/** Parses JSON, or a Python literal. Undefined for anything else. */
export function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (text.length > LONGEST_LOOSE || !/[{[]\s*'|[{,]\s*\w+\s*:/.test(text.slice(0, 400))) return undefined;
    try {
      return JSON.parse(toJson(text));
    } catch {
      return undefined;
    }
  }
}

const LITERALS: Readonly<Record<string, string>> = { None: "null", True: "true", False: "false", undefined: "null" };
const TOKEN = /b?'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([A-Za-z_][A-Za-z0-9_]*)|[^]/g;

/** Python (and JavaScript inspection) spelling to JSON: quotes, bare keys, None, True and False. */
function toJson(text: string): string {
  return text.replace(
    TOKEN,
    (token: string, single: string | undefined, double: string | undefined, word: string | undefined) => {
      if (single !== undefined) return JSON.stringify(unescape(single));
      if (double !== undefined) return token;
      if (word === undefined) return token;
      return LITERALS[word] ?? (word === "null" || word === "true" || word === "false" ? word : JSON.stringify(word));
    },
  );
}

function unescape(text: string): string {
  return text.replace(/\\(.)/g, (_match, character: string) => (character === "n" ? "\n" : character === "t" ? "\t" : character));
}

/** What is left of a body that was cut off: its innermost message, and its codes. */
export interface BrokenBody {
  before: string;
  message: string;
  codes: string[];
}

/** Longest text in which a broken body is looked for. */
const LONGEST_BROKEN = 20_000;
const MESSAGE_FIELD = /["'](?:message|msg|error_msg|detail)["']\s?:\s?(?:"((?:[^"]){1,4000})|'((?:[^'\n]|'(?=\w)){1,4000}))/g;
const CODE_FIELD = /["'](?:code|type|status|reason)["']\s?:\s?["']?([\w.-]{1,80})/g;

/** Reads a body that never closes, such as one that a log cut off. Undefined when the text holds no such thing. */
export function brokenBody(text: string): BrokenBody | undefined {
  const brace = text.indexOf("{");
  if (brace < 0 || text.length > LONGEST_BROKEN) return undefined;
  const flat = text.slice(brace).replaceAll(/\\+(?=["'])/g, "");
  const messages = [...flat.matchAll(MESSAGE_FIELD)]
    .map((match) => match[1] ?? match[2] ?? "")
    .filter((message) => !/^\s*\{/.test(message));
  const message = messages.at(-1);
  if (message === undefined) return undefined;
  return {
    before: text.slice(0, brace),
    message,
    codes: [...flat.matchAll(CODE_FIELD)].slice(0, 10).map((match) => match[1] ?? ""),
  };
}
