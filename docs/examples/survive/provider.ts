import { LLMock, type ChatCompletionRequest, type FixtureResponse } from "@copilotkit/aimock";
import { services } from "./services.ts";

/** Tokens the mock model takes; a longer request is refused, as a provider does it. */
const WINDOW = 8_000;

/** Four characters are about a token. */
const tokensOf = (request: ChatCompletionRequest): number => Math.ceil(JSON.stringify(request.messages).length / 4);

const SUMMARY = `## Goal
Find out which services failed last night, and why.
## Done
checkout: healthy itself; its calls to payments timed out from 03:12 to 03:27. payments: no free database connection from 03:12 to 03:27.
## Next
Look at the log of search, then answer.`;

const ANSWER =
  "Only payments failed. At 03:12 its database ran out of connections, so checkout's calls to it timed out until the pool was " +
  "recycled at 03:27. checkout itself and search were healthy all night.";

/**
 * A provider on loopback that speaks the Anthropic API and has a bad night: overloaded, throttling, dropping a connection in the
 * middle of an answer; and its model has a small window. What it says depends on the request alone, as with a real one.
 */
export async function startProvider(): Promise<{ url: string; stop(): Promise<void> }> {
  const provider = new LLMock({ port: 0, chunkSize: 6, latency: 12 });
  const on = (
    when: (request: ChatCompletionRequest) => boolean,
    answer: (request: ChatCompletionRequest) => FixtureResponse,
  ): void => {
    provider.on({ predicate: when }, answer);
  };
  on((request) => tokensOf(request) > WINDOW, tooLong);
  on(isSummary, (request) => ({ content: SUMMARY, usage: usageOf(request, SUMMARY) }));

  const first = (request: ChatCompletionRequest): boolean => lastService(request) === undefined;
  provider.on(
    { predicate: first, sequenceIndex: 0 },
    { status: 529, error: { type: "overloaded_error", message: "Overloaded" } },
  );
  provider.on(
    { predicate: first, sequenceIndex: 1 },
    { status: 429, retryAfter: 3, error: { type: "rate_limit_error", message: "Too many requests, slow down" } },
  );
  provider.on(
    { predicate: first, sequenceIndex: 2 },
    { content: "Let me look at the logs of each service, one after the other, starting with" },
    { truncateAfterChunks: 11 },
  );
  for (const [index, service] of services.entries()) {
    on(
      (request) => lastService(request) === services[index - 1],
      (request) => ({
        content: `I read the log of ${service}.`,
        toolCalls: [{ name: "read_log", arguments: JSON.stringify({ service }) }],
        usage: usageOf(request, service),
      }),
    );
  }
  on(
    () => true,
    (request) => ({ content: ANSWER, usage: usageOf(request, ANSWER) }),
  );
  await provider.start();
  return { url: provider.url, stop: () => provider.stop() };
}

function tooLong(request: ChatCompletionRequest): FixtureResponse {
  return {
    status: 400,
    error: { type: "invalid_request_error", message: `prompt is too long: ${tokensOf(request)} tokens > ${WINDOW} maximum` },
  };
}

function usageOf(request: ChatCompletionRequest, answer: string): { input_tokens: number; output_tokens: number } {
  return { input_tokens: tokensOf(request), output_tokens: Math.ceil(answer.length / 4) };
}

/** The session's request for a summary has no tools. */
function isSummary({ tools }: ChatCompletionRequest): boolean {
  return tools === undefined || tools.length === 0;
}

/** The service whose log was read last. */
function lastService({ messages }: ChatCompletionRequest): string | undefined {
  const call = messages.findLast((message) => message.tool_calls !== undefined)?.tool_calls?.at(-1);
  return call && services.find((service) => call.function.arguments.includes(service));
}
