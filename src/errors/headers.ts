import { isArray, read } from "./read.ts";

/** Headers come as `Headers`, as a Map, or as an object with names in any case. */
export function headerReader(headers: object): (name: string) => string | undefined {
  const get = read(headers, "get");
  if (typeof get === "function") {
    return (name) => {
      try {
        const value: unknown = Reflect.apply(get, headers, [name]);
        return typeof value === "string" ? value : undefined;
      } catch {
        return undefined;
      }
    };
  }
  const lower = new Map<string, string>();
  try {
    for (const key of Object.keys(headers).slice(0, 200)) {
      const value = read(headers, key);
      if (typeof value === "string") lower.set(key.toLowerCase(), value);
      else if (isArray(value) && typeof value[0] === "string") lower.set(key.toLowerCase(), value[0]);
    }
  } catch {
    return () => undefined;
  }
  return (name) => lower.get(name);
}
