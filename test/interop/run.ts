/**
 * Opens our sessions with Pi and Pi's with ours, and compares what a model would be shown; then Pi's own RPC client drives our command. Installs the package into a temporary
 * folder: `npm run interop`. `--installed <directory>` uses one that is there; `--fixtures <directory>` also keeps what Pi wrote.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect, isDeepStrictEqual, parseArgs } from "node:util";
import fc from "fast-check";
import { openLog } from "../../src/log/index.ts";
import { apply, steps } from "../log/arbitrary-drafts.ts";
import { user } from "../log/drafts.ts";
import { contextDifferences } from "./compare.ts";
import { oldSessions, piSessions } from "./pi-session.ts";
import { installPi, loadPi, PI_PACKAGE, PI_VERSION } from "./pi.ts";
import type { Pi } from "./pi.ts";
import { rpcChecks } from "./rpc.ts";

const { values } = parseArgs({ options: { installed: { type: "string" }, fixtures: { type: "string" } } });
const directory = mkdtempSync(join(tmpdir(), "session-interop-"));
let passed = 0;
let failed = 0;

try {
  const installed = values.installed ?? directory;
  if (values.installed === undefined) {
    process.stdout.write(`Installing ${PI_PACKAGE}@${PI_VERSION} into a temporary folder\n`);
    installPi(directory);
  }
  await run(await loadPi(installed));
} finally {
  rmSync(directory, { recursive: true, force: true });
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

async function run(pi: Pi): Promise<void> {
  for (const [name, fill] of Object.entries(piSessions)) {
    await check(`we open what Pi wrote: ${name}`, () => oursReadsTheirs(pi, name, fill));
  }
  for (const [name, content] of Object.entries(oldSessions)) {
    await check(`we convert as Pi does: ${name}`, () => bothConvert(pi, name, content));
  }
  await check("Pi opens whatever we write, and goes on in it", () => theirsReadsOurs(pi));
  for (const [name, drive] of Object.entries(rpcChecks)) {
    await check(`Pi's RpcClient drives our command: ${name}`, () => drive(pi.RpcClient));
  }
}

async function check(name: string, test: () => Promise<string[]>): Promise<void> {
  const problems = await test().catch((error: unknown) => [inspect(error)]);
  if (problems.length === 0) passed += 1;
  else failed += 1;
  process.stdout.write(
    `${problems.length === 0 ? "ok  " : "FAIL"} ${name}\n${problems.map((problem) => `     ${problem}\n`).join("")}`,
  );
}

async function oursReadsTheirs(pi: Pi, name: string, fill: (typeof piSessions)[string]): Promise<string[]> {
  const session = pi.SessionManager.create("/project", join(directory, "theirs"));
  fill(session);
  const path = session.getSessionFile() ?? "";
  if (values.fixtures !== undefined) {
    mkdirSync(values.fixtures, { recursive: true });
    copyFileSync(path, join(values.fixtures, `${name}.jsonl`));
  }
  const before = readFileSync(path, "utf8");
  const log = await openLog(path);
  const problems = contextDifferences(pi, session, log);
  if (log.diagnostics.length > 0) problems.push(`diagnostics: ${JSON.stringify(log.diagnostics)}`);
  if (log.name !== session.getSessionName()) problems.push(`name: ${log.name}`);
  log.append(user("from us"));
  await log.close();
  if (!readFileSync(path, "utf8").startsWith(before)) problems.push("what Pi wrote was changed");
  return [...problems, ...contextDifferences(pi, pi.SessionManager.open(path), log)];
}

async function bothConvert(pi: Pi, name: string, content: string): Promise<string[]> {
  const [ours, theirs] = [join(directory, `${name}-ours.jsonl`), join(directory, `${name}-theirs.jsonl`)];
  writeFileSync(ours, content);
  writeFileSync(theirs, content);
  if (values.fixtures !== undefined) copyFileSync(ours, join(values.fixtures, `${name}.jsonl`));
  const log = await openLog(ours);
  await log.close();
  const problems = contextDifferences(pi, pi.SessionManager.open(log.path ?? ""), log);

  const converted = await openLog(theirs, { readOnly: true });
  const session = pi.SessionManager.open(theirs);
  const rewritten = await openLog(theirs, { readOnly: true });
  // Pi gives the entries of version 1 other ids at each conversion: compare what is said.
  if (!isDeepStrictEqual(converted.projection.messages(), rewritten.projection.messages()))
    problems.push("the conversions differ");
  if (readFileSync(ours, "utf8") !== content) problems.push("the original was changed");
  return [...problems, ...contextDifferences(pi, session, rewritten)];
}

async function theirsReadsOurs(pi: Pi): Promise<string[]> {
  let files = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const path = join(directory, `ours-${files++}.jsonl`);
      const log = await openLog(path, { durability: "none" });
      log.append(user("first"));
      for (const step of all) apply(log, step);
      log.moveTo(log.entries.at(-1)?.id ?? null);
      await log.close();

      const session = pi.SessionManager.open(path);
      const problems = contextDifferences(pi, session, log);
      if (session.getEntries().length !== log.entries.length) problems.push("entries are missing");
      if (session.getLeafId() !== log.leafId) problems.push("another leaf");
      if ((session.getSessionName() ?? "") !== (log.name ?? "").trim()) problems.push(`name: ${session.getSessionName()}`);
      for (const [id, label] of log.labels) if (session.getLabel(id) !== label) problems.push(`label of ${id}`);

      session.appendMessage({ role: "user", content: "from Pi", timestamp: 1 });
      const again = await openLog(path, { readOnly: true });
      problems.push(...contextDifferences(pi, session, again), ...again.diagnostics.map(({ message }) => message));
      if (problems.length > 0) throw new Error(problems.join("\n"));
    }),
    { numRuns: 300 },
  );
  return [];
}
