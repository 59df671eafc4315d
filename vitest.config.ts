import { defineConfig } from "vitest/config";

// `npm run usage` records what operators use while their suites run.
const setupFiles = process.env["TELLTALE_USAGE"] === undefined ? [] : ["tools/usage/setup.ts"];

const exclude = ["**/node_modules/**", "**/dist/**", "**/*.{real,differential,long}.test.ts"];

export default defineConfig({
  test: {
    // Machines are slow now and then; what hangs is found all the same.
    testTimeout: 30_000,
    // By itself it leaves one core free, which of two is half.
    maxWorkers: "100%",
    setupFiles,
    projects: [
      {
        extends: true,
        test: {
          name: "packages",
          include: ["packages/*/{src,test}/**/*.test.ts", "tools/**/*.test.ts"],
          exclude,
        },
      },
      {
        extends: true,
        // Many small files that load much: each in a process of its own took twice as long, and none leaves anything behind.
        test: {
          name: "operators",
          include: ["operators/*/{src,test}/**/*.test.ts"],
          exclude,
          isolate: false,
        },
      },
    ],
  },
});
