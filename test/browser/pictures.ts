import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Page } from "playwright-core";

/** Takes a picture; with PICTURES=1 it replaces the one in the docs. */
export async function picture(page: Page, name: string, options: { fullPage?: boolean } = {}): Promise<void> {
  const { fullPage = false } = options;
  const path = fileURLToPath(new URL(`../../docs/images/${name}.png`, import.meta.url));
  await page.evaluate(() => window.scrollTo(0, 0));
  // What moves stands still.
  const image = await page.screenshot({
    fullPage,
    animations: "disabled",
    caret: "hide",
    ...(process.env["PICTURES"] ? { path } : {}),
  });
  expect(image.length).toBeGreaterThan(20_000);
  expect(image.length).toBeLessThan(400_000);
}
