/** What the text of a tool call's arguments says: an object, or why it is none. */
export interface ParsedArguments {
  arguments: Record<string, unknown>;
  argumentsError?: string;
}

const SHOWN_CHARACTERS = 500;

/**
 * Parses the arguments of a complete tool call. Models write raw control characters and wrong escapes into strings: those
 * are repaired, nothing else. Text that is no JSON object gives `{}` and the reason, so that the model can be told.
 */
export function parseArguments(json: string): ParsedArguments {
  if (json.trim() === "") return { arguments: {} };
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    try {
      value = JSON.parse(repairStrings(json));
    } catch {
      return { arguments: {}, argumentsError: `${error instanceof Error ? error.message : String(error)}: ${shown(json)}` };
    }
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { arguments: {}, argumentsError: `The arguments are no JSON object: ${shown(json)}` };
  }
  return { arguments: { ...value } };
}

const shown = (text: string): string => (text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);

const STRING = /"(?:[^"\\]|\\[^])*"/g;

/** Escapes control characters and doubles backslashes that begin no JSON escape, inside strings only. */
function repairStrings(json: string): string {
  return json.replace(STRING, (string) =>
    string
      .replace(/\\(u[0-9a-fA-F]{4}|["\\/bfnrt])|\\/g, (match, escape: string | undefined) =>
        escape === undefined ? "\\\\" : match,
      )
      // oxlint-disable-next-line no-control-regex
      .replace(/[\u0000-\u001f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}
