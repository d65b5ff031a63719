import { aiSdkModel } from "../../src/model/ai-sdk/index.ts";
import { anthropic } from "../../src/model/anthropic/index.ts";
import { openaiChat, openaiResponses } from "../../src/model/openai/index.ts";
import type { Model } from "../../src/model/types.ts";
import type { FaultExample, Meaning, WireFormatName } from "../../src/testing/fault-server.ts";
import { chatModel } from "./chat-provider.ts";

/** An adapter, and the wire format it speaks to the fault server. */
export interface Adapter {
  name: string;
  format: WireFormatName;
  /** What it takes a step for, where it is told less than the wire says. */
  means?(example: FaultExample): readonly Meaning[] | undefined;
  /**
   * @param url The fault server's.
   * @param fetch Sends the requests; default the global one.
   */
  model(url: string, fetch?: typeof globalThis.fetch): Model;
}

export const adapters: readonly Adapter[] = [
  {
    name: "anthropic",
    format: "anthropic-messages",
    model: (url, fetch = globalThis.fetch) => anthropic({ model: "claude-test", apiKey: "test", baseURL: url, fetch }),
  },
  {
    name: "openaiChat",
    format: "openai-completions",
    model: (url, fetch = globalThis.fetch) => openaiChat({ model: "gpt-test", apiKey: "test", baseURL: `${url}/v1`, fetch }),
  },
  {
    name: "openaiResponses",
    format: "openai-responses",
    model: (url, fetch = globalThis.fetch) => openaiResponses({ model: "gpt-test", apiKey: "test", baseURL: `${url}/v1`, fetch }),
  },
  {
    name: "aiSdkModel",
    format: "openai-completions",
    model: (url, fetch) => aiSdkModel(chatModel(url, fetch)),
    means: ({ step }) => BELOW_THE_SDK[step],
  },
];

const CUT = ["stream_interrupted"] as const;

/**
 * What the AI SDK's providers keep to themselves: they read past the end of the answer to the end of the connection, do not
 * look for `[DONE]`, decode bytes that are no UTF-8, and pass over what is no event, be it an error body. Nothing of it can
 * be seen through `doStream`; but for the first four no answer comes of it.
 */
const BELOW_THE_SDK: Readonly<Record<string, readonly Meaning[]>> = {
  "cut:finish:clean": ["answer"],
  "cut:finish:eof": ["answer"],
  "gzip-cut:finish": ["answer"],
  "invalid-utf8": ["answer"],
  "never-close": ["timeout"],
  "reset-after-end": CUT,
  "error-event:server_error:end": ["server_error"],
  html: CUT,
  "html:stream": CUT,
  "redirect-html": CUT,
  "error-200:rate_limit": CUT,
  "error-200:overloaded": CUT,
  "error-200:insufficient_quota": CUT,
  "error-200:context_length_exceeded": CUT,
};
