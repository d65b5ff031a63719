import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { admit } from "../../src/inspect/guard.ts";
import { createInspector, type Inspector } from "../../src/inspect/index.ts";
import { listen, send } from "./requests.ts";
import { stage } from "./sessions.ts";

let inspector: Inspector;
let controlled: Inspector;
const { session } = stage(["Hello."]);

beforeAll(async () => {
  inspector = await createInspector();
  controlled = await createInspector({ control: true });
  inspector.attach(session);
  controlled.attach(session);
});
afterAll(() => Promise.all([inspector.close(), controlled.close()]));

const paths = ["", "events", "style.css", "page/main.ts", "view/records.ts"];
const wrongs: [string, (url: URL) => { url?: URL; headers?: Record<string, string> }][] = [
  ["a wrong token", (url) => ({ url: new URL(url.href.replace(/[^/]{32}/, "x".repeat(32))) })],
  ["no token", (url) => ({ url: new URL(url.pathname.split("/").slice(2).join("/"), url.origin) })],
  ["half of the token", (url) => ({ url: new URL(url.href.replace(/([^/]{16})[^/]{16}/, "$1")) })],
  ["a foreign Host", () => ({ headers: { host: "inspector.example.com" } })],
  ["a Host with this port but another name", (url) => ({ headers: { host: `rebound.example.com:${url.port}` } })],
  ["another origin", () => ({ headers: { origin: "https://example.com" } })],
  ["a page on another port of this machine", () => ({ headers: { origin: "http://127.0.0.1:9" } })],
  ["the origin null of a sandboxed frame", () => ({ headers: { origin: "null" } })],
  [
    "a script, image or frame of a page on another port",
    () => ({ headers: { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" } }),
  ],
  ["a link on a page elsewhere", () => ({ headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" } })],
];

describe("gets nothing, not even a sign that something is here", () => {
  test.each(wrongs)("%s", async (_name, wrong) => {
    for (const path of paths) {
      const url = new URL(path, inspector.url);
      const { url: asked = url, headers = {} } = wrong(url);
      const answer = await send(asked.href, { headers });
      expect([403, 404, 421]).toContain(answer.status);
      expect(answer.body).toBe("");
      expect(Object.keys(answer.headers)).not.toContain("access-control-allow-origin");
    }
  });

  test.each(["PUT", "DELETE", "OPTIONS", "PATCH"])("the method %s", async (method) => {
    expect(await send(inspector.url, { method })).toMatchObject({ status: 405, body: "" });
  });

  test("a path outside the page", async () => {
    for (const path of ["../package.json", "..%2f..%2fpackage.json", "page/../inspector.ts", "inspector.ts", "page/", "view"]) {
      expect(await send(`${inspector.url}${path}`)).toMatchObject({ status: 404, body: "" });
    }
  });
});

describe("a command", () => {
  const abort = JSON.stringify({ session: "1", action: "abort" });
  const own = (target: Inspector) => ({ origin: new URL(target.url).origin });

  test("is refused when control is off", async () => {
    expect(await send(`${inspector.url}control`, { method: "POST", headers: own(inspector), body: abort })).toMatchObject({
      status: 403,
      body: "",
    });
  });

  test("has to come from the page itself: without its origin, or from another, it is refused", async () => {
    const origins: Record<string, string>[] = [{}, { origin: "http://127.0.0.1:9" }, { origin: "null" }, own(inspector)];
    for (const headers of origins) {
      expect(await send(`${controlled.url}control`, { method: "POST", headers, body: abort })).toMatchObject({
        status: 403,
        body: "",
      });
    }
    expect(await send(`${controlled.url}control`, { method: "POST", headers: own(controlled), body: abort })).toMatchObject({
      status: 200,
    });
  });

  test("that is none, or for no session, is refused", async () => {
    const ask = (body: string) => send(`${controlled.url}control`, { method: "POST", headers: own(controlled), body });
    for (const body of [
      "",
      "{",
      "[]",
      "{}",
      '{"session":"1","action":"dispose"}',
      '{"session":"1","action":"steer"}',
      '{"session":1,"action":"abort"}',
    ]) {
      expect(await ask(body)).toMatchObject({ status: 400, body: "" });
    }
    expect(await ask('{"session":"9","action":"abort"}')).toMatchObject({ status: 404 });
    expect(await ask(JSON.stringify({ session: "1", action: "steer", text: "x".repeat(2_000_000) }))).toMatchObject({
      status: 413,
    });
  });

  test("that the session refuses says why", async () => {
    const answer = await send(`${controlled.url}control`, {
      method: "POST",
      headers: own(controlled),
      body: '{"session":"1","action":"steer","text":" "}',
    });
    expect(answer).toMatchObject({ status: 409 });
    expect(answer.body).toContain("prompt is empty");
  });
});

describe("the page", () => {
  test("comes with a policy that lets it load from here alone, and run nothing written into it", async () => {
    const { headers, body } = await send(inspector.url);
    const policy = headers["content-security-policy"] ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
    expect(headers["referrer-policy"]).toBe("no-referrer");
    expect(headers["cross-origin-resource-policy"]).toBe("same-origin");
    expect(headers["cache-control"]).toBe("no-store");
    expect(body).not.toMatch(/<script(?![^>]* src=)|style=|\son\w+=|https?:\/\//);
  });

  test("is told of the sessions from the beginning", async () => {
    const events = await listen(`${inspector.url}events`, (seen) => seen.length >= 2);
    expect(events[0]).toMatchObject({ event: "hello", data: { control: false, sessions: [{ key: "1", live: true }] } });
    expect(events[1]).toMatchObject({
      event: "records",
      data: { session: "1", records: expect.arrayContaining([expect.objectContaining({ kind: "session" })]) },
    });
  });

  test("listens on this machine alone, under a new token each time", () => {
    expect(new URL(inspector.url).hostname).toBe("127.0.0.1");
    expect(inspector.url).toMatch(/\/[\w-]{32}\/$/);
    expect(new URL(inspector.url).pathname).not.toBe(new URL(controlled.url).pathname);
  });
});

test("whatever a request says of itself, it is let in only with the token, this Host, and no other origin", () => {
  const own = { port: 4711, token: "t".repeat(32) };
  const sometimes = <T>(right: T, other: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 3, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: other });
  fc.assert(
    fc.property(
      sometimes("GET", fc.constantFrom("POST", "PUT", "HEAD")),
      sometimes(own.token, fc.string({ maxLength: 40 })),
      sometimes("127.0.0.1:4711", fc.oneof(fc.domain(), fc.constant("127.0.0.1"), fc.constant("localhost:4711"))),
      fc.option(sometimes("http://127.0.0.1:4711", fc.webUrl()), { nil: undefined }),
      fc.option(fc.constantFrom("same-origin", "none", "same-site", "cross-site"), { nil: undefined }),
      (method, token, host, origin, site) => {
        const headers = {
          host,
          ...(origin === undefined ? {} : { origin }),
          ...(site === undefined ? {} : { "sec-fetch-site": site }),
        };
        const verdict = admit({ method, url: `/${token}/events`, headers }, own);
        const isRight =
          token === own.token &&
          (host === "127.0.0.1:4711" || host === "localhost:4711") &&
          (origin === undefined ? method !== "POST" : origin === `http://${host}`) &&
          (site === undefined || site === "same-origin" || site === "none") &&
          method !== "PUT";
        expect("path" in verdict).toBe(isRight);
      },
    ),
    { numRuns: 2000 },
  );
});
