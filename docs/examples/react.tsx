// React: a hook over `state`, which is one object until something in it changes, and the XState actor for whoever wants more.
import { useSelector } from "@xstate/react";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import type { Session, SessionState } from "agent-session-machine";

/** The session's state; renders anew only when it changes. */
export function useSessionState(session: Session): SessionState {
  const subscribe = useCallback((onChange: () => void) => session.subscribe(onChange), [session]);
  return useSyncExternalStore(subscribe, () => session.state);
}

/** The text of the reply under way. A reply that is repeated from its start begins empty. */
export function useReplyText(session: Session): string {
  const [text, setText] = useState("");
  useEffect(
    () =>
      session.subscribe((event) => {
        if (event.type === "turn_start" || event.type === "partial_discarded") setText("");
        if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") {
          const { delta } = event.assistantMessageEvent;
          setText((before) => before + delta);
        }
      }),
    [session],
  );
  return text;
}

export function Chat({ session }: { session: Session }) {
  const state = useSessionState(session);
  const text = useReplyText(session);
  const contextTokens = useSelector(session.actor, ({ context }) => context.contextTokens);
  return (
    <section>
      <p className="reply">{text}</p>
      <p className="status">
        {state.state === "backoff" ? `retry ${state.attempt} of ${state.maxAttempts}` : state.state}, {contextTokens} tokens
      </p>
      <button disabled={!state.busy} onClick={() => void session.abort()}>
        Stop
      </button>
    </section>
  );
}
