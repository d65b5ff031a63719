import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A new empty directory; removed when the tests of the file are done. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "session-log-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
