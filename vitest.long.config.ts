// What takes too long for `npm run test:real`: the same questions asked of real components more often.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{packages,operators}/*/{src,test}/**/*.long.test.ts"],
    testTimeout: 600_000,
    hookTimeout: 900_000,
    fileParallelism: false,
  },
});
