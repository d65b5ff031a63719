import { durationText } from "../../errors/index.ts";
import type { SessionState } from "../../session/state.ts";
import type { Look } from "./look.ts";

const BAR_CELLS = 12;
const BAR_FILLED = 4;

/** How often what moves is drawn anew, in milliseconds. */
const TICK_MS = 120;

/** When what is shown of a state under way changes by itself, in milliseconds from now; undefined at rest. */
export function nextTickMs(state: SessionState, now: number): number | undefined {
  if (!state.busy) return undefined;
  if (state.state !== "backoff" || state.retryAt === null) return TICK_MS;
  // To the next whole second, so that none is skipped.
  return Math.max(0, (state.retryAt - now) % 1000) || 1000;
}

/** What is under way, and what stops it; undefined at rest. */
export function activityRow(
  state: SessionState,
  what: string,
  since: number,
  now: number,
  look: Look,
): { row: string; hint: string } | undefined {
  const { style, signs } = look;
  const turn = style("cyan", turnOf(look, now));
  const seconds = style("dim", ` ${Math.floor((now - since) / 1000)} s`);
  switch (state.state) {
    case "running":
      return { row: `${turn} ${what}${seconds}`, hint: "Esc stops" };
    case "aborting":
      return { row: `${turn} stopping${signs.ellipsis}`, hint: "" };
    case "backoff": {
      const left = Math.max(0, Math.ceil(((state.retryAt ?? now) - now) / 1000));
      return {
        row: style(
          "yellow",
          `${signs.retry} retry ${state.attempt} of ${state.maxAttempts} in ${left < 120 ? `${left} s` : durationText(left * 1000)}`,
        ),
        hint: "Esc gives up",
      };
    }
    case "compacting":
      return { row: `${style("cyan", bar(look, now))} compacting${seconds}`, hint: "Esc stops" };
    default:
      return undefined;
  }
}

export function turnOf({ spinner }: Look, now: number): string {
  return spinner[Math.floor(now / TICK_MS) % spinner.length] ?? "";
}

/** How long a summary takes nobody knows: the bar shows that it is being written, not how far it is. */
function bar({ signs }: Look, now: number): string {
  const first = Math.floor(now / TICK_MS) % BAR_CELLS;
  const filled = (cell: number): boolean => (cell - first + BAR_CELLS) % BAR_CELLS < BAR_FILLED;
  return Array.from({ length: BAR_CELLS }, (_, cell) => (filled(cell) ? signs.full : signs.empty)).join("");
}
