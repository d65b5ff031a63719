import type { Api, ProviderEntry } from "../settings/command-settings.ts";

/** A server that answers for models, as far as it is known before any is named. */
export interface Provider {
  name: string;
  /** Absent: the official client's own. */
  baseURL?: string;
  api: Api;
  /** Environment variable of its key; absent where none is needed. */
  keyVariable?: string;
  keyCommand?: string;
  headers?: Record<string, string>;
  /** Environment variable that names another server for it. */
  baseVariable?: string;
  /** What is asked when no model is named and its key is there. */
  defaultModel?: string;
  /** Only models of the list are known to exist there; others need stated limits. */
  listed?: boolean;
}

const builtIn: readonly Provider[] = [
  {
    name: "anthropic",
    api: "anthropic-messages",
    keyVariable: "ANTHROPIC_API_KEY",
    baseVariable: "ANTHROPIC_BASE_URL",
    defaultModel: "claude-sonnet-5-5",
    listed: true,
  },
  {
    name: "openai",
    api: "openai-responses",
    keyVariable: "OPENAI_API_KEY",
    baseVariable: "OPENAI_BASE_URL",
    defaultModel: "gpt-6.2-sol",
    listed: true,
  },
  { name: "deepseek", api: "openai-completions", baseURL: "https://api.deepseek.com/v1", keyVariable: "DEEPSEEK_API_KEY" },
  { name: "groq", api: "openai-completions", baseURL: "https://api.groq.com/openai/v1", keyVariable: "GROQ_API_KEY" },
  { name: "llama.cpp", api: "openai-completions", baseURL: "http://localhost:8080/v1" },
  { name: "mistral", api: "openai-completions", baseURL: "https://api.mistral.ai/v1", keyVariable: "MISTRAL_API_KEY" },
  { name: "ollama", api: "openai-completions", baseURL: "http://localhost:11434/v1" },
  { name: "openrouter", api: "openai-completions", baseURL: "https://openrouter.ai/api/v1", keyVariable: "OPENROUTER_API_KEY" },
];

/** The known providers, with what settings add and change. */
export function providers(entries: Readonly<Record<string, ProviderEntry>> = {}): ReadonlyMap<string, Provider> {
  const all = new Map(builtIn.map((provider) => [provider.name, provider]));
  for (const [name, entry] of Object.entries(entries)) {
    const known = all.get(name) ?? { name, api: "openai-completions" };
    // Another server has its own models, and its own limits for models of the same name.
    const { listed: _, ...elsewhere } = known;
    all.set(name, { ...(entry.baseURL === undefined ? known : elsewhere), ...entry });
  }
  return all;
}

/** The provider as the environment changes it: `OPENAI_BASE_URL` is mostly a server that speaks Chat Completions only. */
export function withEnvironment(provider: Provider, env: Readonly<Record<string, string | undefined>>): Provider {
  const baseURL = provider.baseVariable === undefined ? undefined : env[provider.baseVariable]?.trim();
  if (baseURL === undefined || baseURL === "" || provider.baseURL !== undefined) return provider;
  const official = /(?:^|\.)(?:openai|anthropic)\.com$/.test(hostOf(baseURL));
  return { ...provider, baseURL, api: provider.api === "openai-responses" && !official ? "openai-completions" : provider.api };
}

/** The host of a URL; empty when it is none. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}
