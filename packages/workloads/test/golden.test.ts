// What a real controller manager did with small scenarios, done again by our controllers on the embedded server.
import { expect, test } from "vitest";
import { controllers } from "../src/controllers.ts";
import { compare } from "./golden/compare.ts";
import { allowed } from "./golden/differences.ts";
import { ready } from "./golden/ready.ts";
import { readRecording } from "./golden/recording.ts";
import { replay } from "./golden/replay.ts";
import { report } from "./golden/report.ts";
import { recordedLines, scenario, scenarioNames } from "./golden/scenario.ts";

const asked = process.env["GOLDEN"]?.split(",").filter((it) => it !== "");
const wanted = asked ?? ready;
const names = scenarioNames().filter((name) => wanted.some((it) => name.startsWith(it)));

/** The recorded control plane had no load balancers and no storage class. */
const asRecorded = { loadBalancers: "none", volumes: { defaultClass: "none" } } as const;

for (const name of names) {
  const it = scenario(name);
  test(`${name}: ${it.description}`, async () => {
    const recorded = readRecording(recordedLines(name));
    const ours = await replay(it, controllers(asRecorded));
    const found = compare(it, ours, recorded, allowed);
    if (found.length > 0 || ours.failure !== undefined) expect.fail(report(name, found, ours, recorded));
  });
}
