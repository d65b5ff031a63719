import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PAGE, pageWithTable, SCHEMA } from "../../docs/generate/settings.ts";
import { commandSchemas } from "../../src/cli/settings/command-settings.ts";
import { settingMeanings } from "../../src/cli/settings/meanings.ts";
import { jsonPositions } from "../../src/cli/settings/json-positions.ts";
import { pointerOf } from "../../src/cli/settings/layer.ts";
import { settingsSchema } from "../../src/cli/settings/schema.ts";
import { variableOf } from "../../src/cli/settings/environment.ts";
import { settingRules } from "../../src/session/setting-rules.ts";
import { defaultSettings } from "../../src/session/settings.ts";
import { command, temporaryFolder, type RunOptions } from "./harness.ts";

/** A home and a project with the given settings files. */
function folders(files: { user?: unknown; project?: unknown }): {
  home: string;
  project: string;
  options: RunOptions;
  userFile: string;
  projectFile: string;
} {
  const home = temporaryFolder();
  const project = join(home, "work");
  const userFile = join(home, "config", "agent-session", "settings.json");
  const projectFile = join(project, ".agent-session", "settings.json");
  mkdirSync(project);
  for (const [path, content] of [
    [userFile, files.user],
    [projectFile, files.project],
  ] as const) {
    if (content === undefined) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, undefined, 2));
  }
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: join(home, "state") };
  return { home, project, userFile, projectFile, options: { cwd: project, env } };
}

async function effective(args: string[], options: RunOptions): Promise<Record<string, { value: unknown; source: string }>> {
  const { out, err, code } = await command(["settings", "--json", ...args], options);
  expect(err).toBe("");
  expect(code).toBe(0);
  return JSON.parse(out) as Record<string, { value: unknown; source: string }>;
}

describe("where a setting comes from", () => {
  test("defaults, user's file, project's file, environment and flags, each over the one before", async () => {
    const retry = (maxRetries: number): unknown => ({ retry: { maxRetries } });
    const { options, userFile, projectFile } = folders({ user: retry(4), project: retry(5) });
    const { options: userOnly } = folders({ user: retry(4) });
    const { options: none } = folders({});
    const key = "retry.maxRetries";
    const withVariable = { ...options, env: { ...options.env, AGENT_SESSION_RETRY_MAX_RETRIES: "6" } };
    expect((await effective([], none))[key]).toEqual({ value: 3, source: "default" });
    expect((await effective([], userOnly))[key]?.value).toBe(4);
    expect((await effective([], options))[key]).toEqual({ value: 5, source: `${projectFile}:3` });
    expect((await effective(["--no-project-settings"], options))[key]).toEqual({ value: 4, source: `${userFile}:3` });
    expect((await effective([], withVariable))[key]).toEqual({ value: 6, source: "AGENT_SESSION_RETRY_MAX_RETRIES" });
    expect((await effective(["--max-retries", "7"], withVariable))[key]).toEqual({ value: 7, source: "--max-retries" });
    expect((await effective(["--set", "retry.maxRetries=8"], withVariable))[key]).toEqual({
      value: 8,
      source: "--set retry.maxRetries",
    });
  });

  test("files need not name everything: what they leave out keeps its value", async () => {
    const { options } = folders({ user: { retry: { maxRetries: 9 } }, project: { retry: { jitter: 0.5 } } });
    const settings = await effective([], options);
    expect(settings["retry.maxRetries"]?.value).toBe(9);
    expect(settings["retry.jitter"]?.value).toBe(0.5);
    expect(settings["retry.baseDelayMs"]?.value).toBe(2000);
  });

  test("null in a file, and none elsewhere, lifts a limit", async () => {
    const { options } = folders({ user: { stream: { idleMs: null } } });
    const settings = await effective(["--set", "stream.firstEventMs=none"], options);
    expect(settings["stream.idleMs"]).toMatchObject({ value: null });
    expect(settings["stream.firstEventMs"]).toEqual({ value: null, source: "--set stream.firstEventMs" });
  });

  test("a project's file is found from its folders, and not beyond the repository", async () => {
    const { project, options } = folders({ project: { retry: { maxRetries: 5 } } });
    const inside = join(project, "a", "b");
    const repository = join(project, "vendored");
    mkdirSync(inside, { recursive: true });
    mkdirSync(join(repository, ".git"), { recursive: true });
    expect((await effective([], { ...options, cwd: inside }))["retry.maxRetries"]?.value).toBe(5);
    expect((await effective([], { ...options, cwd: repository }))["retry.maxRetries"]?.value).toBe(3);
  });

  test("every setting has a variable", async () => {
    const variables = Object.keys(settingRules).map(variableOf);
    expect(new Set(variables).size).toBe(variables.length);
    const { options } = folders({});
    const env = {
      ...options.env,
      AGENT_SESSION_STREAM_ON_INTERRUPTED: "continue",
      AGENT_SESSION_MODEL: "openai/gpt-5",
      AGENT_SESSION_COMPACTION_ENABLED: "false",
    };
    const settings = await effective([], { ...options, env });
    expect(settings["stream.onInterrupted"]?.value).toBe("continue");
    expect(settings["model"]).toEqual({ value: "openai/gpt-5", source: "AGENT_SESSION_MODEL" });
    expect(settings["compaction.enabled"]?.value).toBe(false);
  });

  test("a variable with our prefix that sets nothing is told", async () => {
    const { err, code } = await command(["settings"], { env: { AGENT_SESSION_RETRY_MAXRETRIES: "3" } });
    expect(err).toContain(
      "warning: The variable AGENT_SESSION_RETRY_MAXRETRIES sets nothing. Did you mean AGENT_SESSION_RETRY_MAX_RETRIES",
    );
    expect(code).toBe(0);
  });
});

