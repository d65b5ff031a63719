/**
 * What of an error text is the provider's own word, and what only repeats the caller's input.
 *
 * A report on the caller's input quotes it, and the quoted text may say anything: "rate limit", "503", "context length exceeded".
 */

/** How a report on the caller's input begins. What follows such a beginning is an echo. */
const VALIDATION_LEAD =
  /\b(?:invalid (?:value|type|format|parameter value|json(?! response)|literal|input value|property|field|enum|argument|arguments|tool)\b|(?:unsupported|unexpected|unknown|unrecognized|additional|missing|duplicate) (?:required )?(?:value|parameter|argument|property|properties|field|key|keys|request argument|keyword|name)\b|input should be|value (?:error|is not)|field required|extra inputs are not permitted|extra fields|additional propert|must (?:match|be one of|be a string|be an? (?:object|array|integer|number|boolean|valid)|have required property|not be (?:empty|null))|should (?:match|be one of|be a valid)|does not match (?:the )?(?:pattern|schema|regex|format|expected)|is not (?:a valid(?! model)|one of|of type|allowed here)|(?:schema|tool|argument|arguments|parameter|input_schema)\w* (?:call )?validation (?:failed|error)|validation (?:failed|errors?) (?:for|in|on)\b|\d{1,4} validation errors?|failed to (?:validate|parse|deserialize) (?:the )?(?:request|input|arguments?|tool|json body|body)|expected (?:a |an )?(?:string|object|array|integer|number|boolean|schema)\b|could not parse (?:your|the) (?:request|tool|arguments?|json)|malformed (?:tool|function|request)|received arguments|(?:cannot|could not|failed to|unable to) (?:parse|deserialize|validate) (?:the )?(?:request|input|argument|message|body|value)|invalid (?:request|input|parameter|params?|argument|message|content|field|property)s?: |unexpected (?:text|content|type|character|item|element|input)\b|(?:parameter|argument|property|field) \S{1,60} (?:must|should|is (?:invalid|required|not))|parameter \S{1,60} (?:has|contains) )/i;

/** Whether a text is a report on the caller's input: its beginning says so. */
export function isValidationReport(text: string): boolean {
  const match = VALIDATION_LEAD.exec(text);
  return match !== null && match.index < 300;
}

/** Names of request fields that belong to the provider's sentence even when it quotes them. */
const FIELD_NAME =
  /^(?:max_(?:completion_|output_|new_|prompt_|model_)?(?:tokens|len)|inputs?|messages?|prompt|tool_use|tool_result|tool_use_id|thinking|redacted_thinking|signature|model|text|temperature|rate_limit|context_length)$/i;

/** Quoted text: double, typographic, back-ticked, or in single quotes that are no apostrophes. */
const QUOTED =
  /"([^"\n]{0,2000})"|“([^”\n]{0,2000})”|`([^`\n]{0,2000})`|(?<![\p{L}\p{N}])'((?:[^'\n]|'(?=\p{L})){0,2000})'(?!\p{L})/gu;

/** Where the value of an input begins in reports that do not quote it. */
const ECHO_LEAD = /(?:\binput_value=|\breceived arguments:|\breceived:|\bgot:|\bactual:|\bvalue:|\bparameters:|\barguments:)/i;

/** Lines of a stack trace: file names and source lines say nothing of what went wrong. */
const STACK_FRAME = /^[ \t>|]{1,12}(?:at |File "|[│|] ).{0,2000}(?:\r?\n[ \t>|]{3,16}(?!File ")\S.{0,2000})?$/gm;

/** The text without the frames of the stack traces in it. */
export function withoutFrames(text: string): string {
  return /traceback|\n[ \t]{1,12}(?:at |File ")/i.test(text) ? text.replace(STACK_FRAME, "").replace(/\n{2,}/g, "\n") : text;
}

/** The text with what it quotes left out: `_` stands for each quoted piece. */
export function withoutEchoes(text: string): string {
  const unquoted = text.replace(QUOTED, (match: string, ...groups: (string | undefined)[]) => {
    const inner = groups.slice(0, 4).find((group) => group !== undefined) ?? "";
    return FIELD_NAME.test(inner) ? inner : match.length > 2 ? "_" : "";
  });
  if (!isValidationReport(unquoted)) return unquoted;
  const echo = ECHO_LEAD.exec(unquoted);
  return echo ? unquoted.slice(0, echo.index + echo[0].length) : unquoted;
}
