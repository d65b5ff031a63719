/**
 * The proxy that Node's `fetch` takes to a URL, for the hint of a failure; undefined when it goes there directly. Node heeds the
 * proxy variables only where `NODE_USE_ENV_PROXY` is set (Node 24).
 */
export function proxyFor(url: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (!env["NODE_USE_ENV_PROXY"] || !URL.canParse(url)) return undefined;
  const { protocol, hostname } = new URL(url);
  const excluded = (env["NO_PROXY"] ?? env["no_proxy"] ?? "").split(",").map((name) => name.trim());
  if (excluded.some((name) => name === "*" || (name !== "" && hostname.endsWith(name)))) return undefined;
  const name = protocol === "http:" ? "HTTP_PROXY" : "HTTPS_PROXY";
  return env[name] ?? env[name.toLowerCase()];
}
