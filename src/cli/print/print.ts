import type { UserContent } from "../../model/types.ts";
import type { PromptOutcome } from "../../session/events.ts";
import { ExitCode, exitCodeOf, exitCodeOfSignal } from "../exit-codes.ts";
import { abortOnSignal } from "../interrupt.ts";
import type { RunContext } from "../run-context.ts";
import { usageLine } from "../usage-line.ts";
import { AnswerWriter } from "./answer.ts";
import { Progress } from "./progress.ts";
import { reportLines } from "./report.ts";
import { Screen } from "./screen.ts";

/** Print mode: answers on stdout, what happens on stderr, and an exit code that says how it went. */
export async function runPrint(context: RunContext): Promise<number> {
  const { io, session, prompts, verbosity, warnings } = context;
  const streams = io.stdout.isTTY === true;
  const screen = new Screen(io);
  const answers = new AnswerWriter(screen, streams);
  const progress = new Progress({ screen, clock: io.clock, verbosity, streams });
  let exhaustedAfter: number | undefined;
  const unsubscribe = session.subscribe((event) => {
    if (event.type === "auto_retry_end") exhaustedAfter = event.success ? undefined : event.attempt;
    progress.handle(event);
    answers.handle(event);
  });
  const interrupt = abortOnSignal(context, (text) => screen.line(text));

  const finish = (outcome: PromptOutcome): number => {
    answers.finish(outcome);
    for (const line of reportLines(outcome, { exhaustedAfter, now: io.clock.now() })) screen.line(line);
    if (verbosity === "verbose") screen.line(screen.style("dim", usageLine(outcome)));
    if (interrupt.signal !== undefined) return exitCodeOfSignal(interrupt.signal);
    return interrupt.outputLost ? ExitCode.failed : exitCodeOf(outcome);
  };

  try {
    if (verbosity !== "quiet") {
      for (const warning of warnings) screen.line(screen.style("yellow", `warning: ${warning}`));
    }
    if (verbosity === "verbose")
      screen.line(
        screen.style("dim", `model ${session.model.provider}/${session.model.id}, session ${session.log.path ?? "in memory"}`),
      );
    if (prompts.length === 0) return finish(await session.continue());
    for (const [index, prompt] of prompts.entries()) {
      exhaustedAfter = undefined;
      const code = finish(await session.prompt(asContent(prompt)));
      if (code === ExitCode.completed) continue;
      const left = prompts.length - index - 1;
      if (left > 0) screen.line(left === 1 ? "the next prompt was not asked" : `the next ${left} prompts were not asked`);
      return code;
    }
    return ExitCode.completed;
  } finally {
    interrupt.forget();
    unsubscribe();
  }
}

/** A prompt of nothing but one text goes as that text. */
function asContent(prompt: UserContent[]): string | UserContent[] {
  const [first] = prompt;
  return prompt.length === 1 && first?.type === "text" ? first.text : prompt;
}
