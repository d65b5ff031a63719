import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/browser/**"],
    reporters: ["default", "./test/tools/count-reporter.ts"],
    // Real sockets and child processes of some tests take their time on a small machine; nothing waits for the sake of waiting.
    testTimeout: 30_000,
  },
});
