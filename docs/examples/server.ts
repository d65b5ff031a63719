// A web server that streams a session's events over Server-Sent Events. When the client goes away the session is aborted.
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { createSession, type Model, type SessionEvent } from "agent-session-machine";

/** One session per request here; keep them in a map by user, with a file log each, to go on with a conversation. */
export function chatServer(model: Model): Hono {
  const app = new Hono();
  app.post("/chat", async (context) => {
    const { prompt } = await context.req.json<{ prompt: string }>();
    return streamSSE(context, async (stream) => {
      await using session = createSession({ model });
      stream.onAbort(() => void session.abort());
      const events = session.events();
      const outcome = session.prompt(prompt);
      for await (const event of events) {
        const shown = forClient(event);
        if (shown) await stream.writeSSE({ event: event.type, data: JSON.stringify(shown) });
        if (event.type === "agent_settled") break;
      }
      await outcome;
    });
  });
  return app;
}

/** Only what a page needs: deltas without the message so far, waits, and how it ended. */
function forClient(event: SessionEvent): object | undefined {
  switch (event.type) {
    case "message_update":
      return event.assistantMessageEvent.type === "text_delta" ? { delta: event.assistantMessageEvent.delta } : undefined;
    case "auto_retry_start":
      return { attempt: event.attempt, of: event.maxAttempts, retryAt: event.retryAt, why: event.errorMessage };
    case "partial_discarded":
    case "compaction_start":
      return {};
    case "agent_settled":
      return { status: event.outcome.status, failure: event.outcome.failure?.message, hint: event.outcome.failure?.hint };
    default:
      return undefined;
  }
}
