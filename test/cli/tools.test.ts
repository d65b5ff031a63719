import { createServer } from "node:http";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { McpServer as ProtocolServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { splitCommandLine } from "../../src/cli/tools/command-line.ts";
import { connectServers, serverOf } from "../../src/cli/tools/mcp.ts";
import type { FaultRequest } from "../../src/testing/fault-server.ts";
import { asking, command, provider, temporaryFolder } from "./harness.ts";

function module(source: string): { cwd: string; path: string } {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "tools.mjs"), source);
  return { cwd, path: "tools.mjs" };
}

const ADD = `{ name: "add", description: "Adds.", parameters: { type: "object", properties: { a: { type: "number" } } }, execute: ({ a }) => "sum " + (a + 1) }`;

describe("tools of a module", () => {
  test.each([
    ["export default", `export default [${ADD}];`],
    ["an export named tools", `export const tools = [${ADD}];`],
  ])("%s: the model calls them", async (_name, source) => {
    const { cwd, path } = module(source);
    const server = await provider([{ reply: { toolCalls: [{ name: "add", arguments: { a: 41 } }] } }, "reply:done"]);
    const { code, out, err } = await command(["-v", "--tools", path, "add"], { ...asking(server), cwd });
    expect(err).toContain('tool add {"a":41}\n');
    expect(err).toContain("tool add done");
    expect(JSON.stringify(server.requests[1]?.body)).toContain("sum 42");
    expect(out).toBe("done\n");
    expect(code).toBe(0);
  });

  test("a tool that ends the run leaves no text: that is told, and no failure", async () => {
    const { cwd, path } = module(
      `export default [{ name: "finish", description: "Ends.", parameters: { type: "object" }, execute: () => ({ content: "over", terminate: true }) }];`,
    );
    const server = await provider([{ reply: { text: "", toolCalls: [{ name: "finish", arguments: {} }] } }]);
    const { code, out, err } = await command(["-q", "--tools", path, "go"], { ...asking(server), cwd });
    expect(out).toBe("");
    expect(err).toBe("the tools ended the run; there is no text.\n");
    expect(code).toBe(0);
  });

  test.each([
    ["a file that is not there", undefined, "There is no tools module tools.mjs (looked for "],
    ["a syntax error", "export default [", "The tools module tools.mjs does not load: "],
    [
      "an error while it loads",
      'throw new Error("no database");',
      "The tools module tools.mjs does not load: Error: no database",
    ],
    [
      "no export of tools",
      "export const other = 1;",
      "The tools module tools.mjs needs a default export, or an export named tools, that is an array of tools; its exports are other.",
    ],
    ["an export that is no array", "export default {};", "that is an array of tools; that is of type object."],
    [
      "a tool without a schema",
      'export default [{ name: "add", description: "Adds.", execute: () => "" }];',
      'The tools module tools.mjs: The tool "add" has no schema in parameters.',
    ],
    ["a tool without a name", 'export default [{ description: "Adds." }];', "The tools module tools.mjs: Tool 1 has no name."],
    ["two tools of one name", `export default [${ADD}, ${ADD}];`, 'Two tools are named "add".'],
  ])("%s is named, and nothing is asked", async (_name, source, message) => {
    const cwd = source === undefined ? temporaryFolder() : module(source).cwd;
    const { code, out, err } = await command(["--demo", "--tools", "tools.mjs", "hi"], { cwd });
    expect(err).toContain(message);
    expect(out).toBe("");
    expect(code).toBe(2);
  });
});

/** An MCP server as a program of its own, over stdio. */
function stdioServer(body: string): string {
  const require = createRequire(import.meta.url);
  const path = (name: string): string =>
    JSON.stringify(require.resolve(`@modelcontextprotocol/sdk/${name}`).replace("/cjs/", "/esm/"));
  const file = join(temporaryFolder(), "files.mjs");
  writeFileSync(
    file,
    `import { McpServer } from ${path("server/mcp.js")};
import { StdioServerTransport } from ${path("server/stdio.js")};
const server = new McpServer({ name: "files", version: "1.0.0" });
${body}
await server.connect(new StdioServerTransport());`,
  );
  return `${JSON.stringify(process.execPath)} ${JSON.stringify(file)}`;
}

const ECHO = `server.registerTool("echo", { description: "Says it again." }, async () => ({ content: [{ type: "text", text: "pid " + process.pid }] }));`;
const DIE = `server.registerTool("die", { description: "Ends." }, async () => process.exit(3));`;
const FAIL = `server.registerTool("fail", { description: "Fails." }, async () => { throw new Error("disk on fire"); });`;

