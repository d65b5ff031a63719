import { describe, expect, test } from "vitest";
import { currentRequestOf, withNotes, withoutNotes } from "../../src/compaction/summary-notes.ts";

const files = { readFiles: ["a.ts", "b.ts"], modifiedFiles: ["c.ts"] };
const none = { readFiles: [], modifiedFiles: [] };

describe("the notes of a summary", () => {
  test("stand at its end, and can be taken off again", () => {
    const noted = withNotes("  The summary.\n", files, "Paint it\ngreen");
    expect(noted).toBe(
      "The summary.\n\n<current-request>\nPaint it\ngreen\n</current-request>\n\n<read-files>\na.ts\nb.ts\n</read-files>\n\n<modified-files>\nc.ts\n</modified-files>",
    );
    expect(withoutNotes(noted)).toBe("The summary.");
    expect(currentRequestOf(noted)).toBe("Paint it\ngreen");
  });
  test("are not there where there is nothing to note", () => {
    expect(withNotes("The summary.", none, "  ")).toBe("The summary.");
    expect(currentRequestOf("The summary.")).toBeUndefined();
  });
  test("leave the rest of a summary alone, whoever wrote it", () => {
    expect(withoutNotes("\nA <read-files> tag alone,\n\n<read-files>\na.ts\n</read-files>\nand more.\n")).toBe(
      "A <read-files> tag alone,\nand more.",
    );
  });
  test("quote at most two thousand characters of a request, head and tail", () => {
    const quoted = currentRequestOf(withNotes("x", none, `BEGIN${"x".repeat(5000)}END`)) ?? "";
    expect(quoted).toHaveLength(2000);
    expect(quoted).toMatch(/^BEGIN.*END$/);
  });
});
