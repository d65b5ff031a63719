import type { Mode, RunMode } from "./run-context.ts";

/** What serves each mode; loaded when it is asked for. */
export const modes: Readonly<Partial<Record<Mode, () => Promise<RunMode>>>> = {
  text: async () => (await import("./print/print.ts")).runPrint,
};
