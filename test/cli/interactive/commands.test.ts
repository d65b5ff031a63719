import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFileLog, openLog } from "../../../src/log/index.ts";
import { createSession } from "../../../src/session/session.ts";
import { heldModel } from "../../../src/testing/held-model.ts";
import { scriptedModel } from "../../../src/testing/scripted-model.ts";
import { temporaryFolder } from "../harness.ts";
import { CTRL_D, ENTER, ESCAPE, talk, UP } from "./talk.ts";

const overloaded = { failure: { status: 529, message: "Overloaded" } };

describe("commands", () => {
  test("/help lists commands and keys", async () => {
    const { type, text } = await talk({ rows: 60 });
    await type(`/help${ENTER}`);
    for (const name of [
      "/model [name]",
      "/compact",
      "/retry",
      "/sessions",
      "/explain",
      "/export",
      "/help",
      "/quit",
      "Alt-Enter",
      "Esc",
    ]) {
      expect(await text()).toContain(name);
    }
  });

  test("are offered while they are typed, and completed by Tab", async () => {
    const { type, text, terminal } = await talk();
    await type("/se");
    expect(await text()).toContain("/sessions  list the sessions of this folder, or open one");
    await type("\t");
    expect((await terminal.screen()).findLast((row) => row.startsWith("❯"))).toBe("❯ /sessions");
  });

  test("one that is not known is told, with what may have been meant; a path is a prompt", async () => {
    const model = heldModel();
    const { type, text } = await talk({ model });
    await type(`/modle${ENTER}`);
    expect(await text()).toContain("There is no command /modle. Did you mean model?");
    await type(`/usr/bin is what?${ENTER}`);
    expect(model.waiting).toHaveLength(1);
  });

  test("/model lists models, and takes one", async () => {
    const { type, text, context } = await talk();
    await type(`/model${ENTER}`);
    expect(await text()).toContain("Now: test/model.");
    await type(`/model demo${ENTER}`);
    expect(await text()).toContain("Model: demo/demo, window 200k.");
    expect(context.session.model.id).toBe("demo");
  });

  test("/compact shows a bar, and what came of it; Esc stops it", async () => {
    const long = "word ".repeat(4_000);
    const model = heldModel({ contextWindow: 100_000 });
    const { type, text, pass } = await talk({ model, settings: { compaction: { keepRecentTokens: 100 } } });
    for (const prompt of ["one", "two"]) {
      await type(`${prompt}${ENTER}`);
      model.waiting[0]?.answer(long);
      await type("");
    }
    await type(`/compact${ENTER}`);
    expect(await text()).toMatch(/[█░]{12} compacting 0 s · Esc stops/);
    await type(ESCAPE);
    await pass(100);
    expect(await text()).toContain("Compaction stopped.");
    await type(`/compact the names${ENTER}`);
    expect(JSON.stringify(model.waiting[0]?.request.messages)).toContain("the names");
    model.waiting[0]?.answer("A summary.");
    await type("");
    expect(await text()).toMatch(/Compacted: about \d+ tokens before, \d+ now\./);
  });

  test("a prompt that a compaction has to go before is shown waiting", async () => {
    const long = "word ".repeat(2_000);
    const model = heldModel({ contextWindow: 8_000 });
    const { type, text, context } = await talk({ model, settings: { compaction: { enabled: false, keepRecentTokens: 100 } } });
    for (const prompt of ["one", "two", "three"]) {
      await type(`${prompt}${ENTER}`);
      model.waiting[0]?.answer(long);
      await type("");
    }
    context.session.setSettings({ compaction: { enabled: true } });
    await type(`and then?${ENTER}`);
    expect(await text()).toMatch(/compacting 0 s · Esc stops\n» next: and then\?\n/);
    model.waiting[0]?.answer("A summary.");
    await type("");
    expect(await text()).toContain("❯ and then?\n");
    expect(await text()).not.toContain("next: and then?");
  });

  test("/explain says why the last prompt failed, and explains any error", async () => {
    const { type, text, pass } = await talk({ model: [{ failure: { status: 401, message: "invalid x-api-key" } }], rows: 60 });
    await type(`hello${ENTER}`);
    await pass(100);
    await type(`/explain${ENTER}`);
    expect(await text()).toMatch(/kind {4}auth\naction {2}stop\nrule/);
    await type(`/explain 529 Overloaded${ENTER}`);
    expect(await text()).toContain("overloaded");
  });

  test("/export writes the session as Markdown, over no other file", async () => {
    const home = temporaryFolder();
    const { type, text } = await talk({ model: ["Blue."], home });
    await type(`what colour?${ENTER}`);
    await type(`/export talk.md${ENTER}`);
    expect(readFileSync(join(home, "talk.md"), "utf8")).toContain("what colour?\n\n## Assistant (model)\n\nBlue.");
    await type(`/export talk.md${ENTER}`);
    expect(await text()).toContain("talk.md exists already: name another file.");
  });

  test("while it works, those that would take the session away are refused", async () => {
    const { type, text } = await talk({ model: heldModel() });
    await type(`hello${ENTER}`);
    await type(`/new${ENTER}`);
    expect(await text()).toContain("The session is working: stop it with Esc first.");
  });
});

