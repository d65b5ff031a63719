import { defineConfig } from "vitest/config";

import { sourceOf } from "./test/tools/self.ts";

export default defineConfig({
  plugins: [
    { name: "self", enforce: "pre", resolveId: (id) => sourceOf(id) && new URL(String(sourceOf(id)), import.meta.url).pathname },
  ],
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    exclude: ["test/browser/**"],
    reporters: ["default", "./test/tools/count-reporter.ts"],
    // Real sockets and child processes of some tests take their time on a small machine; nothing waits for the sake of waiting.
    testTimeout: 30_000,
  },
});
