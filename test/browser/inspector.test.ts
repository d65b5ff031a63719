import axe from "axe-core";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createInspector, readTrace, recordTrace, type Inspector } from "../../src/inspect/index.ts";
import { launch, open } from "./browser.ts";
import { picture } from "./pictures.ts";
import { FIRST_TURNS, HANGING, intoBackoff, OVERLOADED, REFUSED, scene, TOO_LONG, until, type Scene } from "./scenes.ts";

let browser: Browser;
const opened: { close(): Promise<unknown> }[] = [];
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
  for (const thing of opened.splice(0)) await thing.close();
});

async function inspectorOf(scenes: readonly Scene[], control = false): Promise<Inspector> {
  const inspector = await createInspector({ control });
  opened.push(inspector);
  for (const { session } of scenes) {
    inspector.attach(session);
    opened.push({ close: () => session.dispose() });
  }
  return inspector;
}

const chip = (page: Page) => page.locator("article:visible .session-head .chip");
const activeStates = (page: Page) =>
  page.locator(".chart-wide .state.active").evaluateAll((nodes) => nodes.map((node) => node.getAttribute("data-state")));
const takenArrows = (page: Page) =>
  page.locator(".chart-wide .edge.taken").evaluateAll((nodes) => nodes.map((node) => node.getAttribute("data-steps")));
const firedRule = (page: Page) => page.locator('li[data-verdict="fired"]').getAttribute("data-rule");
const eventNames = (page: Page) =>
  page.locator("tr[data-event]").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-event")));

async function shows(page: Page, text: string): Promise<void> {
  await chip(page).filter({ hasText: text }).waitFor();
}

describe("a live session with a retry, an overflow recovery and an abort", () => {
  test("is shown step by step, and loads nothing from elsewhere", async () => {
    const live = scene("parser fix", [
      ...FIRST_TURNS,
      OVERLOADED,
      "Fixed, with a test for it.",
      TOO_LONG,
      "The parser lost the last line; fixed.",
      "Nothing else is open.",
      HANGING,
    ]);
    const inspector = await inspectorOf([live], true);
    const { page, requests, complaints } = await open(browser, inspector.url);
    await shows(page, "idle");

    await intoBackoff(live);
    live.session.steer("Run the linter too.");
    await shows(page, "backoff");
    expect(await activeStates(page)).toEqual(["backoff"]);
    expect(await takenArrows(page)).toEqual(["running>deciding", "deciding>backoff"]);
    expect(await firedRule(page)).toBe("retryFailure");
    const facts = page.locator(".facts");
    expect(await facts.getByRole("group", { name: "Retries" }).innerText()).toContain("1 of 3");
    expect(await facts.getByRole("group", { name: "Wait" }).innerText()).toMatch(/[5-8]\.\d s/);
    await facts.getByRole("group", { name: "Queues" }).filter({ hasText: "Run the linter too." }).waitFor();
    const failure = page.getByRole("region", { name: "Failure" });
    expect(await failure.innerText()).toMatch(/retry: it may pass[\s\S]*overloaded/);
    expect(await page.locator(".message.omitted").innerText()).toContain("not shown to the model: a reply that failed");
    const folded = page.locator(".message summary").filter({ hasText: /All of it: \d{3} lines/ });
    await folded.click();
    await page.locator(".message details[open]").getByText("ok 20 - parser keeps token 20 of").waitFor();
    await folded.click();
    await page.locator(".messages .scroller").evaluate((scroller) => scroller.scrollTo(0, scroller.scrollHeight));
    await picture(page, "inspector-backoff", { fullPage: true });

    // The countdown goes on by itself.
    const before = await facts.getByRole("group", { name: "Wait" }).innerText();
    await page.waitForFunction((text) => document.querySelector('[aria-label="Wait"]')?.textContent !== text, before);

    live.clock.advance(8000);
    await shows(page, "settled · completed");
    expect(await facts.getByRole("group", { name: "Retries" }).innerText()).toContain("none");
    expect(await failure.innerText()).toContain("None");

    void live.session.prompt("Anything else?");
    await until(() => live.session.state.state === "settled");
    await page.locator('tr[data-event="compaction_end"]').waitFor();
    await shows(page, "settled · completed");
    await facts.getByRole("group", { name: "Overflow recovery" }).filter({ hasText: "used" }).waitFor();
    expect(await page.locator('.message[data-who="summary"]').innerText()).toContain("shown first");
    expect(await page.locator(".message.omitted").filter({ hasText: "replaced by the summary" }).count()).toBeGreaterThan(0);

    void live.session.prompt("Look at the change once more.");
    await page.locator(".message.streaming").filter({ hasText: "the tests first" }).waitFor();
    expect(await activeStates(page)).toEqual(["running", "running.live"]);
    await page.getByRole("button", { name: "Abort", exact: true }).click();
    await shows(page, "settled · aborted");
    expect(await firedRule(page)).toBe("aborted");
    expect(await eventNames(page)).toEqual(
      expect.arrayContaining(["ABORT", "auto_retry_start", "auto_retry_end", "agent_settled"]),
    );

    expect(complaints).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(new URL(inspector.url).origin))).toEqual([]);
  });

  test("read only, the page has nothing to press that changes a session", async () => {
    const inspector = await inspectorOf([scene("read only", [])]);
    const { page } = await open(browser, inspector.url);
    await shows(page, "idle");
    expect(await page.getByText("read only", { exact: true }).count()).toBeGreaterThan(0);
    expect(await page.getByRole("group", { name: "Control" }).count()).toBe(0);
  });

  test("with control, a message steers it, and what is refused is said", async () => {
    const live = scene("steered", ["Hello."]);
    const inspector = await inspectorOf([live], true);
    const { page } = await open(browser, inspector.url);
    await page.getByRole("textbox", { name: "Message to the session" }).fill("Say hello");
    await page.keyboard.press("Enter");
    await shows(page, "settled · completed");
    expect(await page.locator(".message").allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringContaining("Say hello"), expect.stringContaining("Hello.")]),
    );
    await page.getByRole("button", { name: "Compact", exact: true }).click();
    await page.locator(".said").filter({ hasText: /\w/ }).waitFor();
  });
});

