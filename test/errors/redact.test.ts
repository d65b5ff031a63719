import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { explainFailure, redact, toFailure } from "../../src/errors/index.ts";

const letters = fc.string({
  unit: fc.constantFrom(...Array.from("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")),
  minLength: 24,
  maxLength: 48,
});
/** A secret that no plain word could be: it holds a digit and a capital. */
const secret = letters.map((text) => `Q7${text}`);

/** Keys that show by their shape what they are: found wherever they stand. */
const SHAPES: readonly (readonly [string, (value: string) => string])[] = [
  ["anthropic-key", (value) => `sk-ant-api03-${value}`],
  ["openrouter-key", (value) => `sk-or-v1-${value}`],
  ["openai-key", (value) => `sk-proj-${value}`],
  ["openai-key", (value) => `sk-${value}`],
  ["google-key", (value) => `AIza${value}`],
  ["google-token", (value) => `ya29.${value}`],
  ["aws-key", (value) => `AKIA${value.toUpperCase()}`],
  ["groq-key", (value) => `gsk_${value}`],
  ["xai-key", (value) => `xai-${value}`],
  ["nvidia-key", (value) => `nvapi-${value}`],
  ["huggingface-token", (value) => `hf_${value}`],
  ["perplexity-key", (value) => `pplx-${value}`],
  ["github-token", (value) => `ghp_${value}`],
  ["gitlab-token", (value) => `glpat-${value}`],
  ["slack-token", (value) => `xoxb-${value}`],
  ["jwt", (value) => `eyJ${value}.${value}.${value}`],
];

/** Secrets that show by what stands before them. */
const PLACES: readonly (readonly [string, (value: string) => string])[] = [
  ["a bearer token", (value) => `Authorization: Bearer ${value}`],
  ["a bearer token alone", (value) => `the token Bearer ${value} was refused`],
  ["basic credentials", (value) => `authorization: Basic ${value}==`],
  ["another scheme", (value) => `"authorization": "AWS4-HMAC-SHA256 Credential=${value}/20260101, Signature=${value}"`],
  ["a key header", (value) => `x-api-key: ${value}`],
  ["Google's key header", (value) => `x-goog-api-key: ${value}`],
  ["Azure's key header", (value) => `'api-key': '${value}'`],
  ["a property", (value) => `{"apiKey":"${value}","model":"m"}`],
  ["an environment variable", (value) => `OPENAI_API_KEY=${value}`],
  ["a client secret", (value) => `client_secret=${value}&grant_type=x`],
  ["a password", (value) => `password: ${value}`],
  ["user info of a URL", (value) => `https://someone:${value}@api.example.com/v1`],
  ["a query parameter", (value) => `https://api.example.com/v1?key=${value}&alt=sse`],
  ["a signed URL", (value) => `https://s3.example.com/x?X-Amz-Signature=${value}`],
  ["a cookie", (value) => `Cookie: session=${value}; theme=dark`],
  ["a set cookie", (value) => `"set-cookie": "sid=${value}; HttpOnly"`],
  ["an e-mail address", (value) => `${value}@example.com`],
  ["a private key", (value) => `-----BEGIN RSA PRIVATE KEY-----\n${value}\n-----END RSA PRIVATE KEY-----`],
];

const every: readonly (readonly [string, (value: string) => string])[] = [...SHAPES, ...PLACES];

test.each(SHAPES)("a key of the shape %s leaves a mark that names it", (kind, wrap) => {
  fc.assert(
    fc.property(secret, (value) => {
      const clean = redact(`refused ${wrap(value)}, sorry`);
      expect(clean).not.toContain(value);
      expect(clean).toContain(`[redacted ${kind}]`);
    }),
  );
});

test.each(PLACES)("the secret in %s is taken out", (_name, wrap) => {
  fc.assert(
    fc.property(secret, (value) => {
      expect(redact(`before ${wrap(value)} after`)).not.toContain(value);
    }),
  );
});

/** Every place of an error a secret may lie in. */
const PLANTS: readonly (readonly [string, (text: string) => unknown])[] = [
  ["the message", (text) => new Error(text)],
  ["a string", (text) => text],
  ["a body", (text) => Object.assign(new Error("400 no"), { status: 400, error: { message: text, type: "x" } })],
  ["JSON in a message", (text) => `400 ${JSON.stringify({ error: { message: text, code: "x" } })}`],
  ["JSON in JSON", (text) => ({ error: { message: JSON.stringify({ error: { message: text } }) } })],
  ["metadata.raw", (text) => ({ error: { message: "Provider returned error", metadata: { raw: text } } })],
  ["the cause", (text) => new Error("failed", { cause: new Error(text) })],
  ["a deep cause", (text) => new Error("failed", { cause: new Error("again", { cause: text }) })],
  ["an aggregate", (text) => new AggregateError([new Error(text)], "all failed")],
  ["a header", (text) => Object.assign(new Error("401 no"), { status: 401, headers: { "x-echo": text, "retry-after": text } })],
  ["a response", (text) => ({ response: { status: 500, data: { detail: text } } })],
  ["the middle of a long text", (text) => `${"lorem ipsum ".repeat(3000)} rate limit ${text} ${"dolor sit ".repeat(3000)}`],
  ["a code", (text) => ({ error: { code: text, message: "no" } })],
];

describe.each(PLANTS)("a secret in %s", (_name, plant) => {
  test("is nowhere in the failure, the facts or the explanation", () => {
    fc.assert(
      fc.property(secret, fc.constantFrom(...every), (value, [, wrap]) => {
        const error = plant(wrap(value));
        expect(JSON.stringify(toFailure(error))).not.toContain(value);
        expect(JSON.stringify(explainFailure(error))).not.toContain(value);
      }),
      { numRuns: 60 },
    );
  });
});

test("a secret that the cut of a long text goes through leaves no half", () => {
  fc.assert(
    fc.property(secret, fc.integer({ min: 8800, max: 9200 }), (value, at) => {
      const text = `${"x".repeat(at)} sk-ant-api03-${value} ${"y".repeat(20_000)}`;
      expect(JSON.stringify(toFailure(text))).not.toContain(value.slice(0, 12));
    }),
  );
});

test.each([
  "Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys.",
  "The token count (1200) exceeds the limit of 1000 tokens",
  "max_tokens: 4096, top_p: 0.5, model: gpt-x-2026-01-01",
  "basic authentication is not supported; bearer authentication required",
  "https://docs.example.com/errors?page=2#rate-limits",
  "invalid x-api-key",
])("nothing is taken out of %j", (text) => {
  expect(redact(text)).toBe(text);
});

test("redacting twice changes nothing more", () => {
  fc.assert(
    fc.property(secret, fc.constantFrom(...every), (value, [, wrap]) => {
      const once = redact(`a ${wrap(value)} b`);
      expect(redact(once)).toBe(once);
    }),
  );
});
