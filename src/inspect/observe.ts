import type { Session } from "../session/session.ts";
import { createInspector, type Inspector } from "./inspector.ts";
import { traceToFile } from "./trace.ts";

export interface ObserveOptions {
  /** Opens the inspector's page; default false. */
  inspect?: boolean;
  /** Whether that page may abort, compact and steer; default false. */
  control?: boolean;
  /** Default any free one. */
  port?: number;
  /** File to record a trace in. */
  trace?: string;
}

export interface Observation extends AsyncDisposable {
  /** Address of the page; undefined without one. */
  readonly url: string | undefined;
  /** Ends the page and the trace; what was recorded is in the file then. @throws the error of the file system, if it had one */
  close(): Promise<void>;
}

/**
 * What the flags `--inspect`, `--control` and `--trace FILE` ask for, on one session. Does nothing without them.
 *
 * @throws the error of the network or the file system when the page or the file cannot be opened.
 */
export async function observeSession(session: Session, options: ObserveOptions): Promise<Observation> {
  const { inspect = false, control = false, port, trace } = options;
  const file = trace === undefined ? undefined : await traceToFile(session, trace);
  let inspector: Inspector | undefined;
  try {
    inspector = inspect ? await createInspector({ control, ...(port === undefined ? {} : { port }) }) : undefined;
  } catch (error) {
    await file?.close();
    throw error;
  }
  inspector?.attach(session);
  const close = async (): Promise<void> => {
    await inspector?.close();
    await file?.close();
  };
  return { url: inspector?.url, close, [Symbol.asyncDispose]: close };
}
