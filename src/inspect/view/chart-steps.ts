import type { RecordOf } from "./records.ts";

/**
 * The arrows a step went along, as the chart names them. A step names the innermost states; an arrow may begin or end at the frame
 * around them.
 *
 * @param arrows The steps all arrows of the chart stand for.
 */
export function arrowsOf({ path, input }: Pick<RecordOf<"step">, "path" | "input">, arrows: ReadonlySet<string>): string[] {
  return path.flatMap((step) => {
    const [source = "", target = ""] = step.split(">");
    // A run may end while it is being aborted: then it was the run that ended it, not the grace time.
    const inner = source === "running.aborting" && input.type !== "xstate.done.actor.abortGrace" ? parentOf(source) : source;
    const candidates = [
      `${inner}>${target}`,
      `${inner}>${parentOf(target)}`,
      `${parentOf(inner)}>${target}`,
      `${parentOf(inner)}>${parentOf(target)}`,
    ];
    return candidates.filter((candidate) => arrows.has(candidate)).slice(0, 1);
  });
}

function parentOf(state: string): string {
  return state.split(".")[0] ?? state;
}
