// The recorded cases, live against a real kube-apiserver and the embedded one beside it. Some answers are chance there, so this
// runs on its own; `npm test` compares with the recordings.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/apiserver/test/**/*.differential.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 900_000,
  },
});
