// The golden cases live on a real kube-apiserver: they must give what is recorded. With TELLTALE_RECORD=v1.36 they are
// recorded anew instead.
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assetsFor, type ControlPlane, startControlPlane } from "../../../tools/envtest/envtest.ts";
import { type Recording, readCases, readRecordings, recordingFile } from "./golden/case.ts";
import { compare, show } from "./golden/compare.ts";
import { normalise } from "./golden/normalise.ts";
import { benchUser, realTarget } from "./golden/real.ts";
import { runCase } from "./golden/run.ts";

const assets = assetsFor("the golden cases");
const version = process.env["TELLTALE_RECORD"];

describe.skipIf(assets === undefined)("a real kube-apiserver", () => {
  let plane: ControlPlane;
  let target: ReturnType<typeof realTarget>;
  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "", tokens: [benchUser] });
    target = realTarget(plane);
  });
  afterAll(async () => {
    target?.close();
    await plane?.stop();
  });

  for (const { area, cases } of readCases()) {
    const recorded = readRecordings("v1.36", area);
    const anew = new Map<string, Recording>(version === undefined ? [] : recorded);
    for (const one of cases) {
      it(`${one.id} ${one.title}`, async () => {
        const got = normalise(one, await runCase(target, one), target);
        anew.set(one.id, got);
        if (version !== undefined) return;
        const expected = recorded.get(one.id);
        expect(expected, "has no recording").toBeDefined();
        if (expected !== undefined) expect(show(compare(expected, got, []))).toBe("");
      });
    }
    afterAll(() => {
      if (version === undefined) return;
      const lines = cases.flatMap(({ id }) => anew.get(id) ?? []).map((line) => `${JSON.stringify(line)}\n`);
      writeFileSync(recordingFile(version, area), lines.join(""));
    });
  }
});
