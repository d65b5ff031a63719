import { ScriptedServer } from "./fault-server/scripted-server.ts";
import type { FaultServer, FaultServerOptions } from "./fault-server/scripted-server.ts";

export { FaultScriptError } from "./fault-server/arguments.ts";
export type { FaultRequest } from "./fault-server/exchange.ts";
export type { Fault, FaultExample, Meaning } from "./fault-server/fault.ts";
export { faults } from "./fault-server/faults/index.ts";
export type { WireFormatName } from "./fault-server/formats/wire-format.ts";
export type { FaultReply, FaultReplyToolCall, FaultReplyUsage } from "./fault-server/reply.ts";
export type { FaultServer, FaultServerOptions } from "./fault-server/scripted-server.ts";
export type { AfterScript, FaultScript, FaultStep } from "./fault-server/script.ts";

/**
 * Starts a server on 127.0.0.1 that speaks Anthropic Messages, OpenAI Chat Completions and OpenAI Responses, and fails the
 * way its script says. Every request gets its own connection, so that each fault hits one request. A request can also name
 * its step itself, in the query: `POST /v1/messages?fault-step=status:529` takes none from the script.
 *
 *     const server = await startFaultServer({ script: ["status:529", "cut:half:rst", { reply: { text: "hello" } }] });
 *
 * @throws FaultScriptError when the script has a step it does not know.
 */
export async function startFaultServer(options: FaultServerOptions = {}): Promise<FaultServer> {
  const server = new ScriptedServer(options);
  await server.start();
  return server;
}
