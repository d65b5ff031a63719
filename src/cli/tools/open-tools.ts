import type { AnyTool } from "../../agent/types.ts";
import type { Io } from "../io.ts";
import type { McpServerEntry } from "../settings/command-settings.ts";
import { UsageError } from "../usage-error.ts";
import { loadTools } from "./load-module.ts";

export interface ToolSources {
  /** Paths of modules. */
  modules: readonly string[];
  /** MCP servers of the settings, by name. */
  servers: Readonly<Record<string, McpServerEntry>>;
  /** MCP servers of the command line: a command line or a URL each. */
  mcp: readonly string[];
}

export interface OpenTools {
  tools: readonly AnyTool[];
  /** Ends the servers behind them. */
  close: () => Promise<void>;
}

/** All tools of a run. @throws UsageError naming the source that fails; no server is left running then */
export async function openTools({ modules, servers, mcp }: ToolSources, io: Pick<Io, "cwd">): Promise<OpenTools> {
  const tools = (await Promise.all(modules.map((path) => loadTools(path, io.cwd)))).flat();
  const served = await openServers(servers, mcp, io);
  const all = [...tools, ...served.tools];
  const twice = all.find(({ name }, index) => all.findIndex((other) => other.name === name) < index);
  if (!twice) return { tools: all, close: served.close };
  await served.close();
  throw new UsageError(`Two of the tools are named "${twice.name}". Leave one of their sources out, or rename one.`);
}

async function openServers(servers: ToolSources["servers"], mcp: readonly string[], io: Pick<Io, "cwd">): Promise<OpenTools> {
  if (mcp.length === 0 && Object.keys(servers).length === 0) return { tools: [], close: () => Promise.resolve() };
  const { connectServers, serverOf } = await import("./mcp.ts");
  return connectServers([...Object.entries(servers), ...mcp.map(serverOf)], io);
}
