import { defineConfig } from "vitest/config";

/** Plays in a real terminal: `npm run test:terminal`. `npm test` does without. */
export default defineConfig({
  test: {
    include: ["test/terminal/**/*.play.ts"],
    reporters: ["default", "./test/tools/count-reporter.ts"],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