describe("time travel", () => {
  async function recordedScene(): Promise<string> {
    const live = scene("recorded", [...FIRST_TURNS, OVERLOADED, "Fixed, with a test for it."]);
    let text = "";
    recordTrace(live.session, (line) => (text += line));
    await intoBackoff(live);
    live.clock.advance(8000);
    await until(() => live.session.state.state === "settled");
    await live.session.dispose();
    return text;
  }

  test("a trace is walked through with the keyboard, from its end to its beginning and back", async () => {
    const inspector = await inspectorOf([]);
    inspector.show("recorded.trace", readTrace(await recordedScene()));
    const { page } = await open(browser, inspector.url, { colorScheme: "dark" });
    await shows(page, "settled · completed");
    const moment = page.getByRole("slider", { name: "Moment of the session" });
    await moment.focus();
    await page.keyboard.press("Home");
    await shows(page, "idle");
    expect(await page.locator("tr[data-event]").count()).toBe(0);

    const forth = page.getByRole("button", { name: "Step forward" });
    const seen: string[] = [];
    for (let step = 0; step < 40 && (await forth.isVisible()); step += 1) {
      await forth.press("Enter");
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      const state = await chip(page).innerText();
      if (seen.at(-1) !== state) seen.push(state);
      if (state !== "backoff") continue;
      expect(await firedRule(page)).toBe("retryFailure");
      expect(await page.getByRole("group", { name: "Wait" }).innerText()).toMatch(/[78]\.\d s\s+of [78]\.\d s/);
      await picture(page, "inspector-time-travel");
    }
    expect(seen).toEqual([
      "idle",
      "running",
      "settled · completed",
      "running",
      "backoff",
      "running",
      "settled · completed",
      "settled · completed · closed",
    ]);
    await page.getByRole("button", { name: "Step back" }).press("Enter");
    await page.getByRole("button", { name: "To the end" }).click();
    await shows(page, "closed");
  });

  test("a live session can be looked back upon while it goes on, and followed again", async () => {
    const live = scene("live", ["One.", "Two."]);
    const inspector = await inspectorOf([live], true);
    const { page } = await open(browser, inspector.url);
    await live.session.prompt("Count");
    await shows(page, "settled");
    await page.getByRole("slider", { name: "Moment of the session" }).fill("1");
    await shows(page, "idle");
    expect(await page.getByRole("button", { name: "Compact", exact: true }).isDisabled()).toBe(true);
    await live.session.prompt("Go on");
    await shows(page, "idle");
    await page.getByRole("button", { name: "Follow live" }).click();
    await shows(page, "settled");
    await page.locator("li.message").last().filter({ hasText: "Two." }).waitFor();
  });
});

