/** `npm run corpus`: how many of the corpus' failures are judged right, and each that is not, with the reason it is left. */
import { classifyFailure } from "../../src/errors/index.ts";
import { leaveOneSourceOut } from "./leave-one-out.ts";
import { whyLeft } from "./left.ts";
import { scoreTexts, scoreThrown } from "./score.ts";
import type { Score } from "./score.ts";

/** What has to be reached, in percent. */
const GOALS = { textAction: 98, textKind: 93, thrownAction: 99 };

function report(name: string, score: Score, listMisses: boolean): void {
  console.log(
    `${name.padEnd(34)} ${String(score.rows).padStart(4)} rows   action ${score.action.toFixed(1)} %   kind ${score.kind.toFixed(1)} %`,
  );
  if (!listMisses) return;
  for (const miss of score.misses) {
    console.log(
      `  ${miss.id} ${miss.action ? "ACTION" : "kind"}: ${miss.wanted} wanted, ${miss.got} by ${miss.rule}: ${JSON.stringify(miss.text.slice(0, 90))}`,
    );
    console.log(`    ${whyLeft(miss.id)}`);
  }
}

const texts = scoreTexts(classifyFailure, true);
const thrown = scoreThrown(classifyFailure);
report("errors.jsonl, with their status", texts, true);
report("errors.jsonl, as bare text", scoreTexts(classifyFailure, false), false);
report("thrown.jsonl, as objects", thrown, true);
const left = leaveOneSourceOut();
console.log(
  `${"errors.jsonl, leave one source out".padEnd(34)} ${String(left.rows).padStart(4)} rows   action ${left.action.toFixed(1)} %   kind ${left.kind.toFixed(1)} %`,
);

const reached = texts.action >= GOALS.textAction && texts.kind >= GOALS.textKind && thrown.action >= GOALS.thrownAction;
console.log(reached ? "Every goal is reached." : `Not reached: ${JSON.stringify(GOALS)}`);
process.exitCode = reached ? 0 : 1;
