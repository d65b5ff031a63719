import { describe, expect, test } from "vitest";
import { chooseModel, type ModelFlags } from "../../src/cli/models/choose-model.ts";
import { createModel, missingPackage } from "../../src/cli/models/create-model.ts";
import { knownModels } from "../../src/cli/models/known-models.ts";
import type { CommandSettings } from "../../src/cli/settings/command-settings.ts";
import { asking, command, provider } from "./harness.ts";

const KEYS = { ANTHROPIC_API_KEY: "key-a", OPENAI_API_KEY: "key-o" };

function choose(
  name: string | undefined,
  flags: ModelFlags = {},
  settings: CommandSettings = {},
  env: Record<string, string> = KEYS,
) {
  return chooseModel(name, flags, settings, env);
}

describe("which model is asked", () => {
  test("without a name: that of the provider whose key is there", () => {
    expect(choose(undefined, {}, {}, { ANTHROPIC_API_KEY: "key-a" })).toMatchObject({
      provider: "anthropic",
      api: "anthropic-messages",
      apiKey: "key-a",
    });
    expect(choose(undefined, {}, {}, { OPENAI_API_KEY: "key-o" })).toMatchObject({
      provider: "openai",
      api: "openai-responses",
      apiKey: "key-o",
    });
    expect(choose(undefined)).toMatchObject({ provider: "anthropic" });
  });

  test("the usual models are in the list", () => {
    for (const key of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"]) {
      const { provider, id } = choose(undefined, {}, {}, { [key]: "key" });
      expect(knownModels[`${provider}/${id}`]).toBeDefined();
    }
  });

  test("by provider and name, with its window and limit", () => {
    expect(choose("anthropic/claude-haiku-4-5")).toMatchObject({
      provider: "anthropic",
      id: "claude-haiku-4-5",
      contextWindow: 200_000,
      maxOutputTokens: 64_000,
    });
  });

  test("by its name alone, when one provider has it", () => {
    expect(choose("gpt-4o")).toMatchObject({ provider: "openai", id: "gpt-4o", contextWindow: 128_000 });
  });

  test("entries of the settings go over those of the list, and add to it", () => {
    const models = {
      "openai/gpt-4o": { contextWindow: 1000 },
      "openai/gpt-next": { contextWindow: 5000, prices: { input: 1, output: 2 } },
    };
    expect(choose("gpt-4o", {}, { models })).toMatchObject({ contextWindow: 1000, maxOutputTokens: 16_384 });
    expect(choose("gpt-next", {}, { models })).toMatchObject({
      provider: "openai",
      contextWindow: 5000,
      prices: { input: 1, output: 2 },
    });
  });

  test("one that is not in the list works with stated limits", () => {
    expect(choose("anthropic/claude-next", { "context-window": "300000", "max-output": "9000" })).toMatchObject({
      id: "claude-next",
      contextWindow: 300_000,
      maxOutputTokens: 9000,
    });
  });

  test.each([
    [
      "anthropic/claude-sonet-5-5",
      /There is no model "anthropic\/claude-sonet-5-5" in the list\. Did you mean anthropic\/claude-sonnet-5-5/,
    ],
    ["gpt-4.2", /Did you mean openai\/gpt-4\.1/],
    ["claude", /Did you mean anthropic\/claude-/],
    ["something-else-entirely", /is new, say its limits: --model provider\/something-else-entirely --context-window TOKENS/],
    ["antropic/claude-opus-5", /There is no provider "antropic"\. Did you mean anthropic\?/],
  ])("%s is not known: close matches, and what to do", (name, message) => {
    expect(() => choose(name)).toThrow(message);
  });

  test("a name that two providers have asks which", () => {
    expect(() =>
      choose("gpt-4o", {}, { models: { "azure/gpt-4o": {} }, providers: { azure: { baseURL: "https://x.example" } } }),
    ).toThrow('More than one provider has "gpt-4o": openai/gpt-4o, azure/gpt-4o. Say which.');
  });
});

