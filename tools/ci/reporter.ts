// The reporter of CI's stages: `TELLTALE_STAGE=test:real npm run test:real -- --reporter default --reporter ./tools/ci/reporter.ts`.
import { readFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";
import { type Counts, judge } from "./counts.ts";

const file = new URL("../../.ci/tests.json", import.meta.url);

export default class StageReporter implements Reporter {
  readonly #started = performance.now();

  onTestRunEnd(modules: readonly TestModule[]): void {
    const stage = process.env["TELLTALE_STAGE"] ?? "";
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const of = (state: string) => tests.filter((test) => test.result().state === state);
    const ran = {
      stage,
      passed: of("passed").length,
      skipped: of("skipped").map((test) => `${test.module.relativeModuleId} > ${test.fullName}`),
      seconds: (performance.now() - this.#started) / 1000,
    };
    const { lines, isFewer } = judge(ran, JSON.parse(readFileSync(file, "utf8")) as Counts);
    for (const line of lines) console.log(line);
    if (isFewer) process.exitCode = 1;
  }
}
