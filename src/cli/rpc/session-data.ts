import type { Entry, SessionLog } from "../../log/types.ts";
import type { Message, Model } from "../../model/types.ts";
import type { Session } from "../../session/session.ts";
import type { RpcModel, RpcState, RpcStats, RpcTreeNode } from "./types.ts";

export function modelData({
  provider,
  id,
  api,
  contextWindow,
  maxOutputTokens,
}: Pick<Model, "provider" | "id"> & Partial<Model>): RpcModel {
  return {
    provider,
    id,
    ...(api === undefined ? {} : { api }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutputTokens === undefined ? {} : { maxTokens: maxOutputTokens }),
  };
}

export function stateData(session: Session): RpcState {
  const { state, settings, log } = session;
  const isCompacting = state.state === "compacting";
  return {
    model: modelData(session.model),
    thinkingLevel: settings.thinkingLevel,
    isStreaming: state.busy && !isCompacting,
    isCompacting,
    steeringMode: settings.steeringMode,
    followUpMode: settings.followUpMode,
    ...(log.path === undefined ? {} : { sessionFile: log.path }),
    sessionId: session.id,
    ...(log.name === undefined ? {} : { sessionName: log.name }),
    autoCompactionEnabled: settings.compaction.enabled,
    autoRetryEnabled: settings.retry.enabled,
    messageCount: log.projection.items.length,
    pendingMessageCount: state.steering.length + state.followUp.length,
    state: state.state,
    attempt: state.attempt,
    maxAttempts: state.maxAttempts,
    retryAt: state.retryAt,
    contextTokens: state.contextTokens,
    contextWindow: state.contextWindow,
  };
}

/** Counted over the active branch, failed replies included: they were paid. */
export function statsData(session: Session): RpcStats {
  const messages = session.log.branch().flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  const replies = messages.filter((message) => message.role === "assistant");
  const sum = (count: (message: (typeof replies)[number]) => number): number =>
    replies.reduce((total, message) => total + count(message), 0);
  return {
    ...(session.log.path === undefined ? {} : { sessionFile: session.log.path }),
    sessionId: session.id,
    userMessages: messages.filter(({ role }) => role === "user").length,
    assistantMessages: replies.length,
    toolCalls: sum(({ content }) => content.filter(({ type }) => type === "toolCall").length),
    toolResults: messages.filter(({ role }) => role === "toolResult").length,
    totalMessages: messages.length,
    tokens: {
      input: sum(({ usage }) => usage.input),
      output: sum(({ usage }) => usage.output),
      cacheRead: sum(({ usage }) => usage.cacheRead),
      cacheWrite: sum(({ usage }) => usage.cacheWrite),
      total: sum(({ usage }) => usage.totalTokens),
    },
    cost: sum(({ usage }) => usage.cost?.total ?? 0),
  };
}

export function treeData(log: SessionLog): RpcTreeNode[] {
  const nodes = new Map<string, RpcTreeNode>();
  const roots: RpcTreeNode[] = [];
  for (const entry of log.entries) {
    const label = log.labels.get(entry.id);
    const node: RpcTreeNode = { entry, children: [], ...(label === undefined ? {} : { label }) };
    nodes.set(entry.id, node);
    const parent = entry.parentId === null ? undefined : nodes.get(entry.parentId);
    (parent?.children ?? roots).push(node);
  }
  return roots;
}

export function textOfMessage({ content }: Message): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** The text of the last reply that was not empty. */
export function lastAssistantText(session: Session): string | null {
  const replies = session.messages.filter(({ role }) => role === "assistant").map(textOfMessage);
  return replies.findLast((text) => text !== "") ?? null;
}

/** Entries written after `since`. */
export function entriesAfter(log: SessionLog, since: string | undefined): Entry[] | undefined {
  if (since === undefined) return [...log.entries];
  const index = log.entries.findIndex(({ id }) => id === since);
  return index === -1 ? undefined : log.entries.slice(index + 1);
}
