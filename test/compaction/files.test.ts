import { describe, expect, test } from "vitest";
import { collectTouchedFiles } from "../../src/compaction/files.ts";
import { calling, result } from "./conversation.ts";

describe("the files a session touched", () => {
  test("are what its tool calls name", () => {
    const messages = [
      calling(
        ["a", "read", { path: "a.ts" }],
        ["b", "write", { file_path: "b.ts", text: "x" }],
        ["c", "edit", { paths: ["c.ts", "d.ts", 5, ""] }],
      ),
      result("a", "ok"),
      result("b", "ok"),
      result("c", "ok"),
    ];
    expect(collectTouchedFiles([], messages)).toEqual({ readFiles: ["a.ts"], modifiedFiles: ["b.ts", "c.ts", "d.ts"] });
  });
  test("are not those of a call that failed, also where ids are given anew in each reply", () => {
    const messages = [
      calling(["call_0", "write", { path: "written.ts" }]),
      result("call_0", "ok"),
      calling(["call_0", "write", { path: "failed.ts" }]),
      result("call_0", "disk full", { isError: true }),
    ];
    expect(collectTouchedFiles([], messages).modifiedFiles).toEqual(["written.ts"]);
  });
  test("are those of a call whose result is not known", () => {
    expect(collectTouchedFiles([], [calling(["a", "write", { path: "perhaps.ts" }])]).modifiedFiles).toEqual(["perhaps.ts"]);
  });
  test("count as modified once they were, and as read no more", () => {
    const earlier = [{ readFiles: ["a.ts", "b.ts"], modifiedFiles: ["c.ts"] }];
    const messages = [
      calling(["a", "write", { path: "a.ts" }], ["b", "read", { path: "c.ts" }]),
      result("a", "ok"),
      result("b", "ok"),
    ];
    expect(collectTouchedFiles(earlier, messages)).toEqual({ readFiles: ["b.ts"], modifiedFiles: ["c.ts", "a.ts"] });
  });
  test("of earlier summaries are taken from whatever details these have", () => {
    expect(
      collectTouchedFiles([undefined, null, "text", { readFiles: "a.ts", modifiedFiles: [1, "b.ts"] }, { other: true }], []),
    ).toEqual({
      readFiles: ["a.ts"],
      modifiedFiles: ["b.ts"],
    });
  });
  test("are the newest two hundred of each kind", () => {
    const many = Array.from({ length: 300 }, (_, index) => `${index}.ts`);
    const { readFiles } = collectTouchedFiles(
      [{ readFiles: many }],
      [calling(["a", "read", { path: "0.ts" }]), result("a", "ok")],
    );
    expect(readFiles).toHaveLength(200);
    expect(readFiles.slice(-2)).toEqual(["299.ts", "0.ts"]);
  });
  test("are found by the names of the application's own tools", () => {
    const tools = { read: ["laden"], modify: ["sichern"], pathArguments: ["datei"] };
    const messages = [
      calling(["a", "laden", { datei: "a.txt" }], ["b", "read", { path: "b.txt" }]),
      result("a", "ok"),
      result("b", "ok"),
    ];
    expect(collectTouchedFiles([], messages, tools)).toEqual({ readFiles: ["a.txt"], modifiedFiles: [] });
  });
});
