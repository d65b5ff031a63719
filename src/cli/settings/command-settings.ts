import type { ErrorObject } from "ajv";
import type { Prices } from "../../model/types.ts";
import { UsageError } from "../usage-error.ts";
import { didYouMean } from "../close-matches.ts";
import type { Layer } from "./layer.ts";

export const APIS = ["anthropic-messages", "openai-completions", "openai-responses"] as const;
export type Api = (typeof APIS)[number];

/** What is known of a model; entries of the settings go over those of the list. */
export interface ModelEntry {
  /** Tokens. */
  contextWindow?: number;
  maxOutputTokens?: number;
  /** US dollars per million tokens. */
  prices?: Prices;
  input?: ("text" | "image")[];
  /** How Anthropic models are asked to think; see the adapter. */
  thinking?: "budget" | "adaptive";
}

/** A server that is not one of the known ones, or a known one reached in another way. */
export interface ProviderEntry {
  baseURL?: string;
  api?: Api;
  headers?: Record<string, string>;
  /** Name of the environment variable that holds the key. */
  keyVariable?: string;
  /** A command that prints the key, such as `pass show work/llm`. */
  keyCommand?: string;
}

/** An MCP server: started (`command`) or reached (`url`). */
export type McpServerEntry =
  | { command: string; args?: string[]; env?: Record<string, string>; cwd?: string }
  | { url: string; headers?: Record<string, string> };

/** Settings of the command, beside those of the session. */
export interface CommandSettings {
  model?: string;
  /** The model that writes summaries; default the session's own. */
  compactionModel?: string;
  systemPrompt?: string;
  sessionDirectory?: string;
  toolModules?: string[];
  mcpServers?: Record<string, McpServerEntry>;
  providers?: Record<string, ProviderEntry>;
  models?: Record<string, ModelEntry>;
  /** Folders whose own settings may start programs and name servers. */
  trustedProjects?: string[];
}

const text = { type: "string", minLength: 1 };
const texts = { type: "object", additionalProperties: { type: "string" } };
const tokens = { type: "integer", minimum: 1 };
const price = { type: "number", minimum: 0 };
const object = (properties: Record<string, unknown>, rest: Record<string, unknown> = {}): Record<string, unknown> => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...rest,
});

/** JSON Schema of each setting of the command. */
export const commandSchemas: Readonly<Record<keyof CommandSettings, Record<string, unknown>>> = {
  model: { ...text, description: "Model to ask, as provider/model." },
  compactionModel: { ...text, description: "Model that writes summaries, as provider/model; default the session's own." },
  systemPrompt: { ...text, description: "System prompt." },
  sessionDirectory: {
    ...text,
    description: "Folder where sessions are kept; a relative one is relative to the folder of the settings.",
  },
  toolModules: {
    type: "array",
    items: text,
    description: "Modules whose default export, or export `tools`, is a list of tools.",
  },
  mcpServers: {
    type: "object",
    description: "MCP servers by name.",
    additionalProperties: {
      type: "object",
      properties: {
        command: text,
        args: { type: "array", items: { type: "string" } },
        env: texts,
        cwd: text,
        url: text,
        headers: texts,
      },
      additionalProperties: false,
      oneOf: [{ required: ["command"] }, { required: ["url"] }],
    },
  },
  providers: {
    type: "object",
    description: "Servers by the name that stands before the slash of a model's name.",
    additionalProperties: object({ baseURL: text, api: { enum: APIS }, headers: texts, keyVariable: text, keyCommand: text }),
  },
  models: {
    type: "object",
    description: "What is known of models, by provider/model.",
    additionalProperties: object({
      contextWindow: tokens,
      maxOutputTokens: tokens,
      prices: object({ input: price, output: price, cacheRead: price, cacheWrite: price }, { required: ["input", "output"] }),
      input: { type: "array", items: { enum: ["text", "image"] } },
      thinking: { enum: ["budget", "adaptive"] },
    }),
  },
  trustedProjects: {
    type: "array",
    items: text,
    description: "Folders whose own settings may start programs, load code and name servers. Only in your own settings.",
  },
};

/** Settings of the command that a project's file may hold only when the project is trusted: they run code or get the keys. */
export const TRUSTED_ONLY: readonly (keyof CommandSettings)[] = ["providers", "mcpServers", "toolModules", "sessionDirectory"];

export function isCommandSetting(key: string): key is keyof CommandSettings {
  return Object.hasOwn(commandSchemas, key);
}

/** The command's part of a layer. @throws UsageError saying where, what and why */
export async function commandPart(layer: Layer): Promise<CommandSettings> {
  const part = Object.fromEntries(Object.entries(layer.values).filter(([key]) => isCommandSetting(key)));
  if (Object.keys(part).length === 0) return {};
  // Loaded only where there is something to check.
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  const ajv = new Ajv2020({ strict: false });
  const validate = ajv.compile<CommandSettings>({ type: "object", properties: commandSchemas });
  if (validate(part)) return part;
  // The last one sums up those before it.
  const problem = validate.errors?.at(-1);
  const pointer = problem?.instancePath ?? "";
  throw new UsageError(
    `${layer.placeOf(pointer)}: ${pointer.slice(1).replaceAll("/", ".").replaceAll("~1", "/")} ${explained(problem)}`,
  );
}

/** What the validator found, in our words. */
function explained(problem: Pick<ErrorObject, "keyword" | "message" | "params"> | undefined): string {
  const params: Readonly<Record<string, unknown>> = problem?.params ?? {};
  const { additionalProperty, allowedValues } = params;
  if (typeof additionalProperty === "string")
    return `has no "${additionalProperty}".${didYouMean(additionalProperty, KNOWN_KEYS)}`;
  if (Array.isArray(allowedValues)) return `takes ${allowedValues.map((value) => JSON.stringify(value)).join(" or ")}.`;
  if (problem?.keyword === "oneOf") return 'takes either "command" or "url".';
  return `${problem?.message ?? "is not valid"}.`;
}

const KNOWN_KEYS = [
  "command",
  "args",
  "env",
  "cwd",
  "url",
  "headers",
  "baseURL",
  "api",
  "keyVariable",
  "keyCommand",
  "contextWindow",
  "maxOutputTokens",
  "prices",
  "input",
  "thinking",
];
