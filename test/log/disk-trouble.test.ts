import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LogError, openLog } from "../../src/log/index.ts";
import type { SessionLog } from "../../src/log/index.ts";
import { apply, steps } from "./arbitrary-drafts.ts";
import { temporaryDirectory } from "./directories.ts";
import { reply, user } from "./drafts.ts";
import { FailingDisk } from "./failing-disk.ts";
import type { DiskFault } from "./failing-disk.ts";

const directory = temporaryDirectory();
let files = 0;
const newPath = (): string => join(directory, String(files++), "s.jsonl");

async function expectReopensEqual(log: SessionLog): Promise<void> {
  const entries = JSON.parse(JSON.stringify(log.entries)) as unknown;
  await log.close();
  const again = await openLog(log.path as string);
  expect(JSON.parse(JSON.stringify(again.entries))).toEqual(entries);
  expect(again.diagnostics).toEqual([]);
  await again.close();
}

describe("an append that fails", () => {
  const faults: DiskFault[] = ["full", "full after a part", "stuck after a part"];
  test.each(faults)("(%s) throws, changes nothing, and the next goes on once the disk is well", async (fault) => {
    const disk = new FailingDisk();
    const log = await openLog(newPath(), { fileSystem: disk.fileSystem });
    log.append(user("a"));
    const before = readFileSync(log.path as string, "utf8");
    disk.fault = fault;
    for (const attempt of [() => log.append(user("b")), () => log.appendAll([user("c"), reply("d")])]) {
      expect(attempt).toThrow(expect.objectContaining({ name: "LogError", kind: "write", path: log.path }));
      expect(log.entries).toHaveLength(1);
      expect(log.projection.items).toHaveLength(1);
      expect(log.leafId).toBe(log.entries[0]?.id);
    }
    disk.fault = undefined;
    log.append(user("e"));
    expect(log.entries[1]?.parentId).toBe(log.entries[0]?.id);
    expect(readFileSync(log.path as string, "utf8")).toBe(`${before}${JSON.stringify(log.entries[1])}\n`);
    await expectReopensEqual(log);
  });

  test("names the file, the reason and the system's code", async () => {
    const disk = new FailingDisk();
    const log = await openLog(newPath(), { fileSystem: disk.fileSystem });
    log.append(user("a"));
    disk.fault = "full";
    expect(() => log.append(user("b"))).toThrow(
      expect.objectContaining({
        message: `The session file ${log.path} could not be written: ENOSPC: injected, write`,
        code: "ENOSPC",
      }),
    );
    disk.fault = undefined;
    await log.close();
  });

  test.each(["full", "full after a part", "cannot open", "cannot rename"] satisfies DiskFault[])(
    "(%s) as the first one leaves no file, and the next one makes it",
    async (fault) => {
      const disk = new FailingDisk();
      const log = await openLog(newPath(), { fileSystem: disk.fileSystem });
      disk.fault = fault;
      expect(() => log.append(user("a"))).toThrow(LogError);
      expect(readdirSync(dirname(log.path as string))).toEqual(["s.jsonl.lock"]);
      disk.fault = undefined;
      log.append(user("b"));
      expect(log.entries).toHaveLength(1);
      await expectReopensEqual(log);
    },
  );

  test("and any other, in any order, leaves memory and file equal", async () => {
    const fault = fc.option(
      fc.constantFrom<DiskFault>("full", "full after a part", "stuck after a part", "short writes", "cannot sync"),
      { nil: undefined },
    );
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.array(fault, { minLength: 5 }),
        fc.constantFrom("none" as const, "entry" as const),
        async (all, faults, durability) => {
          const disk = new FailingDisk();
          const log = await openLog(newPath(), { fileSystem: disk.fileSystem, durability });
          for (const [index, step] of all.entries()) {
            disk.fault = faults[index % faults.length];
            const before = [...log.entries];
            try {
              apply(log, step);
            } catch (error) {
              expect(error).toBeInstanceOf(LogError);
              expect(log.entries).toEqual(before);
            }
          }
          disk.fault = undefined;
          log.append(user("last"));
          await expectReopensEqual(log);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe("a short write", () => {
  test("is continued", async () => {
    const disk = new FailingDisk();
    const log = await openLog(newPath(), { fileSystem: disk.fileSystem });
    disk.fault = "short writes";
    log.append(user("a long text that takes several writes"));
    log.append(user("ä 世界"));
    await expectReopensEqual(log);
  });
});

describe("a file deleted under way", () => {
  test("fails one append, and the next writes the whole session anew", async () => {
    const log = await openLog(newPath());
    log.appendAll([user("a"), reply("b")]);
    rmSync(dirname(log.path as string), { recursive: true });
    expect(() => log.append(user("c"))).toThrow(
      expect.objectContaining({
        kind: "removed",
        message: `The session file ${log.path} was deleted. The next entry writes the session anew.`,
      }),
    );
    expect(log.entries).toHaveLength(2);
    expect(() => log.append(user("d"))).toThrow(expect.objectContaining({ kind: "write", code: "ENOENT" }));
    mkdirSync(dirname(log.path as string));
    log.append(user("e"));
    expect(log.entries).toHaveLength(3);
    await expectReopensEqual(log);
  });

  test("is told by flush as well", async () => {
    const log = await openLog(newPath());
    log.append(user("a"));
    rmSync(log.path as string);
    await expect(log.flush()).rejects.toThrow(expect.objectContaining({ kind: "removed" }));
    await log.close();
  });

  test("whose place another file has taken is not written over", async () => {
    const log = await openLog(newPath());
    log.append(user("a"));
    const path = log.path as string;
    rmSync(path);
    writeFileSync(path, "another");
    expect(() => log.append(user("b"))).toThrow(expect.objectContaining({ kind: "removed" }));
    expect(() => log.append(user("b"))).toThrow(
      expect.objectContaining({ kind: "changed", message: `There is another file at ${path}; nothing was written over it.` }),
    );
    expect(readFileSync(path, "utf8")).toBe("another");
    renameSync(path, `${path}.moved`);
    log.append(user("c"));
    await expectReopensEqual(log);
  });
});

describe("a file that another program changed", () => {
  test.each([
    ["grew", (path: string) => writeFileSync(path, '{"x":1}\n', { flag: "a" })],
    ["shrank", (path: string) => truncateSync(path, 10)],
  ])("because it %s is not written to any more", async (_how, change) => {
    const log = await openLog(newPath());
    log.append(user("a"));
    const path = log.path as string;
    change(path);
    const changed = readFileSync(path);
    expect(() => log.append(user("b"))).toThrow(expect.objectContaining({ kind: "changed" }));
    expect(log.entries).toHaveLength(1);
    expect(readFileSync(path).equals(changed)).toBe(true);
    await expect(log.close()).rejects.toThrow("was changed by another program");
    expect(existsSync(`${path}.lock`)).toBe(false);
  });
});

describe("durability", () => {
  test.each([
    ["none", 0, 0],
    ["settle", 0, 2],
    ["entry", 3, 3],
  ] as const)(
    "%s forces %i times in two appends, and %i times with the flush after them",
    async (durability, appending, flushing) => {
      const disk = new FailingDisk();
      const log = await openLog(newPath(), { fileSystem: disk.fileSystem, durability });
      log.append(user("a"));
      log.append(user("b"));
      expect(disk.syncs).toBe(appending);
      await log.flush();
      expect(disk.syncs).toBe(flushing);
      await log.flush();
      expect(disk.syncs).toBe(flushing);
      await log.close();
    },
  );

  test("a disk that does not confirm is told of by flush, and flush can be tried again", async () => {
    const disk = new FailingDisk();
    const log = await openLog(newPath(), { fileSystem: disk.fileSystem });
    log.append(user("a"));
    disk.fault = "cannot sync";
    await expect(log.flush()).rejects.toThrow(expect.objectContaining({ kind: "sync", code: "EIO" }));
    disk.fault = undefined;
    await log.flush();
    await expectReopensEqual(log);
  });

  test.each(["cannot sync", "cannot sync directories"] satisfies DiskFault[])(
    "of each entry: a first append the disk does not confirm (%s) leaves no file",
    async (fault) => {
      const disk = new FailingDisk();
      const log = await openLog(newPath(), { fileSystem: disk.fileSystem, durability: "entry" });
      disk.fault = fault;
      expect(() => log.append(user("a"))).toThrow(LogError);
      expect(readdirSync(dirname(log.path as string))).toEqual(["s.jsonl.lock"]);
      disk.fault = undefined;
      log.append(user("b"));
      await expectReopensEqual(log);
    },
  );

  test("the directory's list of files is part of it: flush fails as long as that cannot be saved", async () => {
    const disk = new FailingDisk();
    const log = await openLog(newPath(), { fileSystem: disk.fileSystem });
    log.append(user("a"));
    disk.fault = "cannot sync directories";
    await expect(log.flush()).rejects.toThrow(expect.objectContaining({ kind: "sync", code: "EIO" }));
    await expect(log.flush()).rejects.toThrow(expect.objectContaining({ kind: "sync", code: "EIO" }));
    disk.fault = undefined;
    await log.flush();
    await log.close();
  });

  test("of each entry: an append the disk does not confirm is no append", async () => {
    const disk = new FailingDisk();
    const log = await openLog(newPath(), { fileSystem: disk.fileSystem, durability: "entry" });
    log.append(user("a"));
    disk.fault = "cannot sync";
    expect(() => log.append(user("b"))).toThrow(LogError);
    expect(log.entries).toHaveLength(1);
    disk.fault = undefined;
    log.append(user("c"));
    await expectReopensEqual(log);
  });
});
