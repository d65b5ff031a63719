import { defineConfig } from "vitest/config";

/** Tests in a real browser: `npm run test:browser`. `npm test` does without. */
export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    reporters: ["default", "./test/tools/count-reporter.ts"],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
