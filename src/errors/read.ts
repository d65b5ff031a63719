/** Reads a property of whatever was thrown: a getter that throws, or a proxy that refuses, reads as undefined. */
export function read(value: unknown, key: string): unknown {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return undefined;
  try {
    return Reflect.get(value, key);
  } catch {
    return undefined;
  }
}

/** A property that is a string, or undefined. */
export function readString(value: unknown, key: string): string | undefined {
  const property = read(value, key);
  return typeof property === "string" ? property : undefined;
}

/** The first of `keys` that holds a non-empty string. */
export function firstString(value: unknown, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const text = readString(value, key);
    if (text !== undefined && text !== "") return text;
  }
  return undefined;
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** `Array.isArray` throws for a revoked proxy. */
export function isArray(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

/** Whether it is an error: made by this realm, by another one, or only shaped like one. */
export function isErrorLike(value: unknown): value is object {
  if (!isObject(value)) return false;
  try {
    if (value instanceof Error) return true;
  } catch {
    return false;
  }
  return (
    typeof read(value, "message") === "string" &&
    (typeof read(value, "stack") === "string" || typeof read(value, "name") === "string")
  );
}

/** The name people know an error by. SDKs leave `name` at "Error" where only the class says what it is. */
export function nameOf(value: unknown): string {
  if (!isErrorLike(value)) return "";
  const name = readString(value, "name") ?? "";
  if (name !== "" && name !== "Error") return name.slice(0, 100);
  const className = readString(read(value, "constructor"), "name") ?? "";
  return (className === "" || className === "Object" ? name : className).slice(0, 100);
}

/** A whole number from 100 to 599, given as a number or in digits. */
export function statusOf(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) && number >= 100 && number <= 599 ? number : undefined;
}

/** A code as text. Sentences are none. */
export function codeOf(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : undefined;
  return typeof value === "string" && isIdentifier(value) ? value : undefined;
}

/** A word as codes are: no spaces, no quotes. */
export function isIdentifier(text: string): boolean {
  return text.length > 0 && text.length <= 120 && /^[\w.:/#-]+$/.test(text);
}
