import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "{packages,operators}/*/src/**/*.test.ts",
      "{packages,operators}/*/test/**/*.test.ts",
      "tools/**/*.test.ts",
    ],
    exclude: ["**/node_modules/**", "**/dist/**", "**/*.{real,differential}.test.ts"],
  },
});
