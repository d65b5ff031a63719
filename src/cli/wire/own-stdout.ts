import type { Io, Output } from "../io.ts";

/**
 * Keeps stdout for the mode alone: whatever else writes to it, a library with `console.log` for one, is sent to stderr.
 *
 * @returns The io to use instead, and what gives stdout back.
 */
export function ownStdout(io: Io): { io: Io; giveBack: () => void } {
  const { stdout, stderr } = io;
  const write: Output["write"] = stdout.write.bind(stdout);
  const own: Output = Object.create(stdout, { write: { value: write } });
  Object.defineProperty(stdout, "write", { value: stderr.write.bind(stderr), configurable: true, writable: true });
  return { io: { ...io, stdout: own }, giveBack: () => void Reflect.deleteProperty(stdout, "write") };
}
