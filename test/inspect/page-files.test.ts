import { describe, expect, test } from "vitest";
import { pageFiles } from "../../src/inspect/page-files.ts";

const files = await pageFiles();

describe("what the page consists of", () => {
  test("weighs under 150 KB in all", () => {
    const bytes = [...files.values()].reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
    expect(bytes).toBeLessThan(150 * 1024);
  });

  test("is closed: every module it imports is served, and nothing comes from elsewhere", () => {
    for (const [path, { type, body }] of files) {
      if (!type.startsWith("text/javascript")) continue;
      for (const [, specifier = ""] of body.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)) {
        const target = new URL(specifier, `http://page/${path}`).pathname.slice(1);
        expect([...files.keys()], `${path} imports ${specifier}`).toContain(target);
      }
      expect(body.replaceAll("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:\/\//);
    }
  });

  test("loads its script, style and icon from beside it", () => {
    const page = files.get("")?.body ?? "";
    for (const [, link = ""] of page.matchAll(/(?:href|src)="([^"#]+)"/g)) expect([...files.keys()]).toContain(link);
    expect(page).toContain('lang="en"');
  });
});