describe("many sessions", () => {
  test("stand side by side, each with its own state", async () => {
    const scenes = [
      scene("parser fix", [...FIRST_TURNS, OVERLOADED]),
      scene("review", [HANGING]),
      scene("release notes", [REFUSED]),
    ] as const;
    const inspector = await inspectorOf(scenes);
    const { page } = await open(browser, inspector.url, { viewport: { width: 1500, height: 1240 } });
    await intoBackoff(scenes[0]);
    void scenes[1].session.prompt("Review the change.");
    await scenes[2].session.prompt("Write the release notes.");
    await page.getByRole("button", { name: "Side by side" }).click();
    await page.locator("article:visible").nth(2).waitFor();
    await page.locator(".message.streaming:visible").waitFor();
    await expect.poll(() => chip(page).allInnerTexts()).toEqual(["backoff", "running", "settled · failed"]);
    await picture(page, "inspector-side-by-side");
    await page.getByRole("button", { name: "Side by side" }).click();
    await page.getByRole("button", { name: /release notes/ }).click();
    expect(await page.locator("article:visible").count()).toBe(1);
    expect(await page.getByRole("region", { name: "Failure" }).locator(":visible").first().isVisible()).toBe(true);
    await shows(page, "settled · failed");
  });
});

test("a session that is forgotten leaves the page, and the others stay", async () => {
  const kept = scene("kept", ["Hello."]);
  const inspector = await inspectorOf([kept]);
  const { page } = await open(browser, inspector.url);
  const tiles = page.locator("#sessions .tile-title");
  for (let index = 0; index < 23; index += 1) {
    const { session } = scene(`short ${index}`, []);
    inspector.attach(session);
    await session.dispose();
  }
  await tiles.filter({ hasText: "short 22" }).waitFor();
  await expect
    .poll(() => tiles.allInnerTexts())
    .toEqual(["kept", ...Array.from({ length: 21 }, (_, index) => `short ${index + 2}`)]);
  await kept.session.prompt("Hello");
  await shows(page, "settled · completed");
});

