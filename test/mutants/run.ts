/**
 * Plants small faults, one at a time, in a copy of the tree, and asks the tests of the proof to find each: `npm run mutants`.
 * With arguments, only faults whose names contain one of them. Prints a table; fails if a fault is not found.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { plantedFaults, type PlantedFault } from "./faults.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const COPIED = ["machines", "src", "test/proof", "package.json", "tsconfig.json"];
/** Cheap first: most faults are found before the worlds are explored. */
const STAGES = [
  ["test/proof/machine.test.ts", "test/proof/found.test.ts", "test/proof/listeners.test.ts"],
  ["test/proof/walks.test.ts"],
  ["test/proof/races.test.ts"],
  ["test/proof/exploration.test.ts"],
];
const WORKERS = 2;
/** A fault that makes a test hang is found as well. */
const LONGEST_STAGE_MS = 300_000;

export interface MutantResult {
  name: string;
  file: string;
  /** The first test that failed; undefined when none did. */
  foundBy: string | undefined;
  seconds: number;
}

async function main(names: readonly string[]): Promise<void> {
  const wanted = plantedFaults.filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part)));
  const waiting = wanted.entries();
  const results: MutantResult[] = [];
  await Promise.all(
    Array.from({ length: WORKERS }, async () => {
      const tree = copyTree();
      try {
        for (const [index, fault] of waiting) {
          const result = await tryFault(tree, fault);
          results[index] = result;
          process.stdout.write(
            `${result.foundBy === undefined ? "MISSED" : "found "}  ${fault.name} (${result.foundBy ?? "-"}, ${result.seconds} s)\n`,
          );
        }
      } finally {
        rmSync(tree, { recursive: true, force: true });
      }
    }),
  );
  const found = results.filter(({ foundBy }) => foundBy !== undefined).length;
  process.stdout.write(`\n${found} of ${results.length} planted faults found\n`);
  const report = process.env["PROOF_MUTANTS_REPORT"];
  if (report !== undefined) writeFileSync(report, JSON.stringify(results, null, 2));
  if (found < results.length) process.exitCode = 1;
}

function copyTree(): string {
  const tree = mkdtempSync(join(tmpdir(), "planted-faults-"));
  for (const path of COPIED) cpSync(join(ROOT, path), join(tree, path), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(tree, "node_modules"));
  writeFileSync(
    join(tree, "vitest.config.ts"),
    `export default { test: { include: ["test/proof/*.test.ts"], bail: 1, testTimeout: ${LONGEST_STAGE_MS} } };\n`,
  );
  return tree;
}

async function tryFault(tree: string, { name, file, find, replace }: PlantedFault): Promise<MutantResult> {
  const path = join(tree, file);
  const sound = readFileSync(path, "utf8");
  if (!sound.includes(find)) throw new Error(`The fault "${name}" finds no place in ${file}: ${find}`);
  const started = performance.now();
  writeFileSync(
    path,
    sound.replace(find, () => replace),
  );
  try {
    let foundBy: string | undefined;
    for (const files of STAGES) {
      foundBy ??= await firstFailure(tree, files);
      if (foundBy !== undefined) break;
    }
    return { name, file, foundBy, seconds: Math.round((performance.now() - started) / 100) / 10 };
  } finally {
    writeFileSync(path, sound);
  }
}

/** Runs test files; gives the one that failed. */
function firstFailure(tree: string, files: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const args = ["node_modules/vitest/vitest.mjs", "run", "--root", tree, "--reporter=dot", ...files];
    const child = spawn(process.execPath, args, {
      cwd: tree,
      env: { ...process.env, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const note = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on("data", note);
    child.stderr.on("data", note);
    const limit = setTimeout(() => child.kill("SIGKILL"), LONGEST_STAGE_MS);
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(limit);
      if (code === 0) resolve(undefined);
      else resolve(/FAIL\s+(\S+\.test\.ts)/.exec(output)?.[1] ?? (code === null ? "time limit" : "a crash"));
    });
  });
}

await main(process.argv.slice(2));
