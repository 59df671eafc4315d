// What a real controller manager did with small scenarios, done again by our controllers on the embedded server.
import { expect, test } from "vitest";
import { controllers } from "../src/controllers.ts";
import { compare } from "./golden/compare.ts";
import { allowed } from "./golden/differences.ts";
import { readRecording } from "./golden/recording.ts";
import { replay } from "./golden/replay.ts";
import { report } from "./golden/report.ts";
import { recordedLines, scenario, scenarioNames } from "./golden/scenario.ts";

/** The recorded control plane had no load balancers and no storage class. */
const asRecorded = { loadBalancers: "none", volumes: { defaultClass: "none" } } as const;

for (const name of scenarioNames()) {
  const it = scenario(name);
  test(`${name}: ${it.description}`, async () => {
    const recorded = readRecording(recordedLines(name));
    const ours = await replay(it, controllers(asRecorded));
    const found = compare(it, ours, recorded, allowed);
    if (found.length > 0 || ours.failure !== undefined) expect.fail(report(name, found, ours, recorded));
  });
}
