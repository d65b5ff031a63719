/** The ids a provider takes. */
export interface IdShape {
  /** A character that an id may not hold, as a global expression. */
  foreign: RegExp;
  maxLength: number;
  /** Default 1. */
  minLength?: number;
}

/** Makes ids unique, and of the shape a provider takes. An id that is fine already and new stays as it is. */
export class IdShaper {
  readonly #shape: IdShape;
  /** Stands for a foreign character, and before a number: nothing, where `_` is foreign itself. */
  readonly #filler: string;
  readonly #used = new Set<string>();

  constructor(shape: IdShape) {
    this.#shape = shape;
    this.#filler = "_".replace(shape.foreign, "");
  }

  next(id: string): string {
    const { foreign, maxLength, minLength = 1 } = this.#shape;
    const shaped = (id.replace(foreign, this.#filler) || "call").slice(0, maxLength).padEnd(minLength, "0");
    let unique = shaped;
    for (let number = 2; this.#used.has(unique); number++) {
      const suffix = `${this.#filler}${number}`;
      unique = shaped.slice(0, maxLength - suffix.length) + suffix;
    }
    this.#used.add(unique);
    return unique;
  }
}

const FOREIGN_NAME_CHARACTER = /[^A-Za-z0-9_-]/g;

/**
 * Tool names as a provider takes them (letters, digits, `_` and `-`), and back. The names of the tools that are declared are
 * shaped first, so that they keep theirs where they can.
 */
export class ToolNames {
  readonly #ids: IdShaper;
  readonly #sent = new Map<string, string>();
  readonly #original = new Map<string, string>();

  constructor(declared: readonly string[], maxLength: number) {
    this.#ids = new IdShaper({ foreign: FOREIGN_NAME_CHARACTER, maxLength });
    for (const name of declared) this.sent(name);
  }

  sent(name: string): string {
    let sent = this.#sent.get(name);
    if (sent === undefined) {
      sent = this.#ids.next(name === "" ? "tool" : name);
      this.#sent.set(name, sent);
      this.#original.set(sent, name);
    }
    return sent;
  }

  /** The name behind one that the model used; a name nobody sent is left as it is. */
  original(sent: string): string {
    return this.#original.get(sent) ?? sent;
  }
}
