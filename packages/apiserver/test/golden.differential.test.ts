// The golden cases live on a real kube-apiserver: it must give what is recorded, and the embedded server what it gives.
// With TELLTALE_RECORD=v1.36 the cases are recorded anew instead.
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { assetsFor, type ControlPlane, startControlPlane } from "../../../tools/envtest/envtest.ts";
import { type Case, type Recording, readCases, readRecordings, recordingFile } from "./golden/case.ts";
import { compare, show } from "./golden/compare.ts";
import { type Accepted, accepted } from "./golden/differences.ts";
import { type Embedded, startEmbedded } from "./golden/embedded.ts";
import { normalise } from "./golden/normalise.ts";
import { benchUser, realTarget } from "./golden/real.ts";
import { runCase } from "./golden/run.ts";
import type { Target } from "./golden/target.ts";

const assets = assetsFor("the golden cases");
const version = process.env["TELLTALE_RECORD"];
/** A new definition takes a real server two seconds: many cases wait at the same time. */
vi.setConfig({ maxConcurrency: 16 });

/**
 * Webhooks see all requests, compaction forgets everybody's past, what is about time needs a server that has time, and a
 * server is the same as before only while nobody makes definitions: these run when no other does.
 */
const alone = ({ alone, webhook, steps }: Case): boolean =>
  alone === true ||
  webhook !== undefined ||
  steps.some((s) => s.do === "COMPACT" || s.elapsed !== undefined || s.path?.includes("timeoutSeconds=")) ||
  asksForNews({ steps });

const asksForNews = ({ steps }: Pick<Case, "steps">): boolean =>
  steps.some((s) => s.headers?.["if-none-match"] !== undefined);

/** Definitions of earlier cases leave the list of what is served seconds after they were deleted. */
async function restOfDiscovery(target: Target): Promise<void> {
  const headers = {
    accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
    authorization: `Bearer ${target.token}`,
  };
  for (let [seen, quiet] = ["", 0]; quiet < 20; ) {
    const answer = await target.request({ method: "GET", path: "/apis", headers });
    for await (const _ of answer.chunks);
    const [etag = ""] = answer.headers["etag"] ?? [];
    [seen, quiet] = [etag, etag !== "" && etag === seen ? quiet + 1 : 0];
    await target.pass(200);
  }
}

/** Where a recording depends on the age of the recorded server, or on its chance. */
const young: readonly Accepted[] = [
  {
    case: "S18",
    step: 9,
    pointer: "/body/status/reason",
    reason: "two bindings allow it, and which of them is named is chance on the real server",
  },
  {
    case: "R11",
    step: 2,
    pointer: "/pointers/~1items~1*~1metadata~1name",
    reason: "a list not older than an earlier version may still show what was deleted since",
  },
  {
    case: "R41",
    step: 1,
    reason:
      "a server that has just begun still holds every change of ConfigMaps since revision 1, and need not ask etcd",
  },
  {
    case: "R41",
    step: 5,
    pointer: "/pointers/~1metadata/resourceVersion",
    reason: "versions are ranked among those of the events that step 1 got",
  },
];

/** What the real server has just answered, by case. */
const live = new Map<string, Recording>();

describe.skipIf(assets === undefined)("a real kube-apiserver", () => {
  let plane: ControlPlane;
  let target: ReturnType<typeof realTarget>;
  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "", tokens: [benchUser], serviceAccounts: true });
    target = realTarget(plane);
  });
  afterAll(async () => {
    target?.close();
    await plane?.stop();
    if (version !== undefined) record(version);
  });

  for (const { area, cases } of readCases()) {
    const recorded = readRecordings("v1.36", area);
    for (const one of cases) {
      const test = alone(one) ? it : it.concurrent;
      test(`${one.id} ${one.title}`, async () => {
        if (asksForNews(one)) await restOfDiscovery(target);
        const ask = async () => normalise(one, await runCase(target, one), target);
        let got = await ask();
        // Some answers are chance on the real server: one that is not as it was recorded is asked for once more. Ours never is.
        if (version === undefined && differences(recorded.get(one.id), got, young) !== "") {
          console.warn(`${one.id} was not answered as recorded by the real server; it is asked once more`);
          got = await ask();
        }
        live.set(one.id, got);
        if (version === undefined) expect(differences(recorded.get(one.id), got, young)).toBe("");
      });
    }
  }
});

describe.skipIf(assets === undefined || version !== undefined)("the embedded server beside it", () => {
  let embedded: Embedded;
  beforeAll(async () => {
    embedded = await startEmbedded();
  });
  afterAll(() => embedded.stop());

  const all: readonly Case[] = readCases().flatMap(({ cases }) => cases);
  for (const one of all) {
    it(`${one.id} ${one.title}`, async () => {
      const target = embedded.target(one);
      const got = normalise(one, await runCase(target, one), target);
      expect(differences(live.get(one.id), got, [...accepted, ...young])).toBe("");
    });
  }
});

function differences(expected: Recording | undefined, got: Recording, known: readonly Accepted[]): string {
  return expected === undefined ? `${got.id} has nothing to compare with` : show(compare(expected, got, known));
}

/** Writes what was answered; a case that failed keeps its line. */
function record(as: string): void {
  for (const { area, cases } of readCases()) {
    const old = readRecordings("v1.36", area);
    const lines = cases.flatMap(({ id }) => live.get(id) ?? old.get(id) ?? []);
    writeFileSync(recordingFile(as, area), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
}
