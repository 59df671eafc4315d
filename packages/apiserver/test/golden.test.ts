// Every case of the golden corpus on this server, in this process: it must answer as the recorded kube-apiserver did.
import { seededRandom } from "@telltale/clock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCases, readRecordings } from "./golden/case.ts";
import { compare, show } from "./golden/compare.ts";
import { accepted } from "./golden/differences.ts";
import { type Embedded, startEmbedded } from "./golden/embedded.ts";
import { normalise } from "./golden/normalise.ts";
import { runCase } from "./golden/run.ts";

const random = seededRandom(1);
let server: Embedded;
beforeAll(async () => {
  server = await startEmbedded();
});
afterAll(() => server.stop());

for (const { area, cases } of readCases()) {
  describe(area, () => {
    const recorded = readRecordings("v1.36", area);
    for (const one of cases) {
      it(`${one.id} ${one.title}`, async () => {
        const target = server.target(one);
        const expected = recorded.get(one.id);
        if (expected === undefined) throw new Error(`${one.id} has no recording`);
        const got = normalise(one, await runCase(target, one, random), target);
        expect(show(compare(expected, got, accepted))).toBe("");
      });
    }
  });
}
