/** An option of the command, as arguments, help and completions know it. */
export interface OptionSpec {
  type: "string" | "boolean";
  short?: string;
  multiple?: boolean;
  /** What stands for the value in the help. */
  value?: string;
  /** The values it takes, where they are few. */
  values?: readonly string[];
  /** The value is a path: shells complete file names. */
  file?: boolean;
  group: "What to ask" | "How it answers" | "Model" | "Tools" | "Session" | "Settings" | "About";
  help: string;
}

/** Every option of a run, in the order of the help. */
export const runOptions = {
  print: { type: "boolean", short: "p", group: "What to ask", help: "answer and leave, also on a terminal without a prompt" },
  image: {
    type: "string",
    short: "i",
    multiple: true,
    value: "FILE",
    file: true,
    group: "What to ask",
    help: "an image for the first prompt (png, jpeg, gif, webp)",
  },
  system: { type: "string", value: "TEXT", group: "What to ask", help: "system prompt; @FILE reads it from a file" },

  mode: {
    type: "string",
    value: "MODE",
    values: ["text", "json", "rpc"],
    group: "How it answers",
    help: "text, json (every event a line) or rpc (commands on stdin)",
  },
  quiet: {
    type: "boolean",
    short: "q",
    group: "How it answers",
    help: "say nothing but the answer and, in the end, what went wrong",
  },
  verbose: {
    type: "boolean",
    short: "v",
    group: "How it answers",
    help: "say each decision with its rule, tool calls and usage",
  },

  model: {
    type: "string",
    short: "m",
    value: "NAME",
    group: "Model",
    help: "provider/model, or a model of the list (agent-session models)",
  },
  "base-url": {
    type: "string",
    value: "URL",
    group: "Model",
    help: "server to ask; a local one (Ollama, llama.cpp) needs no key",
  },
  api: {
    type: "string",
    value: "API",
    values: ["anthropic-messages", "openai-completions", "openai-responses"],
    group: "Model",
    help: "wire format of the server; default by provider, else openai-completions",
  },
  "api-key-env": { type: "string", value: "NAME", group: "Model", help: "environment variable that holds the key" },
  "context-window": { type: "string", value: "TOKENS", group: "Model", help: "window of a model that is not in the list" },
  "max-output": { type: "string", value: "TOKENS", group: "Model", help: "output limit of a model that is not in the list" },
  thinking: {
    type: "string",
    value: "LEVEL",
    values: ["off", "minimal", "low", "medium", "high", "xhigh"],
    group: "Model",
    help: "how much it may think; default off",
  },
  demo: { type: "boolean", group: "Model", help: "play a scripted model: no key, no network, no real answers" },

  tools: {
    type: "string",
    short: "t",
    multiple: true,
    value: "MODULE",
    file: true,
    group: "Tools",
    help: "module whose default export, or export `tools`, is a list of tools",
  },
  mcp: { type: "string", multiple: true, value: "SERVER", group: "Tools", help: "MCP server: a command line, or a URL" },

  session: { type: "string", value: "FILE", file: true, group: "Session", help: "go on with this session file, or begin it" },
  continue: { type: "boolean", short: "c", group: "Session", help: "go on with the newest session of this folder" },
  "no-session": { type: "boolean", group: "Session", help: "keep the session in memory only" },
  "session-dir": { type: "string", value: "FOLDER", file: true, group: "Session", help: "where sessions are kept" },

  trace: {
    type: "string",
    value: "FILE",
    file: true,
    group: "Session",
    help: "record what the session does, for agent-session inspect and replay",
  },
  inspect: { type: "boolean", group: "Session", help: "show the session on a page of this machine as it runs" },
  control: { type: "boolean", group: "Session", help: "let that page abort, compact and steer" },

  "max-retries": { type: "string", value: "N", group: "Settings", help: "retries after a failed request; default 3" },
  set: {
    type: "string",
    short: "s",
    multiple: true,
    value: "KEY=VALUE",
    group: "Settings",
    help: "any setting, as in retry.baseDelayMs=500 (agent-session settings)",
  },
  "trust-project": { type: "boolean", group: "Settings", help: "let this folder's settings start programs and name servers" },
  "no-project-settings": { type: "boolean", group: "Settings", help: "pass over this folder's .agent-session/settings.json" },

  help: { type: "boolean", short: "h", group: "About", help: "show this" },
  version: { type: "boolean", short: "V", group: "About", help: "show the version" },
} as const satisfies Record<string, OptionSpec>;
