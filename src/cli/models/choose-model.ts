import { isLocal } from "../../model/adapter/api-key.ts";
import { wholeNumber, type Flags } from "../arguments.ts";
import { closeMatches, didYouMean } from "../close-matches.ts";
import { APIS, type Api, type CommandSettings, type ModelEntry } from "../settings/command-settings.ts";
import { UsageError } from "../usage-error.ts";
import { catalogue, type ListedModel } from "./catalogue.ts";
import { keyInEnvironment, keyOf, type Environment } from "./provider-key.ts";
import { hostOf, providers, withEnvironment, type Provider } from "./providers.ts";

/** The options that say something of the model. */
export type ModelFlags = Pick<Flags, "base-url" | "api" | "api-key-env" | "context-window" | "max-output">;

/** A model with all it takes to call it. */
export interface ModelChoice extends ModelEntry {
  provider: string;
  id: string;
  api: Api;
  baseURL?: string;
  headers?: Record<string, string>;
  /** Absent where none is needed. */
  apiKey?: string;
}

/**
 * Which model to ask, from its name, the options beside it, settings and environment.
 *
 * @param name Undefined: the first provider with a key in the environment, and its usual model.
 * @throws UsageError for an unknown model or provider, and for a missing key, each with what to do.
 */
export function chooseModel(
  name: string | undefined,
  flags: ModelFlags,
  settings: CommandSettings,
  env: Environment,
): ModelChoice {
  const known = catalogue(settings.models);
  const { provider, id } = named(name, flags, settings, env, known);
  const entry = known.get(`${provider.name}/${id}`);
  const limits = statedLimits(flags);
  if (!entry && provider.listed === true && limits.contextWindow === undefined) throw unknownModel(provider.name, id, known);
  const apiKey = keyOf(provider, env);
  return {
    ...factsOf(entry),
    ...limits,
    provider: provider.name,
    id,
    api: provider.api,
    ...(provider.baseURL === undefined ? {} : { baseURL: provider.baseURL }),
    ...(provider.headers === undefined ? {} : { headers: provider.headers }),
    ...(apiKey === undefined ? {} : { apiKey }),
  };
}

interface Named {
  provider: Provider;
  id: string;
}

function named(
  name: string | undefined,
  flags: ModelFlags,
  settings: CommandSettings,
  env: Environment,
  known: ReadonlyMap<string, ListedModel>,
): Named {
  const all = providers(settings.providers);
  const baseURL = flags["base-url"];
  if (baseURL !== undefined && hostOf(baseURL) === "") {
    throw new UsageError(`--base-url takes a URL, such as http://localhost:11434/v1; got "${baseURL}".`);
  }
  if (name === undefined) {
    if (baseURL !== undefined) throw new UsageError("--base-url needs --model: the name the server knows its model by.");
    return usual(all, flags, env);
  }
  const at = name.indexOf("/");
  const before = at > 0 ? all.get(name.slice(0, at)) : undefined;
  if (before) return { provider: asAsked(withEnvironment(before, env), flags), id: name.slice(at + 1) };
  if (baseURL !== undefined) return { provider: serverAt(baseURL, flags), id: name };
  if (at > 0) throw unknownProvider(name.slice(0, at), all);
  const matching = [...known.values()].filter(({ id }) => id === name);
  const listed = matching[0];
  if (!listed) throw unknownModel(undefined, name, known);
  if (matching.length > 1) {
    throw new UsageError(
      `More than one provider has "${name}": ${matching.map(({ provider }) => `${provider}/${name}`).join(", ")}. Say which.`,
    );
  }
  return named(`${listed.provider}/${name}`, flags, settings, env, known);
}

/** A server that only its URL is known of. */
function serverAt(baseURL: string, flags: ModelFlags): Provider {
  const provider = asAsked({ name: hostOf(baseURL), api: "openai-completions" }, flags);
  if (provider.keyVariable === undefined && !isLocal(baseURL)) {
    throw new UsageError(
      `${provider.name} is not on this machine: name the environment variable that holds its key with --api-key-env.`,
    );
  }
  return provider;
}

/** The provider as the command line changes it. */
function asAsked(provider: Provider, flags: ModelFlags): Provider {
  const { "base-url": baseURL, api, "api-key-env": keyVariable } = flags;
  const { listed, ...rest } = provider;
  return {
    ...rest,
    ...(listed === undefined || baseURL !== undefined ? {} : { listed }),
    // A server named by hand speaks Chat Completions unless told otherwise; that of Anthropic speaks its own format.
    ...(baseURL === undefined ? {} : { baseURL, api: provider.api === "openai-responses" ? "openai-completions" : provider.api }),
    ...(api === undefined ? {} : { api: knownApi(api) }),
    ...(keyVariable === undefined ? {} : { keyVariable }),
  };
}

function knownApi(name: string): Api {
  const api = APIS.find((known) => known === name);
  if (api === undefined) throw new UsageError(`--api takes ${APIS.join(", ")}; got "${name}".`);
  return api;
}

/** What is asked when nobody says which model. */
function usual(all: ReadonlyMap<string, Provider>, flags: ModelFlags, env: Environment): Named {
  for (const found of all.values()) {
    const provider = asAsked(withEnvironment(found, env), flags);
    const { defaultModel, keyVariable } = provider;
    if (defaultModel !== undefined && keyVariable !== undefined && keyInEnvironment(env, keyVariable) !== undefined)
      return { provider, id: defaultModel };
  }
  throw new UsageError(
    "No model to ask: set ANTHROPIC_API_KEY or OPENAI_API_KEY, name a server with --base-url and --model " +
      "(a local one, such as Ollama, needs no key), or pass --demo to see a scripted model at work.",
  );
}

function statedLimits(flags: ModelFlags): Pick<ModelEntry, "contextWindow" | "maxOutputTokens"> {
  const { "context-window": contextWindow, "max-output": maxOutput } = flags;
  return {
    ...(contextWindow === undefined ? {} : { contextWindow: wholeNumber("--context-window", contextWindow, 1) }),
    ...(maxOutput === undefined ? {} : { maxOutputTokens: wholeNumber("--max-output", maxOutput, 1) }),
  };
}

function factsOf(entry: ListedModel | undefined): ModelEntry {
  if (!entry) return {};
  const { provider: _provider, id: _id, from: _from, ...facts } = entry;
  return facts;
}

function unknownModel(provider: string | undefined, id: string, known: ReadonlyMap<string, ListedModel>): UsageError {
  const candidates = [...known.values()].filter((model) => provider === undefined || model.provider === provider);
  const matches = closeMatches(
    id,
    candidates.map((model) => model.id),
  );
  const hint = matches.length === 0 ? "" : ` Did you mean ${matches.map((match) => nameOf(match, candidates)).join(" or ")}?`;
  const asked = provider === undefined ? id : `${provider}/${id}`;
  return new UsageError(
    `There is no model "${asked}" in the list.${hint} agent-session models shows it. ` +
      `If the model is new, say its limits: --model ${provider ?? "provider"}/${id} --context-window TOKENS --max-output TOKENS.`,
  );
}

function nameOf(id: string, candidates: readonly ListedModel[]): string {
  const model = candidates.find((candidate) => candidate.id === id);
  return model ? `${model.provider}/${id}` : id;
}

function unknownProvider(name: string, all: ReadonlyMap<string, Provider>): UsageError {
  return new UsageError(
    `There is no provider "${name}".${didYouMean(name, all.keys())} Known are ${[...all.keys()].join(", ")}; ` +
      "others need --base-url, or an entry in the settings under providers.",
  );
}
