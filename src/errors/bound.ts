/** Longest text a failure carries, in characters. */
export const FAILURE_TEXT_LIMIT = 4000;

/**
 * Shortens `text` to at most `limit` characters. Head and tail are kept, because a wrapper speaks first and the cause last;
 * the mark between them says how many characters are missing. A surrogate pair is never split.
 *
 * @param limit Characters of the result; default {@link FAILURE_TEXT_LIMIT}.
 */
export function boundText(text: string, limit: number = FAILURE_TEXT_LIMIT): string {
  if (text.length <= limit) return text;
  const mark = ` […${text.length - limit} characters left out…] `;
  const room = limit - mark.length;
  if (room <= 0) return text.slice(0, endOfHead(text, Math.max(0, limit)));
  const head = endOfHead(text, Math.ceil(room / 2));
  const tail = startOfTail(text, text.length - Math.floor(room / 2));
  return text.slice(0, head) + mark + text.slice(tail);
}

function endOfHead(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

function startOfTail(text: string, start: number): number {
  const first = text.charCodeAt(start);
  return first >= 0xdc00 && first <= 0xdfff ? start + 1 : start;
}
