import type { PiMessage, PiSession } from "./pi.ts";

const usage = {
  input: 10,
  output: 5,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 15,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const model = { api: "anthropic-messages", provider: "anthropic", model: "example" };

const user = (content: string): PiMessage => ({ role: "user", content, timestamp: 1_700_000_000_000 });
const assistant = (content: object[], stopReason = "stop", more: object = {}): PiMessage => ({
  role: "assistant",
  content,
  ...model,
  usage,
  stopReason,
  timestamp: 1_700_000_001_000,
  ...more,
});
const text = (value: string): object => ({ type: "text", text: value });
const call = (id: string): object => ({
  type: "toolCall",
  id,
  name: "read",
  arguments: { path: "a.txt" },
  thoughtSignature: "c2ln",
});
const result = (toolCallId: string, value: string): PiMessage => ({
  role: "toolResult",
  toolCallId,
  toolName: "read",
  content: [text(value)],
  isError: false,
  timestamp: 1_700_000_002_000,
});

/** Everything Pi can write into a session: each function takes a new session and fills it. */
export const piSessions: Record<string, (session: PiSession) => void> = {
  tools(session) {
    session.appendModelChange("anthropic", "example");
    session.appendThinkingLevelChange("high");
    session.appendMessage({ role: "system", content: "You help.", timestamp: 1_700_000_000_000 });
    session.appendMessage(user("What is in a.txt?"));
    session.appendMessage(
      assistant(
        [{ type: "thinking", thinking: "Look.", thinkingSignature: "c2ln" }, text("Reading."), call("call_1")],
        "toolUse",
      ),
    );
    session.appendMessage(result("call_1", "ä 世界 \u2028 end"));
    session.appendMessage(assistant([text("It says hello.")]));
    session.appendUsage("cache_warm", "anthropic", "example", usage);
    session.appendSessionInfo("Reading a file");
  },

  edits(session) {
    session.appendMessage(user("Go."));
    const failed = session.appendMessage(assistant([text("Half")], "error", { errorMessage: "overloaded" }));
    session.appendContextEdit(failed, null);
    session.appendMessage(assistant([text("Reading."), call("call_1")], "toolUse"));
    const long = session.appendMessage(result("call_1", "long ".repeat(20)));
    session.appendContextEdit(long, { content: "long (shortened)" });
    const cut = session.appendMessage(assistant([text("Cut")], "aborted"));
    session.appendContextEdit(cut, { content: "never shown" });
    const asked = session.appendMessage(user("And?"));
    session.appendContextEdit(asked, { content: [{ type: "text", text: "And then?" }] });
    session.appendMessage(assistant([text("Done.")]));
    session.appendLabelChange(asked, "question");
  },

  branches(session) {
    const first = session.appendMessage(user("One."));
    const answer = session.appendMessage(assistant([text("1")]));
    session.appendMessage(user("Two."));
    session.appendMessage(assistant([text("2")]));
    session.branch(answer);
    session.appendMessage(user("Another two."));
    session.appendMessage(assistant([text("two")]));
    session.branchWithSummary(first, "Counting was tried.");
    session.appendMessage(assistant([text("one")]));
    session.appendCustomEntry("example/state", { count: 1 });
    session.appendCustomMessageEntry("example/note", "Remember the milk.", true);
    session.appendMessage({ role: "bashExecution", ...bash, excludeFromContext: true });
    session.appendMessage({ role: "bashExecution", ...bash });
    session.appendMessage(user("Go on."));
  },

  compactions(session) {
    session.appendMessage(user("Old."));
    session.appendMessage(assistant([text("Old answer.")]));
    session.appendCompaction("Something old.", null, 100);
    const kept = session.appendMessage(user("Kept."));
    session.appendMessage(assistant([text("Reading."), call("call_1")], "toolUse"));
    const found = session.appendMessage(result("call_1", "found"));
    session.appendContextEdit(found, { content: "found (short)" });
    session.appendCompaction("Something newer.", kept, 200);
    session.appendMessage(user("New."));
    session.appendMessage(assistant([text("New answer.")], "length"));
  },
};

const bash = { command: "ls", output: "a.txt", exitCode: 1, cancelled: false, truncated: false, timestamp: 1_700_000_003_000 };

/** A session of each older version of the format, as Pi once wrote it. */
export const oldSessions: Record<string, string> = {
  "version-1": lines(
    { type: "session", id: "old-one", timestamp: "2025-01-01T00:00:00.000Z", cwd: "/project" },
    { type: "message", timestamp: "2025-01-01T00:00:01.000Z", message: user("Old.") },
    { type: "message", timestamp: "2025-01-01T00:00:02.000Z", message: assistant([text("Old answer.")]) },
    { type: "message", timestamp: "2025-01-01T00:00:03.000Z", message: user("Kept.") },
    {
      type: "compaction",
      timestamp: "2025-01-01T00:00:04.000Z",
      summary: "Something old.",
      firstKeptEntryIndex: 3,
      tokensBefore: 100,
    },
    { type: "message", timestamp: "2025-01-01T00:00:05.000Z", message: assistant([text("New answer.")]) },
  ),
  "version-2": lines(
    { type: "session", version: 2, id: "old-two", timestamp: "2025-01-01T00:00:00.000Z", cwd: "/project" },
    { type: "message", id: "0000000a", parentId: null, timestamp: "2025-01-01T00:00:01.000Z", message: user("Go.") },
    {
      type: "message",
      id: "0000000b",
      parentId: "0000000a",
      timestamp: "2025-01-01T00:00:02.000Z",
      message: {
        role: "hookMessage",
        customType: "example/hook",
        content: "From a hook.",
        display: true,
        timestamp: 1_700_000_000_000,
      },
    },
    {
      type: "message",
      id: "0000000c",
      parentId: "0000000b",
      timestamp: "2025-01-01T00:00:03.000Z",
      message: assistant([text("Gone.")]),
    },
  ),
};

function lines(...records: object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}
