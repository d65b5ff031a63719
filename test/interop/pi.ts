import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Entry, EntryDraft } from "../../src/log/index.ts";

/** The version of `@earendil-works/pi-coding-agent` that is compared with. */
export const PI_PACKAGE = "@earendil-works/pi-coding-agent";
export const PI_VERSION = "1.6.0";

/** A message of Pi: ours, and some roles more. */
export interface PiMessage {
  role: string;
  content?: unknown;
  stopReason?: string;
  toolCallId?: string;
  summary?: string;
  timestamp?: number;
  [more: string]: unknown;
}

/** What is used of Pi's session manager. */
export interface PiSession {
  getSessionFile(): string | undefined;
  getSessionName(): string | undefined;
  getLabel(id: string): string | undefined;
  getLeafId(): string | null;
  getEntries(): Entry[];
  buildSessionProjection(): { entries: { sourceEntry: Entry; messages: PiMessage[] }[] };
  appendMessage(message: PiMessage): string;
  appendModelChange(provider: string, modelId: string): string;
  appendThinkingLevelChange(level: string): string;
  appendUsage(kind: string, provider: string, model: string, usage: object): unknown;
  appendCompaction(summary: string, firstKeptEntryId: string | null, tokensBefore: number): string;
  appendCustomEntry(customType: string, data?: unknown): string;
  appendSessionInfo(name: string): string;
  appendCustomMessageEntry(customType: string, content: string, display: boolean): string;
  appendContextEdit(targetId: string, replacement: Extract<EntryDraft, { type: "context_edit" }>["replacement"]): string;
  appendLabelChange(targetId: string, label: string | undefined): string;
  branch(entryId: string): void;
  branchWithSummary(entryId: string | null, summary: string): string;
}

/** What is used of Pi's RPC client. */
export interface PiRpcClient {
  start(): Promise<void>;
  stop(): Promise<void>;
  onEvent(listener: (event: { type: string } & Record<string, unknown>) => void): () => void;
  prompt(message: string): Promise<string>;
  promptAndWait(message: string): Promise<{ type: string }[]>;
  waitForIdle(): Promise<void>;
  steer(message: string): Promise<string>;
  followUp(message: string): Promise<string>;
  abort(): Promise<void>;
  abortRetry(): Promise<void>;
  clearQueue(): Promise<unknown>;
  setAutoRetry(enabled: boolean): Promise<void>;
  compact(instructions: string): Promise<{ summary: string }>;
  getState(): Promise<{ isStreaming: boolean; messageCount: number }>;
  getMessages(): Promise<unknown[]>;
  getLastAssistantText(): Promise<string | null>;
}

export type PiRpcClientClass = new (options: { cliPath: string; args: string[]; env: Record<string, string> }) => PiRpcClient;

export interface Pi {
  RpcClient: PiRpcClientClass;
  SessionManager: {
    create(cwd: string, directory: string): PiSession;
    open(path: string): PiSession;
  };
  convertToLlm(messages: PiMessage[]): PiMessage[];
}

/** Installs the package into a directory, unless it is there. @throws when npm fails */
export function installPi(directory: string): void {
  const args = [
    "install",
    "--prefix",
    directory,
    "--no-save",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    `${PI_PACKAGE}@${PI_VERSION}`,
  ];
  const { status } = spawnSync("npm", args, { stdio: ["ignore", "ignore", "inherit"], shell: process.platform === "win32" });
  if (status !== 0) throw new Error(`npm could not install ${PI_PACKAGE}@${PI_VERSION}`);
}

export async function loadPi(directory: string): Promise<Pi> {
  return (await import(pathToFileURL(join(directory, "node_modules", PI_PACKAGE, "dist", "index.js")).href)) as Pi;
}