describe("which server is asked, and with which key", () => {
  test("a local server needs no key, and is told none", () => {
    const choice = choose("qwen3:8b", { "base-url": "http://localhost:11434/v1" });
    expect(choice).toEqual({
      provider: "localhost",
      id: "qwen3:8b",
      api: "openai-completions",
      baseURL: "http://localhost:11434/v1",
    });
  });

  test("known local servers have names", () => {
    expect(choose("ollama/qwen3:8b", {}, {}, {})).toMatchObject({
      baseURL: "http://localhost:11434/v1",
      api: "openai-completions",
    });
    expect(choose("llama.cpp/any", {}, {}, {})).toMatchObject({ baseURL: "http://localhost:8080/v1" });
  });

  test("any other server needs a key that is named for it", () => {
    const flags = { "base-url": "https://llm.example/v1" };
    expect(() => choose("some/model", flags)).toThrow(
      "llm.example is not on this machine: name the environment variable that holds its key with --api-key-env.",
    );
    expect(choose("some/model", { ...flags, "api-key-env": "LLM_KEY" }, {}, { ...KEYS, LLM_KEY: "key-l" })).toMatchObject({
      provider: "llm.example",
      id: "some/model",
      apiKey: "key-l",
    });
    expect(() => choose("some/model", { ...flags, "api-key-env": "LLM_KEY" })).toThrow("No key for llm.example: set LLM_KEY");
  });

  test("OPENAI_BASE_URL speaks Chat Completions, unless it is OpenAI's own or told otherwise", () => {
    const at = (url: string, flags: ModelFlags = {}) => choose("openai/gpt-4o", flags, {}, { ...KEYS, OPENAI_BASE_URL: url });
    expect(at("http://127.0.0.1:1/v1")).toMatchObject({ api: "openai-completions", baseURL: "http://127.0.0.1:1/v1" });
    expect(at("https://eu.api.openai.com/v1")).toMatchObject({ api: "openai-responses" });
    expect(at("http://127.0.0.1:1/v1", { api: "openai-responses" })).toMatchObject({ api: "openai-responses" });
  });

  test("a provider of the settings: its server, format, headers and key", () => {
    const providers = {
      work: {
        baseURL: "https://llm.work.example/v1",
        api: "anthropic-messages" as const,
        headers: { "x-team": "a" },
        keyVariable: "WORK_KEY",
      },
    };
    expect(choose("work/opus", {}, { providers }, { WORK_KEY: "key-w" })).toEqual({
      provider: "work",
      id: "opus",
      api: "anthropic-messages",
      baseURL: "https://llm.work.example/v1",
      headers: { "x-team": "a" },
      apiKey: "key-w",
    });
    expect(() => choose("work/opus", {}, { providers })).toThrow("No key for work: set WORK_KEY");
  });

  test("a key printed by a command, and a command that fails or prints nothing", () => {
    const from = (keyCommand: string) =>
      choose(
        "work/opus",
        {},
        { providers: { work: { baseURL: "https://llm.work.example/v1", keyCommand } } },
        { PATH: process.env["PATH"] ?? "" },
      );
    expect(from("echo key-from-command")).toMatchObject({ apiKey: "key-from-command" });
    expect(() => from("exit 3")).toThrow("The command that should print the key of work failed (exit code 3): exit 3");
    expect(() => from("true")).toThrow("The command that should print the key of work printed nothing: true");
  });

  test.each([
    [{ "base-url": "localhost" }, "x", '--base-url takes a URL, such as http://localhost:11434/v1; got "localhost".'],
    [{ "base-url": "http://localhost:1/v1" }, undefined, "--base-url needs --model"],
    [{ "context-window": "many" }, "openai/x", '--context-window takes a whole number, 1 or more; got "many".'],
  ])("%j is refused", (flags, name, message) => {
    expect(() => choose(name, flags)).toThrow(message);
  });

  test("no key at all names the variables, and --demo", () => {
    expect(() => choose(undefined, {}, {}, {})).toThrow(/ANTHROPIC_API_KEY or OPENAI_API_KEY.*--demo/);
    expect(() => choose("openai/gpt-4o", {}, {}, { OPENAI_API_KEY: " " })).toThrow(
      /No key for openai: set OPENAI_API_KEY.*--demo/,
    );
  });
});

test("a model is made with what is known of it", async () => {
  const model = await createModel(choose("anthropic/claude-haiku-4-5"));
  expect(model).toMatchObject({
    api: "anthropic-messages",
    provider: "anthropic",
    id: "claude-haiku-4-5",
    contextWindow: 200_000,
    prices: { input: 1, output: 5 },
  });
});

test("an optional package that is missing is named with the command that installs it", () => {
  const missing = Object.assign(new Error("Cannot find package 'openai' imported from /x/client.js"), {
    code: "ERR_MODULE_NOT_FOUND",
  });
  expect(missingPackage(missing, "openai", "The model openai/gpt-4o")?.message).toBe(
    "The model openai/gpt-4o needs the package openai, which is not installed: npm install openai",
  );
  expect(missingPackage(new Error("other"), "openai", "x")).toBeUndefined();
});

test("a job without a key never looks successful", async () => {
  const { code, out, err } = await command(["hi"]);
  expect(err).toMatch(/^agent-session: No model to ask: set ANTHROPIC_API_KEY or OPENAI_API_KEY.*--demo/);
  expect(out).toBe("");
  expect(code).toBe(2);
});

test("the list is printed, and searched", async () => {
  const all = await command(["models"]);
  expect(all.out.split("\n").length).toBeGreaterThan(Object.keys(knownModels).length);
  const { out, code } = await command(["models", "haiku", "4-5"]);
  expect(out).toMatch(/^model.+\nanthropic\/claude-haiku-4-5 +200000 +64000 +1 \/ 5\n$/);
  expect(code).toBe(0);
  expect((await command(["models", "nothing-like-it"])).code).toBe(1);
});

test("summaries can have a model of their own", async () => {
  const server = await provider(["reply:one", "error:context_length_exceeded", "reply:a summary", "reply:two"]);
  const settings = ["--set", "compactionModel=anthropic/claude-haiku-4-5", "--set", "compaction.keepRecentTokens=1"];
  const { code, out } = await command([...settings, "long ".repeat(2000), "second"], asking(server));
  expect(out).toBe("one\ntwo\n");
  expect(code).toBe(0);
  expect(server.requests.map(({ body }) => /"model":"([^"]+)"/.exec(JSON.stringify(body))?.[1])).toEqual([
    "claude-sonnet-5-5",
    "claude-sonnet-5-5",
    "claude-haiku-4-5",
    "claude-sonnet-5-5",
  ]);
});
