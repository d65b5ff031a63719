import type { ImageBlock, ThinkingLevel } from "../../model/types.ts";
import type { QueueMode } from "../../session/settings.ts";

/** A command, or a field of it, that cannot be taken. */
export class RpcFieldError extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.name = "RpcFieldError";
    this.field = field;
  }
}

/** Reads the fields of one command. Each reading says what it got and what it takes when they differ. */
export class Fields {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  text(name: string): string {
    const value = this.#values[name];
    if (typeof value !== "string" || value.trim() === "") throw this.#wrong(name, "a string that is not empty");
    return value;
  }

  optionalText(name: string): string | undefined {
    const value = this.#values[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "string") throw this.#wrong(name, "a string, or nothing");
    return value;
  }

  flag(name: string): boolean {
    const value = this.#values[name];
    if (typeof value !== "boolean") throw this.#wrong(name, "true or false");
    return value;
  }

  oneOf<Value extends string>(name: string, values: readonly Value[]): Value {
    const found = values.find((value) => value === this.#values[name]);
    if (found === undefined) throw this.#wrong(name, values.map((value) => JSON.stringify(value)).join(" or "));
    return found;
  }

  optionalOneOf<Value extends string>(name: string, values: readonly Value[]): Value | undefined {
    const value = this.#values[name];
    return value === undefined || value === null ? undefined : this.oneOf(name, values);
  }

  images(name: string): ImageBlock[] {
    const value = this.#values[name];
    if (value === undefined || value === null) return [];
    const accepted = 'a list of images {type: "image", data, mimeType}';
    if (!Array.isArray(value)) throw this.#wrong(name, accepted);
    return value.map((item: unknown, index) => {
      const { data, mimeType }: { data?: unknown; mimeType?: unknown } = Object(item);
      if (typeof data !== "string" || typeof mimeType !== "string")
        throw new RpcFieldError(name, `${name}[${index}] is ${shown(item)}. It takes ${accepted}.`);
      return { type: "image", data, mimeType };
    });
  }

  #wrong(name: string, accepted: string): RpcFieldError {
    const value = this.#values[name];
    return new RpcFieldError(name, `${name} is ${value === undefined ? "missing" : shown(value)}. It takes ${accepted}.`);
  }
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

export const queueModes: readonly QueueMode[] = ["one-at-a-time", "all"];
export const thinkingLevels: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh"];
