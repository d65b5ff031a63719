/** Whether `text` would be cut between the two halves of a surrogate pair at `index`. */
function splitsPair(text: string, index: number): boolean {
  return (text.charCodeAt(index - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}

/**
 * Head and tail of a text that is too long, with a mark between them that names the original size. The head gets two thirds:
 * what a text is about is said at its beginning, how it ended at its end.
 *
 * @param limit Characters the result has at most; the mark is left out where it alone would not fit.
 */
export function headAndTail(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const mark = `\n[… ${text.length} characters, shortened to head and tail …]\n`;
  const room = Math.floor(limit) - mark.length;
  if (room < 2) return text.slice(0, splitsPair(text, Math.max(0, limit)) ? Math.max(0, limit - 1) : Math.max(0, limit));
  let head = Math.ceil((room * 2) / 3);
  let tail = text.length - (room - head);
  if (splitsPair(text, head)) head -= 1;
  if (splitsPair(text, tail)) tail += 1;
  return text.slice(0, head) + mark + text.slice(tail);
}
