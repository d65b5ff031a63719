/** What a script has wrong: a step it names, or what it gives the step. Says what was written and what is taken. */
export class FaultScriptError extends Error {
  override readonly name = "FaultScriptError";
}

/** The words of one step after its name, as in `cut:half:rst`: read in order, each optional. */
export class StepArguments {
  readonly #step: string;
  readonly #words: string[];

  constructor(step: string, words: readonly string[]) {
    this.#step = step;
    this.#words = [...words];
  }

  /** A whole number from `least` to `most`. */
  integer(what: string, otherwise: number, least = 0, most = 1_000_000): number {
    const word = this.#words.shift();
    if (word === undefined) return otherwise;
    const value = Number(word);
    if (/^\d+$/u.test(word) && value >= least && value <= most) return value;
    throw this.#wrong(what, word, `a whole number from ${least} to ${most}`);
  }

  oneOf<T extends string>(what: string, choices: readonly T[], otherwise: T): T {
    const word = this.#words.shift();
    if (word === undefined) return otherwise;
    const choice = choices.find((candidate) => candidate === word);
    if (choice === undefined) throw this.#wrong(what, word, choices.join(", "));
    return choice;
  }

  /** A word by `parse`, which returns undefined for what it does not take. */
  parsed<T>(what: string, takes: string, parse: (word: string) => T | undefined, otherwise: T): T {
    const word = this.#words.shift();
    if (word === undefined) return otherwise;
    const value = parse(word);
    if (value === undefined) throw this.#wrong(what, word, takes);
    return value;
  }

  /** Everything that is left, colons included. */
  text(otherwise: string): string {
    return this.#words.length === 0 ? otherwise : this.#words.splice(0).join(":");
  }

  /** @throws FaultScriptError when words are left that nothing has read. */
  end(): void {
    if (this.#words.length === 0) return;
    throw new FaultScriptError(`step "${this.#step}": nothing is known to do with "${this.#words.join(":")}"`);
  }

  #wrong(what: string, word: string, takes: string): FaultScriptError {
    return new FaultScriptError(`step "${this.#step}": ${what} takes ${takes}; got "${word}"`);
  }
}
