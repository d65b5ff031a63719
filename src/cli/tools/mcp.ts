import { basename } from "node:path";
import type { AnyTool } from "../../agent/types.ts";
import type { Io } from "../io.ts";
import { missingPackage } from "../models/create-model.ts";
import type { McpServerEntry } from "../settings/command-settings.ts";
import { UsageError } from "../usage-error.ts";
import { splitCommandLine } from "./command-line.ts";
import { McpServer } from "./mcp-server.ts";
import type { OpenTools } from "./open-tools.ts";

/** A server of the command line (`--mcp`): a URL, or a command. It is named after its host or program. @throws UsageError */
export function serverOf(given: string): [name: string, entry: McpServerEntry] {
  if (/^https?:\/\//.test(given)) {
    if (!URL.canParse(given)) throw new UsageError(`--mcp ${given} is no URL.`);
    return [nameFrom(new URL(given).hostname), { url: given }];
  }
  const [command, ...args] = splitCommandLine(given);
  if (command === undefined) throw new UsageError('--mcp takes a command line or a URL; got "".');
  // `npx -y @scope/server-files` is best named after the package.
  const runner = /^(?:npx|bunx|uvx|pnpx|node|python3?|deno|docker)$/.test(basename(command));
  const named = runner ? (args.find((arg) => !arg.startsWith("-") && arg !== "run") ?? command) : command;
  return [nameFrom(basename(named).replace(/\.[cm]?[jt]s$|\.py$/, "")), { command, args }];
}

function nameFrom(text: string): string {
  return (
    text
      .replaceAll(/[^\w-]+/g, "_")
      .replaceAll(/^_+|_+$/g, "")
      .slice(0, 40) || "mcp"
  );
}

/** Connects to all servers at once. @throws UsageError naming the server that cannot be reached; none is left running then */
export async function connectServers(
  entries: readonly (readonly [string, McpServerEntry])[],
  io: Pick<Io, "cwd">,
): Promise<OpenTools> {
  const servers = entries.map(([name, entry]) => new McpServer(name, entry, io.cwd));
  const close = async (): Promise<void> => void (await Promise.allSettled(servers.map((server) => server.close())));
  const listed = await Promise.allSettled(servers.map((server) => server.tools()));
  const tools: AnyTool[] = [];
  for (const result of listed) {
    if (result.status === "fulfilled") tools.push(...result.value);
    else {
      await close();
      throw problemOf(result.reason);
    }
  }
  return { tools, close };
}

function problemOf(reason: unknown): Error {
  const missing = missingPackage(reason, "@modelcontextprotocol/sdk", "An MCP server");
  if (missing) return missing;
  return reason instanceof Error ? new UsageError(reason.message, { cause: reason }) : new UsageError(String(reason));
}
