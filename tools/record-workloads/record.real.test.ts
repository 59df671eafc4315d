// A real controller manager does what is stored: the recorder, the kubelet and the symbols are those of the recordings.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compare, said } from "../../packages/workloads/test/golden/compare.ts";
import { readRecording } from "../../packages/workloads/test/golden/recording.ts";
import { recordedLines, scenario } from "../../packages/workloads/test/golden/scenario.ts";
import { assetsFor, type ControlPlane, startControlPlane } from "../envtest/envtest.ts";
import { combine } from "./combine.ts";
import { managerFlags, record } from "./record.ts";

const assets = assetsFor("tools/record-workloads", process.env, ["kube-controller-manager"]);

describe.skipIf(assets === undefined)("a scenario recorded anew is as it is stored", () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "", serviceAccounts: true, controllerManager: managerFlags });
  });
  afterAll(() => plane?.stop());

  // What it passes through is a matter of who is faster, and differs from run to run: one that is as it was recorded will do. A
  // DaemonSet is not among them: it passes through more states than a handful of tries meets.
  test.for(["gc-two-owners", "job-single"])("%s", { retry: 4 }, async (name) => {
    const it = scenario(name);
    const found = readRecording(combine(it, "anew", [await record(plane, it)]));
    expect(compare(it, found, readRecording(recordedLines(name))).map(said)).toEqual([]);
  });
});
