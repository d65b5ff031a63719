import type { IncomingMessage } from "node:http";
import type { FaultRequest } from "./exchange.ts";
import { isObject } from "./exchange.ts";
import { formatAt } from "./formats/index.ts";
import { STEP_PARAMETER } from "./script.ts";

/** Reads a request whole. Rejects when the client leaves before its end. */
export async function readRequest(message: IncomingMessage): Promise<Omit<FaultRequest, "n" | "at">> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of message) chunks.push(chunk);
  const body = parse(Buffer.concat(chunks).toString("utf8"));
  const { pathname, searchParams } = new URL(message.url ?? "/", "http://127.0.0.1");
  // A client that follows a redirect to a step may come with GET.
  const posted = message.method === "POST" || searchParams.has(STEP_PARAMETER);
  return {
    method: message.method ?? "",
    path: message.url ?? "/",
    headers: message.headers,
    body,
    format: posted ? formatAt(pathname)?.name : undefined,
    stream: isObject(body) && body.stream === true,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
