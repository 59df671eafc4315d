import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Machines are slow now and then; what hangs is found all the same.
    testTimeout: 30_000,
    include: [
      "{packages,operators}/*/src/**/*.test.ts",
      "{packages,operators}/*/test/**/*.test.ts",
      "tools/**/*.test.ts",
    ],
    exclude: ["**/node_modules/**", "**/dist/**", "**/*.{real,differential}.test.ts"],
  },
});
