import { X509Certificate } from "node:crypto";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { describe, expect, test } from "vitest";
import { faults, FaultScriptError, startFaultServer } from "../../src/testing/fault-server.ts";
import type { FaultExample, FaultServer } from "../../src/testing/fault-server.ts";
import { withServer } from "./with-server.ts";

const PATHS = {
  "anthropic-messages": "/v1/messages",
  "openai-completions": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
};

function post(server: FaultServer, path = "/v1/messages", body: object = { model: "m", stream: true }): Promise<Response> {
  return fetch(server.url + path, { method: "POST", body: JSON.stringify(body) });
}

describe("a script", () => {
  test("is played one step a request, and good replies follow it", async () => {
    await withServer({ script: ["status:529", "status:400"] }, async (server) => {
      const statuses = [];
      for (let n = 0; n < 4; n += 1) statuses.push((await post(server)).status);
      expect(statuses).toEqual([529, 400, 200, 200]);
      expect(server.requests.map((request) => request.step)).toEqual(["status:529", "status:400", "reply", "reply"]);
    });
  });

  test("can be played again and again", async () => {
    await withServer({ script: ["status:529", "reply"], afterScript: "repeat" }, async (server) => {
      const statuses = [];
      for (let n = 0; n < 4; n += 1) statuses.push((await post(server)).status);
      expect(statuses).toEqual([529, 200, 529, 200]);
    });
  });

  test("can be a function of the request and its number", async () => {
    const script = ({ path }: { path: string }, n: number): string =>
      path === "/v1/responses" || n === 2 ? "status:503" : "reply";
    await withServer({ script }, async (server) => {
      expect((await post(server)).status).toBe(200);
      expect((await post(server)).status).toBe(503);
      expect((await post(server, "/v1/responses")).status).toBe(503);
    });
  });

  test("can hold replies of its own", async () => {
    await withServer({ script: [{ reply: { text: "one" } }, "reply:two: and more"] }, async (server) => {
      const body = { model: "m" };
      expect(await (await post(server, "/v1/messages", body)).json()).toMatchObject({ content: [{ text: "one" }] });
      expect(await (await post(server, "/v1/messages", body)).json()).toMatchObject({ content: [{ text: "two: and more" }] });
    });
  });

  test.each([
    [["no-such-step"], 'no step is named "no-such-step"; known are reply, tool-call'],
    [["toString"], 'no step is named "toString"'],
    [["cut:half:gently"], 'step "cut:half:gently": the ending takes fin, rst, clean, eof; got "gently"'],
    [["cut:nowhere"], 'the point takes start, half, content, finish, end, or a number of events; got "nowhere"'],
    [["status:200"], 'the status takes a whole number from 300 to 599; got "200"'],
    [["status:429:soon"], "the header takes retry-after=<seconds>"],
    [["reset:now"], 'step "reset:now": nothing is known to do with "now"'],
    [["refuse", "reply"], 'nothing after "refuse" can be reached'],
  ])("%j is refused at the start", async (script, message) => {
    await expect(startFaultServer({ script })).rejects.toThrow(FaultScriptError);
    await expect(startFaultServer({ script })).rejects.toThrow(message);
  });

  test("a function's mistake is told to the client that ran into it", async () => {
    await withServer({ script: () => "no-such-step" }, async (server) => {
      const response = await post(server);
      expect(response.status).toBe(500);
      expect(await response.text()).toContain('no step is named \\"no-such-step\\"');
    });
  });

  test("a request can name its own step, and takes none from the script", async () => {
    await withServer({ script: ["status:400"] }, async (server) => {
      expect((await post(server, "/v1/messages?fault-step=status:529")).status).toBe(529);
      expect((await post(server)).status).toBe(400);
    });
  });
});