describe("a bad setting is an error with its place, and nothing is asked", () => {
  const bad: [name: string, user: string, line: number, message: string][] = [
    [
      "a value out of range",
      '{\n  "retry": {\n    "maxRetries": -1\n  }\n}',
      3,
      "retry.maxRetries is -1. It takes a whole number, 0 or more.",
    ],
    ["a value of another type", '{ "retry": { "enabled": "yes" } }', 1, 'retry.enabled is "yes". It takes true or false.'],
    ["an unknown setting", '{\n\n  "retries": 3 }', 3, 'there is no setting "retries". Did you mean retry?'],
    ["an unknown setting in a section", '{ "retry": {\n "maxRetrys": 3 } }', 2, "There is no setting retry.maxRetrys."],
    ["a section that is no object", '{ "retry": 3 }', 1, "retry is 3. It takes an object."],
    [
      "an unknown kind of failure",
      '{ "retry": { "policies": {\n "overload": {} } } }',
      2,
      "retry.policies.overload names no kind of failure.",
    ],
    ["no JSON", '{\n  "retry": {,}\n}', 2, "this is no JSON"],
    ["JSON that ends too early", '{\n  "retry": {\n', 3, "this is no JSON"],
    ["a comment", "{ // comment\n}", 1, "Comments and trailing commas are not JSON either."],
    ["a list", "[]", 1, "a settings file holds one JSON object"],
    ["a key twice", '{ "model": "a/b",\n "model": "c/d" }', 2, "model stands there twice"],
    ["a key twice in a section", '{ "retry": { "jitter": 0,\n"jitter": 1 } }', 2, "retry.jitter stands there twice"],
    ["a model that is no text", '{\n"model": 5 }', 2, "model must be string."],
    [
      "a provider with an unknown key",
      '{ "providers": {\n"x": { "baseUrl": "http://x" } } }',
      2,
      'providers.x has no "baseUrl". Did you mean baseURL?',
    ],
    [
      "a provider with an unknown api",
      '{ "providers": { "x": {\n"api": "soap" } } }',
      2,
      'providers.x.api takes "anthropic-messages" or "openai-completions" or "openai-responses".',
    ],
    [
      "a server that is neither started nor reached",
      '{ "mcpServers": {\n"x": { "args": [] } } }',
      2,
      'mcpServers.x takes either "command" or "url".',
    ],
  ];
  test.each(bad)("%s", async (_name, user, line, message) => {
    const { options, userFile } = folders({ user });
    const { code, out, err } = await command(["--demo", "hi"], options);
    expect(err).toContain(`agent-session: ${userFile}:${line}: `);
    expect(err).toContain(message);
    expect(out).toBe("");
    expect(code).toBe(2);
  });

  test.each([
    [
      ["--set", "retry.maxRetries=many"],
      'agent-session: --set retry.maxRetries: retry.maxRetries is "many". It takes a whole number, 0 or more.',
    ],
    [["--set", "retry.maxRetries"], "--set takes KEY=VALUE"],
    [["--max-retries", "-1"], "--max-retries"],
    [["--max-retries=1.5"], "agent-session: --max-retries: retry.maxRetries is 1.5."],
    [["--set", "nonsense=1"], 'agent-session: --set nonsense: there is no setting "nonsense".'],
    [["--thinking", "hard"], '--thinking takes off, minimal, low, medium, high, xhigh; got "hard".'],
  ])("%j", async (args, message) => {
    const { code, err } = await command([...args, "--demo", "hi"]);
    expect(err).toContain(message);
    expect(code).toBe(2);
  });

  test("a value in the environment", async () => {
    const { code, err } = await command(["--demo", "hi"], { env: { AGENT_SESSION_RETRY_JITTER: "2" } });
    expect(err).toBe("agent-session: AGENT_SESSION_RETRY_JITTER: retry.jitter is 2. It takes a number from 0 to 1.\n");
    expect(code).toBe(2);
  });
});

