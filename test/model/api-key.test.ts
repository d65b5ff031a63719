import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { anthropic } from "../../src/model/anthropic/index.ts";
import { isLocal, MissingApiKeyError } from "../../src/model/index.ts";
import { openaiChat, openaiResponses } from "../../src/model/openai/index.ts";

beforeEach(() => {
  for (const name of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"])
    vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe.each([
  { name: "anthropic", make: anthropic, variable: "ANTHROPIC_API_KEY", base: "ANTHROPIC_BASE_URL" },
  { name: "openaiChat", make: openaiChat, variable: "OPENAI_API_KEY", base: "OPENAI_BASE_URL" },
  { name: "openaiResponses", make: openaiResponses, variable: "OPENAI_API_KEY", base: "OPENAI_BASE_URL" },
])("$name without a key", ({ make, variable, base }) => {
  test("is refused when the model is made, with the variable to set", () => {
    const error = catching(() => make({ model: "m" }));
    expect(error).toBeInstanceOf(MissingApiKeyError);
    expect(error).toMatchObject({ code: "missing_api_key", variable, message: expect.stringContaining(variable) });
  });

  test("is refused with a blank one, and with a base URL elsewhere", () => {
    vi.stubEnv(variable, " ");
    expect(() => make({ model: "m", apiKey: "" })).toThrow(MissingApiKeyError);
    expect(() => make({ model: "m", baseURL: "https://gateway.example.com/v1" })).toThrow(MissingApiKeyError);
  });

  test("is fine for a local server, named or from the environment", () => {
    expect(make({ model: "m", baseURL: "http://localhost:11434/v1" }).id).toBe("m");
    vi.stubEnv(base, "http://127.0.0.1:8080");
    expect(make({ model: "m" }).id).toBe("m");
  });

  test("is not the only thing that is checked when the model is made", () => {
    const key = { apiKey: "sk-test" };
    expect(() => make({ ...key, model: " " })).toThrow('model is " "; it takes the id of a model');
    expect(() => make({ ...key, ...JSON.parse("{}") })).toThrow("model is undefined");
    expect(() => make({ ...key, model: "m", contextWindow: 0 })).toThrow("contextWindow is 0");
    expect(() => make({ ...key, model: "m", maxOutputTokens: 1.5 })).toThrow("maxOutputTokens is 1.5");
    expect(() => make({ ...key, model: "m", prices: { input: -1, output: 1 } })).toThrow("prices.input is -1");
  });

  test("is fine with the environment's", () => {
    vi.stubEnv(variable, "sk-env");
    expect(make({ model: "m", contextWindow: 1000, maxOutputTokens: 10 })).toMatchObject({
      id: "m",
      contextWindow: 1000,
      maxOutputTokens: 10,
      input: ["text", "image"],
    });
  });
});

test.each([
  ["http://localhost:11434/v1", true],
  ["http://127.0.0.1", true],
  ["http://[::1]:80", true],
  ["http://192.168.1.5:8000/v1", true],
  ["http://172.20.0.2", true],
  ["http://ollama:11434", true],
  ["http://box.local", true],
  ["https://api.openai.com/v1", false],
  ["http://172.40.0.2", false],
  ["http://8.8.8.8", false],
  ["http://[2001:db8::1]", false],
  ["https://127.0.0.1.example.com", false],
  ["nonsense", false],
])("%s is local: %s", (url, local) => {
  expect(isLocal(url)).toBe(local);
});

function catching(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}
