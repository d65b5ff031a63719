import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { startFaultServer } from "../../src/testing/fault-server.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(root, "test/docs/snippet-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** TypeScript of a page that stands alone: it imports what it needs. */
const snippets = ["README.md", "docs/embedding.md", "docs/resume.md"].flatMap((page) =>
  [...readFileSync(join(root, page), "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""], index) => ({
    page,
    index,
    code,
  })),
);

test.each(snippets)("snippet $index of $page runs", async ({ index, code }) => {
  const server = await startFaultServer({ script: [{ reply: { text: "an answer" } }, { reply: { text: "an answer" } }] });
  const file = join(folder, `snippet-${index}.ts`);
  writeFileSync(file, `${code}\nif (typeof session !== "undefined") await session.dispose();\n`);
  const child = spawn(process.execPath, ["--import", join(root, "test/tools/self.ts"), file], {
    cwd: folder,
    env: { PATH: process.env["PATH"], ANTHROPIC_API_KEY: "test", ANTHROPIC_BASE_URL: server.url },
  });
  let said = "";
  child.stdout.on("data", (data) => (said += data));
  child.stderr.on("data", (data) => (said += data));
  const [exitCode] = await once(child, "close");
  await server.close();
  rmSync(join(folder, "chat.jsonl"), { force: true });
  expect(exitCode, said).toBe(0);
});

test("the README embeds a session in about 15 lines", () => {
  const [first] = snippets;
  expect(first?.page).toBe("README.md");
  expect(first?.code.split("\n").filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(15);
});

test("the README opens with its two commands", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const commands = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code = ""]) => code.trim());
  expect(commands.slice(0, 2)).toEqual(["npm start", "npm test"]);
});
