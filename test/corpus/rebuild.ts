/** An error as the corpus keeps it: what was thrown, in JSON. */
export interface ThrownRecord {
  class?: string;
  name?: string;
  message?: string;
  cause?: ThrownRecord;
  /** A body, as JSON text. */
  error?: string;
  nonError?: unknown;
  [property: string]: unknown;
}

const STRUCTURE = new Set(["class", "name", "message", "cause", "error", "observed_before", "nonError", "typeof"]);

/** The error object that was thrown: its class by name, its own properties, and its whole chain of causes. */
export function rebuild(record: ThrownRecord): unknown {
  if ("nonError" in record) return record.nonError;
  const error = instance(record);
  for (const [key, value] of Object.entries(record)) {
    if (!STRUCTURE.has(key))
      Object.defineProperty(error, key, {
        value: key === "headers" ? new Headers(value as Record<string, string>) : value,
        enumerable: true,
        writable: true,
      });
  }
  if (record.error !== undefined)
    Object.defineProperty(error, "error", { value: JSON.parse(record.error) as unknown, enumerable: true });
  if (record.cause) Object.defineProperty(error, "cause", { value: rebuild(record.cause) });
  return error;
}

const BUILT_IN: Readonly<Record<string, ErrorConstructor>> = { Error, TypeError, SyntaxError, RangeError };

function instance(record: ThrownRecord): Error {
  const message = record.message ?? "";
  const className = record.class ?? "Error";
  if (className === "DOMException") return new DOMException(message, record.name);
  const Known = BUILT_IN[className];
  if (Known) return new Known(message);
  // The SDKs' classes keep the name "Error"; only the class tells what they are.
  const Named = { [className]: class extends Error {} }[className] ?? Error;
  const error = new Named(message);
  if (record.name !== undefined) error.name = record.name;
  return error;
}
