// Suites that need a real component (kube-apiserver, BIND9, QEMU, ...). They skip themselves where it is not there.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Real components have a time of their own: on a busy machine one may come later than a test takes for the last moment.
    retry: 1,
    include: ["{packages,operators}/*/{src,test}/**/*.real.test.ts", "tools/**/*.real.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 900_000,
    fileParallelism: false,
  },
});
