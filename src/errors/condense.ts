import { redact } from "./redact.ts";

/** Characters of a text that are looked at from its head, and from its tail. */
const EDGE = 6000;
/** Read beyond the edge and dropped after redaction, so that a secret the cut goes through is not left half. */
const MARGIN = 3000;
/** Characters kept around a deciding word found in the middle, on each side. */
const AROUND = 300;
const SNIPPET_MARGIN = 200;
const MAX_SNIPPETS = 6;

/** Words that decide, for texts too long to be read whole: one pass, literals only. */
const DECIDING =
  /insufficient_quota|context_length_exceeded|overloaded_error|rate_limit|billing_error|authentication_error|invalid_api_key|content_policy|content_filter|model_not_found|maximum context length|prompt is too long|context window|credit balance|rate limit|too many requests|exceeded your current quota|overloaded|ECONN[A-Z]{3,10}|ETIMEDOUT|UND_ERR_[A-Z]{3,20}|"retryDelay"|RESOURCE_EXHAUSTED|api key/gi;

/** The parts of a text that matter, each redacted: the whole when it is short. */
export function condense(text: string): string {
  if (text.length <= 2 * (EDGE + MARGIN)) return redact(text);
  const head = redact(text.slice(0, EDGE + MARGIN)).slice(0, EDGE);
  const tail = redact(text.slice(-(EDGE + MARGIN))).slice(-EDGE);
  return [head, ...snippets(text), tail].join("\n[…]\n");
}

function snippets(text: string): string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  DECIDING.lastIndex = EDGE;
  for (let match = DECIDING.exec(text); match && found.length < MAX_SNIPPETS; match = DECIDING.exec(text)) {
    if (match.index >= text.length - EDGE) break;
    const word = match[0].toLowerCase();
    if (seen.has(word)) continue;
    seen.add(word);
    const raw = text.slice(match.index - AROUND - SNIPPET_MARGIN, match.index + AROUND + SNIPPET_MARGIN);
    found.push(redact(raw).slice(SNIPPET_MARGIN, -SNIPPET_MARGIN));
  }
  return found;
}