describe("sessions", () => {
  test("/new begins one, /sessions lists them, and opens one by its number", async () => {
    const home = temporaryFolder();
    const { type, text, pass, until, context } = await talk({ args: [], home, rows: 60 });
    await type(`first talk${ENTER}`);
    await pass(2_000);
    await pass(4_000);
    await until("to ask a model.");
    const first = context.session.log.path;
    await type(`/new${ENTER}`);
    await until("session ");
    await type(`/sessions${ENTER}`);
    await until("/sessions NUMBER opens one.");
    expect(await text()).toMatch(/ 1 {2}[0-9a-f]{8} {2}.* ago {2}first talk/);
    await type(`/sessions 1${ENTER}`);
    await until("❯ first talk\n\nThis is the demo");
    expect(first !== undefined && existsSync(first)).toBe(true);
  });

  test("one that another process has open is refused, and the talk goes on where it was", async () => {
    const home = temporaryFolder();
    const held = await createFileLog(join(home, "elsewhere"), { cwd: home });
    const other = createSession({ model: scriptedModel(["Kept."]), log: held });
    await other.prompt("hello");
    const { type, text, until, context } = await talk({ args: [], home });
    await type(`/sessions ${held.path}${ENTER}`);
    await until("open in");
    expect(context.session.state.busy).toBe(false);
    await type(`still there?${ENTER}`);
    expect(await text()).toContain("❯ still there?");
    await other.dispose();
  });

  test("one that was interrupted offers to go on: Enter does", async () => {
    const home = temporaryFolder();
    const before = createSession({
      model: scriptedModel([{ text: "unfinished", hang: true }]),
      log: await createFileLog(home, { cwd: home }),
    });
    void before.prompt("a long task");
    await new Promise((resolve) => setImmediate(resolve));
    const path = before.log.path ?? "";
    await before.dispose();

    const log = await openLog(path, {});
    const { type, text, until } = await talk({ model: ["Done now."], log });
    expect(await text()).toContain("❯ a long task");
    expect(await text()).toMatch(/(interrupted|failed).*Enter goes on with it \(\/retry\)/);
    await type(ENTER);
    await until("Done now.");
    expect(await text()).not.toContain("· Enter goes on");
  });

  test("/retry after a failure asks again; without one there is nothing to go on with", async () => {
    const { type, text, until } = await talk({ model: [overloaded, "Better."], settings: { retry: { enabled: false } } });
    await type(`/retry${ENTER}`);
    expect(await text()).toMatch(/nothing to continue|Nothing to continue/);
    await type(`hello${ENTER}`);
    expect(await text()).toContain("failed: 529 Overloaded");
    await type(`/retry${ENTER}`);
    await until("Better.");
  });

  test("prompts are remembered from one start to the next, with several lines too", async () => {
    const home = temporaryFolder();
    const first = await talk({ args: [], home });
    await first.type(`one\ntwo${ENTER}`);
    await first.pass(2_000);
    await first.pass(4_000);
    await first.type(CTRL_D);
    await first.ended;
    const second = await talk({ args: [], home });
    await second.type(UP);
    expect((await second.terminal.screen()).slice(-3, -1)).toEqual(["❯ one", "  two"]);
  });
});
