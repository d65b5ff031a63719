/** What a person does at the keyboard. */
export type KeyInput =
  /** Typed characters. */
  | { type: "text"; text: string }
  /** A paste, as one piece, whatever is in it. */
  | { type: "paste"; text: string }
  /** A key by name, modifiers first in the order ctrl, alt, shift: `enter`, `ctrl+a`, `alt+enter`, `ctrl+left`. */
  | { type: "key"; name: string };

/** Behind its escape. */
const PASTE_START = "[200~";
const PASTE_END = "\u001b[201~";

/** No sequence of a key is longer; what is, is noise. */
const LONGEST_SEQUENCE = 32;

const BY_LETTER: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  F: "end",
  H: "home",
};

const BY_NUMBER: Readonly<Record<string, string>> = {
  1: "home",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
};

const BY_CODE: Readonly<Record<number, string>> = { 9: "tab", 13: "enter", 27: "escape", 32: "space", 127: "backspace" };

/**
 * Makes keys of what a terminal sends (xterm's sequences, those of kitty and of modifyOtherKeys, bracketed paste). Sequences may
 * arrive in pieces. A single escape is a key only when nothing follows it: `pending` says that it waits, `flush` that nothing came.
 */
export class KeyDecoder {
  #rest = "";
  #paste: string | undefined;

  /** A sequence has begun, and may go on. */
  get pending(): boolean {
    return this.#rest !== "" && this.#paste === undefined;
  }

  push(chunk: string): KeyInput[] {
    this.#rest += chunk;
    const inputs: KeyInput[] = [];
    for (let taken = this.#take(inputs); taken; taken = this.#take(inputs));
    return inputs;
  }

  /** Nothing followed: what waits is taken as it is. */
  flush(): KeyInput[] {
    if (!this.pending) return [];
    const rest = this.#rest.slice(1);
    this.#rest = "";
    return [{ type: "key", name: "escape" }, ...(rest === "" ? [] : this.push(rest))];
  }

  /** Takes the next input off what is there. False when it has to wait for more. */
  #take(inputs: KeyInput[]): boolean {
    if (this.#paste !== undefined) return this.#takePaste(inputs);
    const rest = this.#rest;
    if (rest === "") return false;
    const text = /^\P{Cc}+/u.exec(rest)?.[0];
    if (text !== undefined) {
      this.#rest = rest.slice(text.length);
      inputs.push({ type: "text", text });
      return true;
    }
    if (rest.startsWith("\u001b")) return this.#takeEscape(inputs);
    this.#rest = rest.slice(1);
    inputs.push({ type: "key", name: controlName(rest) });
    return true;
  }

  #takePaste(inputs: KeyInput[]): boolean {
    const end = this.#rest.indexOf(PASTE_END);
    if (end === -1) {
      // The end mark itself may come in pieces.
      const whole = Math.max(0, this.#rest.length - PASTE_END.length + 1);
      this.#paste += this.#rest.slice(0, whole);
      this.#rest = this.#rest.slice(whole);
      return false;
    }
    inputs.push({ type: "paste", text: (this.#paste ?? "") + this.#rest.slice(0, end) });
    this.#paste = undefined;
    this.#rest = this.#rest.slice(end + PASTE_END.length);
    return true;
  }

  #takeEscape(inputs: KeyInput[]): boolean {
    const rest = this.#rest;
    const next = rest[1];
    if (next === undefined) return false;
    if (next === "\u001b") {
      this.#rest = rest.slice(1);
      inputs.push({ type: "key", name: "escape" });
      return true;
    }
    if (next === "[" || next === "O") return this.#takeSequence(inputs);
    const character = String.fromCodePoint(rest.codePointAt(1) ?? 0);
    this.#rest = rest.slice(1 + character.length);
    const name = /\p{Cc}/u.test(character) ? controlName(character) : character;
    inputs.push({ type: "key", name: name.startsWith("ctrl+") ? `ctrl+alt+${name.slice(5)}` : `alt+${name}` });
    return true;
  }

  #takeSequence(inputs: KeyInput[]): boolean {
    const rest = this.#rest;
    const found = /^(?:\[\[[A-E]|\[([0-9;:<=>?]*)[ -/]*([@-~])|O([0-9;]*)([@-~]))/.exec(rest.slice(1));
    if (!found) {
      if (rest.length <= LONGEST_SEQUENCE) return false;
      this.#rest = "";
      return false;
    }
    const [sequence, parameters = found[3] ?? "", final = found[4] ?? ""] = found;
    this.#rest = rest.slice(1 + sequence.length);
    if (sequence === PASTE_START) this.#paste = "";
    else {
      const name = sequence === "OM" ? "enter" : sequenceName(parameters, final);
      if (name !== undefined) inputs.push({ type: "key", name });
    }
    return true;
  }
}

function controlName(text: string): string {
  const code = text.codePointAt(0) ?? 0;
  if (code === 8 || code === 127) return "backspace";
  if (code === 13) return "enter";
  if (code === 9) return "tab";
  // 1 is Ctrl-A, 10 (line feed) is Ctrl-J, 31 is Ctrl-_.
  return code === 0 ? "ctrl+space" : `ctrl+${String.fromCodePoint(code + 64).toLowerCase()}`;
}

function sequenceName(parameters: string, final: string): string | undefined {
  // Reports of a terminal, of its mouse for one, are no keys.
  if (/^[<=>?]/.test(parameters)) return undefined;
  const [first = "", second = "", third = ""] = parameters.split(";");
  if (final === "Z") return "shift+tab";
  if (final === "u") return withModifiers(codeName(Number.parseInt(first, 10)), second);
  if (final === "~")
    return first === "27" ? withModifiers(codeName(Number.parseInt(third, 10)), second) : withModifiers(BY_NUMBER[first], second);
  return withModifiers(BY_LETTER[final], second);
}

function codeName(code: number): string | undefined {
  if (!Number.isInteger(code) || code < 9 || code > 0x10_ffff) return undefined;
  return BY_CODE[code] ?? String.fromCodePoint(code).toLowerCase();
}

/** xterm's modifiers: one more than the sum of 1 for shift, 2 for alt, 4 for ctrl. */
function withModifiers(name: string | undefined, modifiers: string): string | undefined {
  const bits = Math.max(0, (Number.parseInt(modifiers, 10) || 1) - 1);
  return name === undefined ? undefined : `${bits & 4 ? "ctrl+" : ""}${bits & 2 ? "alt+" : ""}${bits & 1 ? "shift+" : ""}${name}`;
}
