// A part of an application: one line that tells the person what the assistant is doing.
import type { Session } from "agent-session-machine";

/** Shows what a session does, as one line of text. */
export class StatusLine {
  text = "ready";

  constructor(session: Session) {
    session.subscribe((event) => {
      switch (event.type) {
        case "agent_start":
          this.text = "thinking …";
          return;
        case "auto_retry_start":
          this.text = `trying again in ${event.delayMs / 1000} s (${event.attempt} of ${event.maxAttempts})`;
          return;
        case "agent_settled":
          this.text = { completed: "ready", failed: "that failed", aborted: "stopped", queued: "waiting" }[event.outcome.status];
          return;
      }
    });
  }
}
