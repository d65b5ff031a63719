/** The session is working, and cannot take this now. */
export class SessionBusyError extends Error {
  override readonly name = "SessionBusyError";
}

/** The session was disposed. */
export class SessionDisposedError extends Error {
  override readonly name = "SessionDisposedError";

  constructor() {
    super("This session was disposed. Create a new one; with the same log it goes on where this one ended.");
  }
}

/** What was given as a prompt is not one. */
export class InvalidPromptError extends Error {
  override readonly name = "InvalidPromptError";
}

/** There is neither a failed nor a missing reply, and no queued message. */
export class NothingToContinueError extends Error {
  override readonly name = "NothingToContinueError";

  constructor() {
    super("There is nothing to continue: the last prompt was answered, and no message is queued. Send a prompt.");
  }
}

/** A compaction asked for by hand was not done; the message says why. */
export class CompactionError extends Error {
  override readonly name = "CompactionError";
}
