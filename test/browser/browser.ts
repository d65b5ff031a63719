import { existsSync } from "node:fs";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Where distributions put Chromium; `CHROMIUM` names another place. */
const PLACES = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export async function launch(): Promise<Browser> {
  const executablePath = PLACES.find((place) => place !== undefined && existsSync(place));
  if (executablePath === undefined)
    throw new Error("These tests need Chromium: apt-get install chromium, or set CHROMIUM to its path.");
  return chromium.launch({ executablePath, args: FLAGS });
}

/** A page with all it asked for, and all it complained of. */
export interface WatchedPage {
  page: Page;
  requests: string[];
  complaints: string[];
}

export async function open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const watched: WatchedPage = { page, requests: [], complaints: [] };
  page.on("request", (request) => watched.requests.push(request.url()));
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && watched.complaints.push(message.text()));
  page.on("pageerror", (error) => watched.complaints.push(error.message));
  await page.goto(url);
  return watched;
}
