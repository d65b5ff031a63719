// A session in a worker thread: events are plain data, so they cross with postMessage. Start the file with node; it is both sides.
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { createSession, type PromptOutcome, type SessionEvent } from "agent-session-machine";
import { openaiChat } from "agent-session-machine/openai";

type Answer = { event: SessionEvent } | { outcome: PromptOutcome };

/** Runs one prompt in a thread of its own. */
export function promptInWorker(
  prompt: string,
  model: { model: string; baseURL: string; apiKey: string },
  onEvent: (event: SessionEvent) => void,
): Promise<PromptOutcome> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { prompt, model } });
    worker.on("message", (answer: Answer) => ("outcome" in answer ? resolve(answer.outcome) : onEvent(answer.event)));
    worker.on("error", reject);
  });
}

if (!isMainThread && workerData?.prompt) {
  await using session = createSession({ model: openaiChat(workerData.model) });
  session.subscribe((event) => {
    // A delta without the message so far: the live message would be copied each time.
    const crossing = event.type === "message_update" ? { ...event, message: undefined } : event;
    parentPort?.postMessage({ event: crossing });
  });
  const outcome = await session.prompt(workerData.prompt);
  parentPort?.postMessage({ outcome });
}
