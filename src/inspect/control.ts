import type { Session } from "../session/session.ts";
import type { ControlAction } from "./view/records.ts";

/** Does what a page asked for. @returns What went wrong, for the person at the page. */
export async function carryOut(session: Session, asked: ControlAction): Promise<string | undefined> {
  try {
    switch (asked.action) {
      case "abort":
        await session.abort();
        return undefined;
      case "abortRetry":
        session.abortRetry();
        return undefined;
      case "compact":
        await session.compact();
        return undefined;
      case "steer":
        session.steer(asked.text);
        return undefined;
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What a page sent, if it is something one can ask for. */
export function parseControl(body: string): ControlAction | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || !("session" in value) || !("action" in value)) return undefined;
  const { session, action } = value;
  if (typeof session !== "string") return undefined;
  if (action === "abort" || action === "abortRetry" || action === "compact") return { session, action };
  if (action === "steer" && "text" in value && typeof value.text === "string") return { session, action, text: value.text };
  return undefined;
}
