import type { Model, ModelCallOptions, ModelEvent, ModelRequest } from "../model/types.ts";
import { scriptedModel, type ScriptedModelOptions, type ScriptedReply } from "./scripted-model.ts";

/** A request that waits for its answer. */
export interface HeldRequest {
  readonly request: ModelRequest;
  /** Answers it; a request that is answered or aborted already is left as it is. */
  answer(reply: ScriptedReply | string): void;
}

export interface HeldModel extends Model {
  /** Requests not yet answered nor aborted, oldest first. */
  readonly waiting: readonly HeldRequest[];
  /** Requests made so far. */
  readonly requestCount: number;
}

/**
 * A model that answers when it is told to: each request is held until the test answers it. For tests that decide what happens
 * while a request is under way, and when.
 */
export function heldModel(options: ScriptedModelOptions = {}): HeldModel {
  const facts = scriptedModel([], options);
  const waiting: HeldRequest[] = [];
  let requestCount = 0;
  return {
    ...facts,
    waiting,
    get requestCount() {
      return requestCount;
    },
    stream(request, callOptions) {
      requestCount++;
      return held(request, callOptions, waiting, options);
    },
  };
}

function held(
  request: ModelRequest,
  callOptions: ModelCallOptions,
  waiting: HeldRequest[],
  options: ScriptedModelOptions,
): AsyncIterable<ModelEvent> {
  const { signal } = callOptions;
  const answered = new Promise<AsyncIterator<ModelEvent>>((resolve) => {
    const playback = (reply: ScriptedReply | string): void => {
      const place = waiting.indexOf(own);
      if (place === -1) return;
      waiting.splice(place, 1);
      signal.removeEventListener("abort", onAbort);
      resolve(scriptedModel([reply], options).stream(request, callOptions)[Symbol.asyncIterator]());
    };
    // A scripted reply ends by itself as aborted.
    const onAbort = (): void => playback("");
    const own: HeldRequest = { request, answer: playback };
    waiting.push(own);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  return { [Symbol.asyncIterator]: () => ({ next: async () => (await answered).next() }) };
}
