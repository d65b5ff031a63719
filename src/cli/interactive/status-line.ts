import type { SessionState } from "../../session/state.ts";
import type { Look } from "./look.ts";
import { fit, textWidth } from "./text-width.ts";

export interface StatusFacts {
  state: Pick<SessionState, "model" | "contextWindow">;
  contextTokens: number;
  /** US dollars; undefined when no price is known. */
  cost: number | undefined;
  /** Further facts, most important first. */
  about: readonly string[];
}

/** Model, use of the context and cost; as much of it as there is room for. */
export function statusLine({ state, contextTokens, cost, about }: StatusFacts, look: Look, columns: number): string {
  const { signs } = look;
  const separator = ` ${signs.dot} `;
  const context = contextText(contextTokens, state.contextWindow);
  const price = cost === undefined ? [] : [`$${cost.toFixed(cost >= 100 ? 2 : 4)}`];
  const facts = [context, ...price];
  const room = columns - textWidth(facts.join(separator)) - separator.length;
  const model = fit(shortModel(state.model, room), Math.max(8, room), signs.ellipsis);
  const parts = [model, ...facts];
  for (const part of about) {
    if (textWidth([...parts, part].join(separator)) <= columns) parts.push(part);
  }
  return look.style("dim", fit(parts.join(separator), columns, signs.ellipsis));
}

function contextText(contextTokens: number, contextWindow: number | null): string {
  if (contextWindow === null) return `${tokens(contextTokens)} tokens`;
  const share = Math.round((contextTokens / contextWindow) * 100);
  return `${share}% of ${tokens(contextWindow)}`;
}

/** The provider goes first where room is short. */
function shortModel(model: string, room: number): string {
  return textWidth(model) <= room ? model : model.slice(model.indexOf("/") + 1);
}

/** 850, 12k, 1.2M. */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 10_000) return `${(count / 1000).toFixed(1)}k`;
  return count < 1_000_000 ? `${Math.round(count / 1000)}k` : `${(count / 1_000_000).toFixed(1).replace(/\.0$/, "")}M`;
}
