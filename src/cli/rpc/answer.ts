import { didYouMean } from "../close-matches.ts";
import { usageMessage } from "../usage-error.ts";
import { isRpcCommand, rpcCommands } from "./commands.ts";
import { Fields, RpcFieldError } from "./fields.ts";
import type { SessionHolder } from "./session-holder.ts";
import type { RpcResponse } from "./types.ts";

/** Runs the command of one line. It never rejects: whatever is wrong becomes an error response. */
export async function answer(line: string, holder: SessionHolder): Promise<RpcResponse> {
  const command = parsed(line);
  if (typeof command === "string") return errorResponse("parse", command);
  const id = typeof command["id"] === "string" ? command["id"] : undefined;
  const { type } = command;
  if (typeof type !== "string")
    return errorResponse(
      "parse",
      `type is ${type === undefined ? "missing" : JSON.stringify(type)}. It takes the name of a command.`,
      id,
      "type",
    );
  if (command["id"] !== undefined && id === undefined)
    return errorResponse(type, `id is ${JSON.stringify(command["id"])}. It takes a string.`, undefined, "id");
  if (!isRpcCommand(type)) return errorResponse(type, unknownCommand(type), id, "type");
  try {
    const data = await rpcCommands[type](holder, new Fields(command));
    return { ...withId(id), type: "response", command: type, success: true, ...(data === undefined ? {} : { data }) };
  } catch (error) {
    return errorResponse(type, messageOf(error), id, error instanceof RpcFieldError ? error.field : undefined);
  }
}

export function errorResponse(command: string, error: string, id?: string, field?: string): RpcResponse {
  return { ...withId(id), type: "response", command, success: false, error, ...(field === undefined ? {} : { field }) };
}

function withId(id: string | undefined): { id?: string } {
  return id === undefined ? {} : { id };
}

/** The command, or what is wrong with the line. */
function parsed(line: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
    return "The line is no JSON object. A command is one object on one line, with a type.";
  } catch (error) {
    return `The line is no JSON: ${messageOf(error)}`;
  }
}

function unknownCommand(type: string): string {
  const names = Object.keys(rpcCommands);
  return `Unknown command: ${type}.${didYouMean(type, names)} The commands are ${names.join(", ")}.`;
}

function messageOf(error: unknown): string {
  return usageMessage(error) ?? (error instanceof Error ? error.message : String(error));
}
