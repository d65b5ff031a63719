import { ExitCode, exitCodeOfSignal } from "../exit-codes.ts";
import type { EndSignal } from "../io.ts";
import type { RunContext } from "../run-context.ts";
import { LINE_LIMIT, LineReader } from "../wire/line-reader.ts";
import { LineWriter } from "../wire/line-writer.ts";
import { isSpare, wireEvent } from "../wire/wire-event.ts";
import { answer, errorResponse } from "./answer.ts";
import { SessionHolder } from "./session-holder.ts";

/**
 * RPC mode: one JSON command a line on stdin; responses and the session's events, one a line, on stdout. Commands run
 * concurrently; `id` tells which response belongs to which. It ends with stdin, or with a signal; a second signal ends it at once.
 */
export async function runRpc(context: RunContext): Promise<number> {
  const { io, warnings } = context;
  const writer = new LineWriter(io.stdout);
  for (const warning of warnings) io.stderr.write(`warning: ${warning}\n`);
  const holder = new SessionHolder(context, (session) => {
    const unsubscribe = session.subscribe((event) => writer.write(wireEvent(event), isSpare(event)));
    const openGate = session.beforeRequest(() => writer.ready());
    return () => {
      unsubscribe();
      openGate();
    };
  });

  const respond = async (line: string): Promise<void> => writer.write(await answer(line, holder));
  const open = new Set<Promise<void>>();
  const reader = new LineReader({
    onLine(line) {
      if (line.trim() === "") return;
      const answered = respond(line);
      open.add(answered);
      void answered.finally(() => open.delete(answered));
    },
    onTooLong: () => writer.write(errorResponse("parse", `A line is longer than ${LINE_LIMIT} characters, and was skipped.`)),
  });
  const signal = await readToEnd(io, reader);
  await holder.close();
  // What still waits for an answer gets one: the session has settled, and every command with it.
  await Promise.all(open);
  return signal === undefined ? ExitCode.completed : exitCodeOfSignal(signal);
}

/** Resolves at the end of stdin, or with the first signal. */
function readToEnd(io: RunContext["io"], reader: LineReader): Promise<EndSignal | undefined> {
  return new Promise((resolve) => {
    let first: EndSignal | undefined;
    io.onSignal((signal) => {
      if (first !== undefined) io.exit(exitCodeOfSignal(signal));
      first = signal;
      resolve(signal);
    });
    io.stdin.on("data", (chunk: Buffer | string) => reader.push(chunk));
    io.stdin.on("end", () => {
      reader.end();
      resolve(undefined);
    });
    io.stdin.on("error", () => resolve(undefined));
    // Nobody reads any more: going on would only cost.
    io.stdout.on("error", () => resolve(undefined));
  });
}
