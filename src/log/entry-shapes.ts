import type { Entry, SessionHeader } from "./types.ts";

type Fields = Record<string, unknown>;

const isText = (value: unknown): value is string => typeof value === "string";
const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
/** Text, blocks, or nothing: missing content is shown as empty. */
function isContent(value: unknown): boolean {
  if (value === null || value === undefined || typeof value === "string") return true;
  if (!Array.isArray(value)) return false;
  for (const block of value) if (!isFields(block)) return false;
  return true;
}

/** What the entries of each known type must have so that they can be used. A type that is not here is kept as it is. */
const REQUIRED: Record<Entry["type"], (fields: Fields) => boolean> = {
  message: ({ message }) => isFields(message) && isText(message.role) && isContent(message.content),
  context_edit: ({ targetId, replacement }) =>
    isText(targetId) && (replacement === null || (isFields(replacement) && isContent(replacement.content))),
  compaction: ({ summary, firstKeptEntryId }) => isText(summary) && isText(firstKeptEntryId),
  model_change: ({ provider, modelId }) => isText(provider) && isText(modelId),
  thinking_level_change: ({ thinkingLevel }) => isText(thinkingLevel),
  branch_summary: ({ summary }) => isText(summary),
  custom: ({ customType }) => isText(customType),
  custom_message: ({ customType, content }) => isText(customType) && isContent(content),
  label: ({ targetId, label }) => isText(targetId) && (label === undefined || label === null || isText(label)),
  session_info: ({ name }) => name === undefined || name === null || isText(name),
};

/** True for a header of any version; the oldest have no version and no working directory. */
export function isHeader(value: unknown): value is Partial<SessionHeader> & Pick<SessionHeader, "type" | "id"> {
  if (!isFields(value) || value.type !== "session" || !isText(value.id)) return false;
  const { version, timestamp, cwd, parentSession } = value;
  if (version !== undefined && typeof version !== "number") return false;
  return [timestamp, cwd, parentSession].every((field) => field === undefined || isText(field));
}

export function isKnownType(type: string): type is Entry["type"] {
  return Object.hasOwn(REQUIRED, type);
}

/** True for an entry of the tree: one of a known type that has what it needs, or one of a type nothing is known of. */
export function isEntry(value: unknown): value is Entry {
  if (!isFields(value) || !isText(value.type) || value.type === "session") return false;
  if (!isText(value.id) || value.id === "" || !isText(value.timestamp)) return false;
  if (value.parentId !== null && !isText(value.parentId)) return false;
  return !isKnownType(value.type) || REQUIRED[value.type](value);
}