describe("for everybody", () => {
  test.each([
    ["light", 1360],
    ["dark", 1360],
    ["light", 390],
    ["dark", 390],
  ] as const)("an automated check finds nothing wrong: %s, %i pixels wide", async (colorScheme, width) => {
    const scenes = [scene("parser fix", [...FIRST_TURNS, OVERLOADED]), scene("release notes", [REFUSED])] as const;
    const inspector = await inspectorOf(scenes, true);
    const { page } = await open(browser, inspector.url, { colorScheme, viewport: { width, height: 844 } });
    await intoBackoff(scenes[0]);
    await scenes[1].session.prompt("Write the release notes.");
    await shows(page, "backoff");
    await page.evaluate(axe.source);
    const violations = await page.evaluate(async () => {
      const { violations: found } = await (window as unknown as { axe: typeof import("axe-core") }).axe.run(document, {
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
      });
      return found.map(
        ({ id, nodes }) =>
          `${id}: ${nodes
            .map(({ html }) => html)
            .join(" | ")
            .slice(0, 300)}`,
      );
    });
    expect(violations).toEqual([]);
  });

  test("on a phone nothing is wider than the screen", async () => {
    const live = scene("parser fix", [...FIRST_TURNS, OVERLOADED]);
    const inspector = await inspectorOf([live], true);
    const { page } = await open(browser, inspector.url, { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5 });
    await intoBackoff(live);
    await shows(page, "backoff");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await page.locator(".chart-narrow").isVisible()).toBe(true);
    await picture(page, "inspector-phone");
  });

  test("everything is reached and used with the keyboard", async () => {
    const live = scene("parser fix", [...FIRST_TURNS, OVERLOADED]);
    const inspector = await inspectorOf([live], true);
    const { page } = await open(browser, inspector.url);
    await intoBackoff(live);
    await shows(page, "backoff");
    const reached = new Set<string>();
    for (let press = 0; press < 60; press += 1) {
      await page.keyboard.press("Tab");
      reached.add(
        await page.evaluate(
          () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "",
        ),
      );
    }
    expect([...reached]).toEqual(
      expect.arrayContaining([
        "To the session",
        "Abort",
        "Abort retry",
        "Message to the session",
        "Moment of the session",
        "Messages of the session",
        "Events of the session",
        "Find in the events",
        "statechart",
      ]),
    );

    const { length } = await eventNames(page);
    await page.getByRole("button", { name: "statechart", exact: true }).press("Space");
    const filtered = await eventNames(page);
    expect(filtered.length).toBeLessThan(length);
    expect(filtered).not.toContain("PROMPT");
    await page.getByRole("searchbox", { name: "Find in the events" }).fill("retry 1 of 3");
    expect(await eventNames(page)).toEqual(["auto_retry_start"]);
  });
});

describe("a page of another origin", () => {
  let other: Server;
  let origin: string;
  beforeAll(async () => {
    other = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end("<!doctype html><title>elsewhere</title>");
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => other.close(resolve)));

  test.each(["127.0.0.1", "localhost"])(
    "on another port of this machine, as %s, gets nothing even if it knows the address",
    async (host) => {
      const live = scene("secret", [HANGING]);
      const inspector = await inspectorOf([live], true);
      void live.session.prompt("Keep this between us.");
      const { page } = await open(browser, origin.replace("127.0.0.1", host));
      const got = await page.evaluate(async (url) => {
        const loads = (element: HTMLElement): Promise<string> =>
          new Promise((resolve) => {
            element.addEventListener("load", () => resolve("loaded"));
            element.addEventListener("error", () => resolve("nothing"));
            document.body.append(element);
          });
        const asked = async (path: string, init?: RequestInit): Promise<string> => {
          try {
            return (await (await fetch(url + path, init)).text()) || "nothing";
          } catch {
            return "nothing";
          }
        };
        const listened: Promise<string> = new Promise((resolve) => {
          const source = new EventSource(`${url}events`);
          source.addEventListener("hello", () => resolve("told"));
          source.addEventListener("error", () => resolve("nothing"));
        });
        const command = { method: "POST", body: JSON.stringify({ session: "1", action: "abort" }) };
        return {
          read: await asked(""),
          readBlindly: await asked("events", { mode: "no-cors" }),
          command: await asked("control", command),
          commandBlindly: await asked("control", { ...command, mode: "no-cors" }),
          script: await loads(Object.assign(document.createElement("script"), { src: `${url}page/main.ts`, type: "module" })),
          picture: await loads(Object.assign(document.createElement("img"), { src: `${url}icon.svg` })),
          events: await listened,
        };
      }, inspector.url);
      expect(new Set(Object.values(got))).toEqual(new Set(["nothing"]));
      expect(live.session.state.state).toBe("running");

      await page.evaluate((url) => {
        const frame = document.createElement("iframe");
        frame.src = url;
        document.body.append(frame);
        return new Promise((resolve) => frame.addEventListener("load", resolve));
      }, inspector.url);
      const framed = page.frames().find((frame) => frame !== page.mainFrame());
      expect(await framed?.evaluate(() => document.querySelectorAll("article, #main").length).catch(() => 0)).toBe(0);
    },
  );
});
