// Suites that need a real component (kube-apiserver, BIND9, QEMU, ...). They skip themselves where it is not there, and fail with
// TELLTALE_REQUIRE=all. They mostly wait, so that two run at a time; each has ports, folders and a control plane of its own.
import { defineConfig } from "vitest/config";

/** Those that look many times a second from outside: what runs beside them would be seen as a gap. */
const alone = [
  "operators/bindy/test/upstream-changes.real.test.ts",
  "operators/virtrigaud/test/rolling-update.real.test.ts",
  "packages/apiserver/test/limits.real.test.ts",
];

export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 900_000,
    projects: [
      {
        extends: true,
        test: {
          name: "two at a time",
          include: ["{packages,operators}/*/{src,test}/**/*.real.test.ts", "tools/**/*.real.test.ts"],
          exclude: [...alone, "**/node_modules/**"],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: "alone", include: alone, maxWorkers: 1, fileParallelism: false, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
