/** Makes ids unique, and of the shape a provider takes. An id that is fine already and new stays as it is. */
export class IdShaper {
  readonly #pattern: RegExp;
  readonly #maxLength: number;
  readonly #used = new Set<string>();

  /** @param pattern A single character that an id may not hold, as a global expression. */
  constructor(pattern: RegExp, maxLength: number) {
    this.#pattern = pattern;
    this.#maxLength = maxLength;
  }

  next(id: string): string {
    const shaped = id.replace(this.#pattern, "_").slice(0, this.#maxLength) || "call";
    let unique = shaped;
    for (let number = 2; this.#used.has(unique); number++) {
      const suffix = `_${number}`;
      unique = shaped.slice(0, this.#maxLength - suffix.length) + suffix;
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
    this.#ids = new IdShaper(FOREIGN_NAME_CHARACTER, maxLength);
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
