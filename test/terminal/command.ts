import { join } from "node:path";
import { onTestFinished } from "vitest";
import { startFaultServer, type FaultReply, type FaultStep } from "../../src/testing/fault-server.ts";
import { Tmux } from "./tmux.ts";

/** What the provider does with one request. */
export interface Play {
  /** Default a good reply, a word at a time. */
  step?: FaultStep;
  reply?: FaultReply;
}

/** A shell in a terminal, in which `agent-session` asks a provider that plays this, request by request. */
export async function commandInTerminal(
  plays: readonly Play[],
  {
    columns = 80,
    rows = 24,
    args = "",
    env = {},
  }: { columns?: number; rows?: number; args?: string; env?: Record<string, string> } = {},
) {
  let played = 0;
  const server = await startFaultServer({
    script: () => plays[played++]?.step ?? "drip:30",
    reply: () => plays[played - 1]?.reply ?? { text: "The script has no more answers." },
  });
  onTestFinished(() => server.close());
  const terminal = new Tmux({ columns, rows, env });
  const root = process.cwd();
  const command = `${process.execPath} ${join(root, "src/cli/bin.ts")} --base-url ${server.url} --api anthropic-messages --model local --tools ${join(root, "test/terminal/tools.mjs")}`;
  terminal.line(`agent() { ${command} ${args} "$@"; }; clear`);
  return { terminal, server };
}
