import { styleText } from "node:util";
import type { Io, Output } from "./io.ts";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** Puts text in colour, where the stream is a terminal that shows them and `NO_COLOR` (https://no-color.org) is not set. */
export type Styler = (style: Style, text: string) => string;

export function stylerFor(stream: Output, env: Io["env"]): Styler {
  const colours = stream.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  return (style, text) => (colours ? styleText(style, text, { validateStream: false }) : text);
}