const call = (name: string) => ({ reply: { toolCalls: [{ name, arguments: {} }] } });

function resultsOf(request: FaultRequest | undefined): string {
  return JSON.stringify(request?.body);
}

describe("tools of MCP servers", () => {
  test("over stdio: the tools are named after the server, and the model calls them", async () => {
    const server = await provider([call("files_echo"), "reply:done"]);
    const { code, out, err } = await command(["--mcp", stdioServer(ECHO), "hi"], asking(server));
    expect(err).toContain("tool files_echo {}\n");
    expect(resultsOf(server.requests[1])).toMatch(/pid \d+/);
    expect(out).toBe("done\n");
    expect(code).toBe(0);
  });

  test("a failing tool is an error result, which the model reads", async () => {
    const server = await provider([call("files_fail"), "reply:I see"]);
    const { code, err } = await command(["--mcp", stdioServer(FAIL), "hi"], asking(server));
    expect(err).toContain("tool files_fail failed: disk on fire\n");
    expect(resultsOf(server.requests[1])).toContain("disk on fire");
    expect(code).toBe(0);
  });

  test("a server that dies ends its call, not the session, and is started again for the next one", async () => {
    const server = await provider([call("files_die"), call("files_echo"), "reply:done"]);
    const { code, out, err } = await command(["--mcp", stdioServer(DIE + ECHO), "hi"], asking(server));
    expect(err).toMatch(/tool files_die failed: .*closed/i);
    expect(resultsOf(server.requests[2])).toMatch(/pid \d+/);
    expect(out).toBe("done\n");
    expect(code).toBe(0);
  });

  test("its process ends with the run", async () => {
    const { tools, close } = await connectServers([serverOf(stdioServer(ECHO))], { cwd: temporaryFolder() });
    const said = await tools[0]?.execute({} as never, {
      toolCallId: "1",
      signal: new AbortController().signal,
      update: () => undefined,
    });
    const pid = Number(/pid (\d+)/.exec(JSON.stringify(said))?.[1]);
    expect(process.kill(pid, 0)).toBe(true);
    await close();
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test("over HTTP", async () => {
    const url = await httpServer();
    const server = await provider([call("127_0_0_1_double"), "reply:done"]);
    const { code, err } = await command(["--mcp", url, "hi"], asking(server));
    expect(err).not.toContain("failed");
    expect(code).toBe(0);
    expect(resultsOf(server.requests[1])).toContain("doubled");
  });

  test.each([
    [
      "a program that is not there",
      "no-such-program-here --x",
      "The MCP server no-such-program-here could not be reached: spawn no-such-program-here ENOENT",
    ],
    [
      "a program that speaks no MCP, with its last words",
      `${process.execPath} -e "console.error('cannot find my config'); process.exit(1)"`,
      "It said: cannot find my config",
    ],
    ["a URL where nobody listens", "http://127.0.0.1:9/mcp", "The MCP server 127_0_0_1 could not be reached: "],
    ["a quote that is not closed", 'server "x', "A quote is not closed"],
    ["nothing", " ", '--mcp takes a command line or a URL; got "".'],
  ])("%s is named before anything is asked", async (_name, given, message) => {
    const { code, err } = await command(["--demo", "--mcp", given, "hi"]);
    expect(err).toContain(message);
    expect(code).toBe(2);
  });
});

async function httpServer(): Promise<string> {
  const http = createServer((request, response) => {
    void (async () => {
      const server = new ProtocolServer({ name: "calc", version: "1.0.0" });
      server.registerTool("double", { description: "Doubles.", inputSchema: { a: z.number().optional() } }, () => ({
        content: [{ type: "text", text: "doubled" }],
      }));
      const transport = new StreamableHTTPServerTransport({});
      await server.connect(transport);
      await transport.handleRequest(request, response);
    })();
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => void http.close());
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.each([
  ["server --root /a", ["server", "--root", "/a"]],
  [`server "a b" 'c "d"' e\\ f ""`, ["server", "a b", 'c "d"', "e f", ""]],
  ["  spaced   out ", ["spaced", "out"]],
])("the command line %s is split as a shell does it", (line, words) => {
  expect(splitCommandLine(line)).toEqual(words);
});

test.each([
  ["npx -y @scope/server-files /data", "server-files"],
  ["https://mcp.example.com/sse", "mcp_example_com"],
  ["./bin/my-server.js --fast", "my-server"],
])("the server %s is named %s", (given, name) => {
  expect(serverOf(given)[0]).toBe(name);
});
