// Capt as it is shipped, on a real kube-apiserver where nothing runs Workspaces: no provider of Crossplane, no program on its PATH.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assetsFor } from "../../../tools/envtest/envtest.ts";
import { type ShippedOperator, startShipped } from "./shipped.ts";

const assets = assetsFor("capt as it is shipped");

describe.skipIf(assets === undefined)("capt as it is shipped, with Workspaces left to another program", () => {
  let capt: ShippedOperator;
  beforeAll(async () => {
    capt = await startShipped({ assets: assets ?? "", operator: "capt", args: ["--capt.workspace-runner=none"] });
  });
  afterAll(() => capt?.stop());

  test("says nothing of what has not been run", async () => {
    await capt.applySamples("full.yaml");
    await capt.until("the apply of the network has its Workspace", (lines) =>
      lines.some((line) => line.startsWith("WorkspaceTemplateApply default/full-net-vpc Applied=True")),
    );
    const lines = await capt.quiet();
    expect(lines.filter((line) => / Ready=True/.test(line))).toEqual([]);
    expect(lines).toContain("Cluster default/full phase=Provisioning");
  });
});
