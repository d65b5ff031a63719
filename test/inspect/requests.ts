import { request, type IncomingHttpHeaders } from "node:http";
import type { TraceRecord } from "../../src/inspect/index.ts";

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** One request with exactly these headers, as no browser and no `fetch` would let one send. */
export function send(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method = "GET", headers = {}, body } = options;
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Reads server-sent events until `enough`, then hangs up. */
export function listen(
  url: string,
  enough: (events: { event: string; data: unknown }[]) => boolean,
): Promise<{ event: string; data: unknown }[]> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        const events = text.split("\n\n").slice(0, -1).flatMap(parse);
        if (!enough(events)) return;
        sent.destroy();
        resolve(events);
      });
      response.on("close", () => reject(new Error(`The stream ended early: ${text.slice(0, 200)}`)));
    });
    sent.on("error", reject);
    sent.end();
  });
}

/** The records of one session among what a page was told. */
export function recordsOf(events: readonly { event: string; data: unknown }[], session: string): TraceRecord[] {
  return events.flatMap(({ event, data }) => {
    const { session: key, records } = data as { session?: string; records?: TraceRecord[] };
    return event === "records" && key === session ? (records ?? []) : [];
  });
}

function parse(block: string): { event: string; data: unknown }[] {
  const event = /^event: (.*)$/m.exec(block)?.[1];
  const data = /^data: (.*)$/m.exec(block)?.[1];
  return event === undefined || data === undefined ? [] : [{ event, data: JSON.parse(data) as unknown }];
}
