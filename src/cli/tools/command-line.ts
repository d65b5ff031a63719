import { UsageError } from "../usage-error.ts";

/** The words of a command line, as a shell splits them: quotes group, a backslash takes the next character as it is. */
export function splitCommandLine(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === quote) quote = undefined;
    else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      word ??= "";
    } else if (character === "\\" && quote !== "'" && at + 1 < text.length) word = (word ?? "") + (text[++at] ?? "");
    else word = (word ?? "") + character;
  }
  if (quote !== undefined) throw new UsageError(`A quote is not closed in the command line ${text}`);
  if (word !== undefined) words.push(word);
  return words;
}
