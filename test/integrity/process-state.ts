import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Collects garbage until `done` says so, or `rounds` times. */
export async function collectUntil(done: () => boolean, rounds = 50): Promise<void> {
  for (let round = 0; round < rounds && !done(); round += 1) {
    // What was looked at through a WeakRef lives to the end of the job it was looked at in.
    await new Promise((resolve) => setTimeout(resolve, 5));
    collectGarbage();
  }
}

/** Bytes of the heap in use, garbage collected. */
export async function heapInUse(): Promise<number> {
  await collectUntil(() => false, 3);
  return process.memoryUsage().heapUsed;
}

/** How many sockets, servers and timers keep the process alive, by kind. */
export function handles(): Record<string, number> {
  const counts: Record<string, number> = {};
  const kinds = process.getActiveResourcesInfo().filter((kind) => /TCP|TLS|Timeout|Pipe/u.test(kind));
  for (const kind of kinds.toSorted((one, other) => one.localeCompare(other))) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Waits until `handles()` is as given, or the time is over. */
export async function handlesAre(wanted: Record<string, number>, withinMs: number): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  const same = (): boolean => JSON.stringify(handles()) === JSON.stringify(wanted);
  while (!same() && performance.now() < giveUpAt) await new Promise((resolve) => setTimeout(resolve, 5));
}