describe("a project's settings cannot start programs or take keys unless the project is trusted", () => {
  const risky = { providers: { anthropic: { baseURL: "https://elsewhere.example" } } };

  test.each([
    ["providers", risky],
    ["mcpServers", { mcpServers: { x: { command: "sh" } } }],
    ["toolModules", { toolModules: ["./x.js"] }],
    ["sessionDirectory", { sessionDirectory: "/tmp" }],
  ])("%s is refused, with the ways out", async (key, project) => {
    const { options, projectFile, project: folder } = folders({ project });
    const { code, err } = await command(["--demo", "hi"], options);
    expect(err).toContain(`${projectFile}:2: ${key} can start programs or send your keys elsewhere`);
    expect(err).toContain(
      `Pass --trust-project, list ${folder} in trustedProjects of your own settings, or pass --no-project-settings.`,
    );
    expect(code).toBe(2);
    expect((await command(["settings", "--no-project-settings"], options)).code).toBe(0);
    expect((await command(["settings", "--trust-project"], options)).code).toBe(0);
  });

  test("a folder listed by the user is trusted, its subfolders too; a project cannot list itself", async () => {
    const { options, home, projectFile } = folders({ project: risky });
    mkdirSync(join(home, "config", "agent-session"), { recursive: true });
    writeFileSync(join(home, "config", "agent-session", "settings.json"), JSON.stringify({ trustedProjects: [home] }));
    expect((await effective([], options))["providers"]).toEqual({ value: risky.providers, source: `${projectFile}:2` });
    const { options: own, projectFile: ownFile } = folders({ project: { trustedProjects: ["/"], ...risky } });
    const { code, err } = await command(["settings"], own);
    expect(err).toContain(`${ownFile}:2: a project cannot trust itself`);
    expect(code).toBe(2);
  });
});

describe("the JSON Schema of settings files", () => {
  const validate = new Ajv2020({ strict: false }).compile(settingsSchema());

  test("takes the defaults, and whatever the rules take", () => {
    // JSON leaves undefined out.
    expect(validate(JSON.parse(JSON.stringify(defaultSettings)))).toBe(true);
    expect(validate({ $schema: "./settings.schema.json", model: "openai/gpt-5", stream: { idleMs: null } })).toBe(true);
  });

  test("agrees with the rules on every number and word", () => {
    const values = fc.oneof(
      fc.integer({ min: -3, max: 3 }),
      fc.double({ min: -2, max: 2, noNaN: true }),
      fc.boolean(),
      fc.constantFrom("all", "off", "entry", "restart", "x"),
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(settingRules)), values, (path, value) => {
        const file = path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
        expect(validate(file)).toBe(settingRules[path]?.test(value));
      }),
    );
  });

  test.each([
    { retry: { maxRetrys: 1 } },
    { nonsense: 1 },
    { retry: { policies: { overload: {} } } },
    { models: { "a/b": { window: 1 } } },
  ])("refuses %j", (file) => {
    expect(validate(file)).toBe(false);
  });

  test("is printed by the command, and lies beside the documentation as it is", async () => {
    const { out } = await command(["settings", "--schema"]);
    expect(JSON.parse(out)).toEqual(settingsSchema());
    expect(JSON.parse(readFileSync(SCHEMA, "utf8"))).toEqual(settingsSchema());
  });

  test("and the table of the documentation are as the rules are", () => {
    const page = readFileSync(PAGE, "utf8");
    expect(page).toBe(pageWithTable(page));
    expect(Object.keys(settingMeanings).toSorted()).toEqual([...Object.keys(settingRules), "retry.policies"].toSorted());
    for (const key of Object.keys(commandSchemas)) expect(page).toContain(`| \`${key}\` |`);
  });
});

test("the line of every key and element of a JSON text is found", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const text = JSON.stringify(value, undefined, 1);
      const { lines, duplicates } = jsonPositions(text);
      expect(duplicates).toEqual([]);
      const rows = text.split("\n");
      const visit = (inner: unknown, keys: string[]): void => {
        if (typeof inner !== "object" || inner === null) return;
        for (const [key, child] of Object.entries(inner)) {
          const row = rows[(lines.get(pointerOf([...keys, key])) ?? 0) - 1];
          if (Array.isArray(inner))
            expect(
              row
                ?.trim()
                .startsWith(
                  typeof child === "object" && child !== null ? (Array.isArray(child) ? "[" : "{") : JSON.stringify(child),
                ),
            ).toBe(true);
          else expect(row?.trim().startsWith(JSON.stringify(key))).toBe(true);
          visit(child, [...keys, key]);
        }
      };
      visit(value, []);
    }),
  );
});
