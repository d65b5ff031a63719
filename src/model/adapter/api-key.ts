/** No key for a provider that needs one. */
export class MissingApiKeyError extends Error {
  override readonly name = "MissingApiKeyError";
  readonly code = "missing_api_key";
  readonly provider: string;
  /** The environment variable a key is taken from. */
  readonly variable: string;

  constructor(provider: string, variable: string) {
    super(
      `No API key for ${provider}: set ${variable}, or pass apiKey. A base URL on this machine or a private network needs none.`,
    );
    this.provider = provider;
    this.variable = variable;
  }
}

/** Sent where a server needs no key but the client insists on one. */
const NO_KEY = "none";

/**
 * The key to use: the one given, else the environment's, else none for a local base URL.
 * @throws MissingApiKeyError
 */
export function apiKeyFor(provider: string, variable: string, given: string | undefined, baseUrl: string | undefined): string {
  const key = (given ?? process.env[variable])?.trim();
  if (key !== undefined && key !== "") return key;
  if (baseUrl !== undefined && isLocal(baseUrl)) return NO_KEY;
  throw new MissingApiKeyError(provider, variable);
}

const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const PRIVATE_IPV4 = /^(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254|0\.0\.0\.0)(?:\.|$)/;
const PRIVATE_IPV6 = /^\[(?:::1\]|f[cd]|fe80:)/;

/** True for a server on this machine or in a private network. */
export function isLocal(baseUrl: string): boolean {
  let host: string;
  try {
    host = new URL(baseUrl).hostname;
  } catch {
    return false;
  }
  if (IPV4.test(host)) return PRIVATE_IPV4.test(host);
  if (host.startsWith("[")) return PRIVATE_IPV6.test(host);
  return !host.includes(".") || host.endsWith(".local") || host.endsWith(".internal");
}
