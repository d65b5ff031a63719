import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** Writes a generated page, when its generator is the program that was started (and not imported by a test). */
export async function saveWhenRun(moduleUrl: string, page: string, render: () => string | Promise<string>): Promise<void> {
  if (process.argv[1] !== fileURLToPath(moduleUrl)) return;
  const path = fileURLToPath(new URL(`../../${page}`, import.meta.url));
  await writeFile(path, await render());
  console.log(`wrote ${page}`);
}
