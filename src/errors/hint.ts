import type { Classification, FailureContext, FailureFacts } from "./types.ts";

/** What a person can do about a failure, in one or two sentences. */
export function hintFor(facts: FailureFacts, verdict: Classification, context: FailureContext = {}): string {
  const provider = facts.provider ?? context.provider ?? "the provider";
  const at = context.baseUrl === undefined ? "" : ` at ${context.baseUrl}`;
  switch (verdict.kind) {
    case "auth":
      return `Check the API key${context.keyVariable === undefined ? "" : ` in ${context.keyVariable}`} and what it is allowed to use: ${provider}${at} refused it. Sign in again if it comes from a login.`;
    case "quota_exhausted":
      return `The quota or balance at ${provider} is used up${resetText(verdict)}. Add credit, raise the limit, or switch to another model.`;
    case "rate_limited":
      return `${capital(provider)} throttles requests; waiting helps${waitText(verdict)}. If it happens often, lower the number of parallel requests.`;
    case "overloaded":
      return `${capital(provider)} is overloaded; waiting helps${waitText(verdict)}. Another model may answer sooner.`;
    case "server_error":
      return `${capital(provider)} failed on its side; repeating the request usually helps. If it goes on, look at its status page.`;
    case "timeout":
      return `No answer in time from ${hostOf(context) ?? provider}. If it goes on, raise the time limits or ask for less at once.`;
    case "network":
      return `${capital(hostOf(context) ?? provider)} could not be reached${proxyText(context)}. Check the connection, the base URL and the proxy.`;
    case "stream_interrupted":
      return "The answer broke off before its end; the request is safe to repeat, because nothing of a broken answer is used.";
    case "context_overflow":
      return `The context is larger than the model takes${windowText(facts)}${largestText(context)}. Compact the session, or switch to a model with a larger window.`;
    case "output_limit":
      return `The output asked for is more than the model gives${facts.tokens?.maxOutput === undefined ? "" : ` (${facts.tokens.maxOutput} tokens)`}. Lower the output limit, or ask for a shorter answer.`;
    case "invalid_request":
      return `${capital(provider)} does not take the request as it is. The message says which part; repeating it will not help.`;
    case "model_not_found":
      return `Check the model's name, and that this account may use it${at === "" ? "" : ` (asked${at})`}.`;
    case "content_policy":
      return `${capital(provider)} declined the content. Rephrase the request, or take what it objects to out of the context.`;
    case "config":
      return `Check the base URL${context.baseUrl === undefined ? "" : ` (${context.baseUrl})`}, the certificates and the proxy${context.proxy === undefined ? "" : ` (${context.proxy})`}: the request did not reach a model.`;
    case "log":
      return "The session log could not be written. Check the disk's space and the file's permissions.";
    case "limit":
      return "A limit of the settings was reached. Raise it, or send another prompt to go on.";
    case "internal":
      return "This is a fault in the program, not in the request. Please report it with this message.";
    case "unknown":
      return "No rule knows this failure, so it is not repeated by itself. Read the message, then try again by hand.";
  }
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function hostOf(context: FailureContext): string | undefined {
  return context.baseUrl !== undefined && URL.canParse(context.baseUrl) ? new URL(context.baseUrl).host : undefined;
}

function proxyText(context: FailureContext): string {
  return context.proxy === undefined ? "" : ` through the proxy ${context.proxy}`;
}

function resetText(verdict: Classification): string {
  if (verdict.resetAt !== undefined) return `; it resets at ${new Date(verdict.resetAt).toISOString()}`;
  return verdict.retryAfterMs === undefined ? "" : `; it resets in ${durationText(verdict.retryAfterMs)}`;
}

function waitText(verdict: Classification): string {
  return verdict.retryAfterMs === undefined ? "" : `, and it asked for ${durationText(verdict.retryAfterMs)}`;
}

function windowText(facts: FailureFacts): string {
  const { requested, window } = facts.tokens ?? {};
  if (window === undefined) return "";
  return requested === undefined ? ` (${window} tokens)` : ` (${requested} of ${window} tokens)`;
}

function largestText(context: FailureContext): string {
  return context.largestItem === undefined
    ? ""
    : `; most room is taken by ${context.largestItem.label} (about ${context.largestItem.tokens} tokens)`;
}

/** A duration for people: the two largest units. */
export function durationText(milliseconds: number): string {
  const units: readonly (readonly [string, number])[] = [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["min", 60_000],
    ["s", 1000],
  ];
  if (milliseconds < 1000) return `${milliseconds} ms`;
  const parts: string[] = [];
  let left = milliseconds;
  for (const [name, size] of units) {
    if (left < size || parts.length === 2) continue;
    const count = name === "s" ? Math.round(left / 100) / 10 : Math.floor(left / size);
    parts.push(`${parts.length === 1 ? Math.floor(count) : count} ${name}`);
    left %= size;
  }
  return parts.join(" ");
}