describe("faults before there is a request", () => {
  test("a refusal of some time is over when it says", async () => {
    await withServer({ script: ["reply", "refuse:30", "status:418"] }, async (server) => {
      expect((await post(server)).status).toBe(200);
      await expect(post(server)).rejects.toThrow("fetch failed");
      let response: Response | undefined;
      while (response === undefined) response = await post(server).catch(() => undefined);
      expect(response.status).toBe(418);
      expect(server.requests).toHaveLength(2);
    });
  });

  test("a client that refuses the certificate uses up the step", async () => {
    await withServer({ script: ["self-signed", "tls-reset", "not-tls", "status:529"] }, async (server) => {
      const codes = [];
      for (let n = 0; n < 3; n += 1) {
        const error: Error = await post(server).then(
          () => new Error("answered"),
          (reason: Error) => reason,
        );
        codes.push((error.cause as { code?: string }).code);
        while (server.connections > 0) await new Promise((resolve) => setImmediate(resolve));
      }
      expect(codes).toEqual(["DEPTH_ZERO_SELF_SIGNED_CERT", "ECONNRESET", "ERR_SSL_WRONG_VERSION_NUMBER"]);
      expect(await answerOverTls(server)).toContain("HTTP/1.1 529");
    });
  });

  test("a client that trusts the certificate gets its reply", async () => {
    await withServer({ script: ["self-signed"] }, async (server) => {
      expect(await answerOverTls(server)).toContain("HTTP/1.1 200");
      expect(server.requests).toHaveLength(1);
    });
  });

  test("the certificate is good for longer than this code", () => {
    return withServer({}, async (server) => {
      const certificate = new X509Certificate(server.certificate);
      expect(new Date(certificate.validTo).getFullYear()).toBeGreaterThan(2100);
      expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
    });
  });
});

describe("the server", () => {
  test("keeps what it was asked", async () => {
    await withServer({}, async (server) => {
      const before = Date.now();
      await (await post(server, "/v1/chat/completions", { model: "m", stream: true })).text();
      expect(server.requests).toMatchObject([
        { n: 1, method: "POST", path: "/v1/chat/completions", body: { model: "m" }, format: "openai-completions", stream: true },
      ]);
      expect(server.requests[0]?.at).toBeGreaterThanOrEqual(before);
    });
  });

  test("answers 404 to what is none of its formats, without a step", async () => {
    await withServer({ script: ["status:529"] }, async (server) => {
      expect((await fetch(`${server.url}/v1/models`)).status).toBe(404);
      expect((await post(server)).status).toBe(529);
    });
  });

  test("ends every connection when it is closed, those of endless steps among them", async () => {
    const script = ["no-answer", "stall:half", "keep-alive:start:1", "drip:1000", "never-close"];
    const server = await startFaultServer({ script });
    const answers = script.map((_, index) => {
      return post(server).then(
        (response) => response.text(),
        (error: Error) => `${index}: ${error.message}`,
      );
    });
    while (server.requests.length < script.length) await new Promise((resolve) => setImmediate(resolve));
    const settled = Promise.allSettled(answers);
    await server.close();
    expect(server.connections).toBe(0);
    expect(await settled).toHaveLength(script.length);
    await expect(post(server)).rejects.toThrow("fetch failed");
  });

  test("says the same bytes each time", async () => {
    const steps = Object.values(faults).flatMap((fault) =>
      fault.formats.flatMap((format) => fault.examples.filter(endsByItself).map(({ step }) => ({ step, path: PATHS[format] }))),
    );
    expect(steps.length).toBeGreaterThan(300);
    const script = steps.map(({ step }) => step);
    const [first, second] = [await bytesOf(script, steps), await bytesOf(script, steps)];
    expect(second).toEqual(first);
  });
});

/** Whether a client without a time limit comes to the end of the step, over plain HTTP. */
function endsByItself({ step, endless }: FaultExample): boolean {
  return !endless && !["refuse", "self-signed", "not-tls:answer", "tls-reset"].includes(step);
}

/** What the server puts on the wire for each request, without the headers that tell the time. */
async function bytesOf(script: string[], requests: readonly { path: string }[]): Promise<string[]> {
  return await withServer({ script }, async (server) => {
    const answers = [];
    for (const { path } of requests) answers.push(await rawAnswer(server, path));
    return answers;
  });
}

function httpRequest(path: string): string {
  const body = JSON.stringify({ model: "m", stream: true });
  return `POST ${path} HTTP/1.1\r\nhost: test\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

async function rawAnswer(server: FaultServer, path: string): Promise<string> {
  return await new Promise((resolve) => {
    let bytes = "";
    const socket = connect(server.port, "127.0.0.1", () => socket.write(httpRequest(path)));
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => (bytes += chunk));
    socket.on("error", (error) => (bytes += error.message));
    socket.on("close", () => resolve(bytes.replaceAll(/^(date|retry-after): .*GMT/gimu, "$1")));
  });
}

async function answerOverTls(server: FaultServer): Promise<string> {
  return await new Promise((resolve, reject) => {
    let text = "";
    const socket = connectTls({ port: server.port, host: "127.0.0.1", ca: server.certificate }, () =>
      socket.write(httpRequest("/v1/messages")),
    );
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => (text += chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
  });
}
