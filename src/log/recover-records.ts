/** Every writer of session files puts the type first. */
const RECORD_START = '{"type":';
/** A damaged line is scanned in all at most this many times its length, so that a hostile one costs no more than a large one. */
const SCAN_BUDGET = 32;

/**
 * The whole records that can be found in a line that is not JSON by itself: behind zero bytes, glued together because a line break
 * was lost, or behind a record that was cut off.
 *
 * @param accept Tells a record from a part of one: blocks of content have a type too.
 */
export function recoverRecords(line: string, accept: (value: object) => boolean): object[] {
  const records: object[] = [];
  let budget = line.length * SCAN_BUDGET;
  for (let start = line.indexOf(RECORD_START); start >= 0 && budget > 0;) {
    const end = objectEnd(line, start);
    budget -= (end ?? line.length) - start;
    const value = end === undefined ? undefined : parseObject(line.slice(start, end));
    if (value !== undefined && accept(value)) records.push(value);
    const next = value === undefined || end === undefined ? start + 1 : end;
    start = line.indexOf(RECORD_START, next);
  }
  return records;
}

/** Index behind the brace that closes the one at `start`; braces in strings do not count. */
function objectEnd(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (inString) {
      if (character === "\\") index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return undefined;
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
