import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** What a request says of itself. */
export interface RequestFacts {
  method: string;
  /** Path and query, as sent. */
  url: string;
  headers: IncomingHttpHeaders;
}

export interface OwnAddress {
  port: number;
  token: string;
}

/** Either the path below the token, or the status of an empty answer. */
export type Verdict = { path: string } | { refused: number };

/**
 * Who may see a session: only somebody who was given the address. A page of another origin (another port on this machine
 * included) cannot read an answer, send a command, or even learn that something is here.
 *
 * - Host has to be this server: a name that someone else's DNS points here is refused.
 * - Origin, when sent, has to be this server; a command has to send it.
 * - Sec-Fetch-Site, which every browser sends, has to be this server or a person's own doing: that refuses scripts, images and
 *   frames of other pages, which carry no Origin.
 * - The path has to begin with the token.
 */
export function admit({ method, url, headers }: RequestFacts, { port, token }: OwnAddress): Verdict {
  const { host, origin } = headers;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return { refused: 421 };
  if (origin !== undefined && origin !== `http://${host}`) return { refused: 403 };
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return { refused: 403 };
  const [path = ""] = url.split("?", 1);
  const [, given = "", ...rest] = path.split("/");
  if (!equal(given, token)) return { refused: 404 };
  if (method === "POST") return origin === undefined ? { refused: 403 } : { path: rest.join("/") };
  return method === "GET" || method === "HEAD" ? { path: rest.join("/") } : { refused: 405 };
}

/** In a time that does not tell how much of it was right. */
function equal(given: string, token: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Sent with every answer. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cache-control": "no-store",
};
