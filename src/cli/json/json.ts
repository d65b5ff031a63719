import type { PromptOutcome } from "../../session/events.ts";
import { ExitCode, exitCodeOf, exitCodeOfSignal } from "../exit-codes.ts";
import { abortOnSignal } from "../interrupt.ts";
import type { RunContext } from "../run-context.ts";
import { LineWriter } from "../wire/line-writer.ts";
import { isSpare, wireEvent } from "../wire/wire-event.ts";

/**
 * JSON mode: the session's header, then every event, then the outcome, each as one line on stdout. The outcome line is
 * `{ type: "outcome", exitCode, …the outcome }`, one for each prompt; the last line is the last prompt's.
 */
export async function runJson(context: RunContext): Promise<number> {
  const { io, session, prompts, warnings } = context;
  const writer = new LineWriter(io.stdout);
  for (const warning of warnings) io.stderr.write(`warning: ${warning}\n`);
  writer.write(session.log.header);
  const unsubscribe = session.subscribe((event) => writer.write(wireEvent(event), isSpare(event)));
  const openGate = session.beforeRequest(() => writer.ready());
  const interrupt = abortOnSignal(context, (text) => io.stderr.write(`${text}\n`));

  const finish = (outcome: PromptOutcome): number => {
    const code =
      interrupt.signal === undefined
        ? interrupt.outputLost
          ? ExitCode.failed
          : exitCodeOf(outcome)
        : exitCodeOfSignal(interrupt.signal);
    writer.write({ type: "outcome", exitCode: code, ...outcome });
    return code;
  };
  try {
    if (prompts.length === 0) return finish(await session.continue());
    let code: number = ExitCode.completed;
    for (const prompt of prompts) {
      code = finish(await session.prompt(prompt));
      if (code !== ExitCode.completed) break;
    }
    return code;
  } finally {
    interrupt.forget();
    openGate();
    unsubscribe();
  }
}
