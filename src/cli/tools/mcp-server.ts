import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { CallToolResult, Tool as McpTool } from "@modelcontextprotocol/sdk/types.js";
import type { AnyTool, ToolContext, ToolOutput } from "../../agent/types.ts";
import type { UserContent } from "../../model/types.ts";
import type { McpServerEntry } from "../settings/command-settings.ts";
import { version } from "../version.ts";

/** Tools have their own time limit (`tools.timeoutMs`); the client insists on one too. */
const NO_LIMIT_MS = 2_147_483_647;

/** What of a server's stderr is kept, to say why it ended. */
const STDERR_CHARACTERS = 2_000;

interface Connection {
  client: Client;
  open: boolean;
}

/**
 * One MCP server. A call on a connection that has ended connects anew first, so that a server which died is started again when it
 * is needed; whatever fails then is thrown to the agent, which makes an error result of it.
 */
export class McpServer {
  readonly name: string;
  readonly #entry: McpServerEntry;
  readonly #cwd: string;
  #connection: Promise<Connection> | undefined;
  #stderr = "";
  #closed = false;

  constructor(name: string, entry: McpServerEntry, cwd: string) {
    this.name = name;
    this.#entry = entry;
    this.#cwd = cwd;
  }

  /** Connects, and lists the tools. @throws when the server does not start or does not speak the protocol */
  async tools(): Promise<AnyTool[]> {
    const { client } = await this.#connected();
    const tools: McpTool[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await client.listTools(cursor === undefined ? {} : { cursor });
      tools.push(...page.tools);
      cursor = page.nextCursor;
      if (cursor === undefined) return tools.map((tool) => this.#toolOf(tool));
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.client.close();
  }

  /** The last that a started server said on stderr. */
  get lastWords(): string {
    return this.#stderr.trim();
  }

  #toolOf({ name, description, inputSchema, annotations }: McpTool): AnyTool {
    // Servers say which draft their schema is of, mostly an old one; the keywords in use mean the same in all of them.
    const { $schema: _, ...parameters } = inputSchema;
    return {
      name: `${this.name}_${name}`.replaceAll(/[^\w.-]/g, "_").slice(0, 128),
      description: description?.trim() || annotations?.title || `The tool ${name} of the MCP server ${this.name}.`,
      parameters,
      idempotent: annotations?.idempotentHint === true || annotations?.readOnlyHint === true,
      execute: (args, context) => this.#call(name, args, context),
    };
  }

  async #call(name: string, args: Record<string, unknown>, context: ToolContext): Promise<ToolOutput> {
    const { CallToolResultSchema } = await import("@modelcontextprotocol/sdk/types.js");
    const { client } = await this.#connected();
    const result = await client.callTool({ name, arguments: args }, undefined, {
      signal: context.signal,
      timeout: NO_LIMIT_MS,
      onprogress: ({ message, progress, total }) =>
        context.update(message ?? `${progress}${total === undefined ? "" : ` of ${total}`}`),
    });
    // Servers of the first protocol version answer with `toolResult`.
    return "content" in result ? outputOf(CallToolResultSchema.parse(result)) : JSON.stringify(result);
  }

  async #connected(): Promise<Connection> {
    if (this.#closed) throw new Error(`The MCP server ${this.name} was closed.`);
    const existing = await this.#connection?.catch(() => undefined);
    if (existing?.open) return existing;
    this.#connection = this.#connect();
    return this.#connection;
  }

  async #connect(): Promise<Connection> {
    const { Client: McpClient } = await import("@modelcontextprotocol/sdk/client/index.js");
    const client = new McpClient({ name: "agent-session", version: version() });
    const connection = { client, open: true };
    Object.assign(client, {
      onclose: () => {
        connection.open = false;
      },
    });
    try {
      await client.connect(await this.#transport());
    } catch (error) {
      await client.close().catch(() => undefined);
      const words = this.lastWords;
      const text = error instanceof Error ? error.message : String(error);
      throw new Error(`The MCP server ${this.name} could not be reached: ${text}${words === "" ? "" : `\nIt said: ${words}`}`, {
        cause: error,
      });
    }
    return connection;
  }

  async #transport(): Promise<Transport> {
    const entry = this.#entry;
    if ("url" in entry) {
      const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
      const transport = new StreamableHTTPClientTransport(
        new URL(entry.url),
        entry.headers ? { requestInit: { headers: entry.headers } } : {},
      );
      return transport;
    }
    const { getDefaultEnvironment, StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const { command, args = [], env = {}, cwd = this.#cwd } = entry;
    const transport = new StdioClientTransport({
      command,
      args,
      cwd,
      env: { ...getDefaultEnvironment(), ...env },
      stderr: "pipe",
    });
    this.#stderr = "";
    transport.stderr?.on("data", (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString("utf8")).slice(-STDERR_CHARACTERS);
    });
    return transport;
  }
}

/** A server's answer as a tool's: text and images as they are, of everything else what can be said in text. */
function outputOf({ content, structuredContent, isError }: CallToolResult): ToolOutput {
  const blocks = content.map((block): UserContent => {
    switch (block.type) {
      case "text":
        return { type: "text", text: block.text };
      case "image":
        return { type: "image", data: block.data, mimeType: block.mimeType };
      case "audio":
        return { type: "text", text: `[audio, ${block.mimeType}, not shown]` };
      case "resource_link":
        return { type: "text", text: `[resource ${block.uri}: ${block.name}]` };
      case "resource":
        return {
          type: "text",
          text: "text" in block.resource ? block.resource.text : `[resource ${block.resource.uri}, not text]`,
        };
    }
  });
  if (blocks.length === 0 && structuredContent !== undefined)
    blocks.push({ type: "text", text: JSON.stringify(structuredContent) });
  return {
    content: blocks,
    isError: isError === true,
    ...(structuredContent === undefined ? {} : { details: structuredContent }),
  };
}
