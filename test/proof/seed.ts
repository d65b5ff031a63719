/** Seed of every random test of the proof; set PROOF_SEED to run others, PROOF_RUNS for more of them. */
export const seed = Number(process.env["PROOF_SEED"] ?? 20_261_130);

/** Runs of a random test: `usual`, or as many times that as PROOF_RUNS says. */
export function runs(usual: number): number {
  return Math.ceil(usual * Number(process.env["PROOF_RUNS"] ?? 1));
}
