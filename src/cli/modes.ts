import type { Mode, RunMode } from "./run-context.ts";

/** What serves each mode; loaded when it is asked for. */
export const modes: Readonly<Record<Mode, () => Promise<RunMode>>> = {
  json: async () => (await import("./json/json.ts")).runJson,
  interactive: async () => (await import("./interactive/interactive.ts")).runInteractive,
  rpc: async () => (await import("./rpc/rpc.ts")).runRpc,
  text: async () => (await import("./print/print.ts")).runPrint,
};
