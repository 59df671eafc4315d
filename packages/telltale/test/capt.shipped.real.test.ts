// Capt as it is shipped, on a real kube-apiserver where nothing runs Workspaces: no provider of Crossplane, no program on its PATH.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assetsFor } from "../../../tools/envtest/envtest.ts";
import { type ShippedOperator, startShipped } from "./shipped.ts";

const assets = assetsFor("capt as it is shipped");
const samples = ["apply.yaml", "existing-vpc.yaml", "failing.yaml", "full.yaml", "minimal.yaml"];

describe.skipIf(assets === undefined)("capt as it is shipped, without a program that runs Workspaces", () => {
  let capt: ShippedOperator;
  let lines: readonly string[];
  beforeAll(async () => {
    capt = await startShipped({ assets: assets ?? "", operator: "capt" });
    await capt.applySamples(...samples);
    // A control plane looks at its network every ten seconds.
    await capt.until("the control planes have read their networks", (all) =>
      ["demo-cp", "full-cp"].every((name) =>
        all.some((line) => line.startsWith(`CAPTControlPlane default/${name} Ready=False NoRunner`)),
      ),
    );
    lines = await capt.quiet();
  }, 240_000);
  afterAll(() => capt?.stop());

  test("says so when it starts, and how to get one", () => {
    expect(capt.complaints().join("\n")).toMatch(
      /"as":"missing".*neither tofu.*install tofu.*"msg":"who runs Workspaces"/,
    );
  });

  test("gives every Workspace, apply and provider object that waits for a run the reason NoRunner", () => {
    const waiting = ["Workspace ", "WorkspaceTemplateApply ", "CAPTCluster ", "CAPTControlPlane "];
    const readiness = lines.filter((line) => / Ready=/.test(line) && waiting.some((kind) => line.startsWith(kind)));
    const others = readiness.filter((line) => !line.includes(" Ready=False NoRunner: "));
    // A network that a user names is not made by a run.
    expect(others).toEqual(["CAPTCluster default/existing-net Ready=True Ready: using VPC vpc-123456789"]);
    for (const kind of waiting) expect(readiness.filter((line) => line.startsWith(kind))).not.toEqual([]);
  });

  test("makes no Cluster ready and shows no endpoint, and tells no Event of success", async () => {
    expect(
      lines.filter((line) => line.startsWith("Cluster ") && / (Ready|Available|ControlPlane\w+)=True/.test(line)),
    ).toEqual([]);
    expect(lines.filter((line) => /phase=(Provisioned|Ready)$/.test(line))).toEqual([]);
    expect(JSON.stringify(await capt.objects())).not.toContain("sim.capt.invalid");
    const successes = (await capt.eventLines()).filter((line) => /Ready|Succeeded/.test(line));
    expect(successes.filter((line) => !line.includes("CAPTCluster/existing-net"))).toEqual([]);
    const rows = capt.kubectl("get", "captcluster,captcontrolplane", "--no-headers").split("\n");
    expect(rows.filter((row) => /\btrue\b/.test(row) && !row.includes("existing-net"))).toEqual([]);
  });
});

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

describe.skipIf(assets === undefined)("capt as it is shipped, asked to simulate", () => {
  let capt: ShippedOperator;
  let lines: readonly string[];
  beforeAll(async () => {
    const args = ["--capt.workspace-runner=simulated"];
    capt = await startShipped({ assets: assets ?? "", operator: "capt", args });
    await capt.applySamples("full.yaml");
    await capt.until("the Cluster is provisioned", (all) => all.includes("Cluster default/full phase=Provisioned"));
    lines = await capt.quiet();
  }, 240_000);
  afterAll(() => capt?.stop());

  test("marks everything that rests on a run as Simulated, up to the Cluster", () => {
    const kinds = ["Workspace", "WorkspaceTemplateApply", "CAPTCluster", "CAPTControlPlane", "Cluster"];
    for (const kind of kinds) {
      const own = lines.filter((line) => line.startsWith(`${kind} `));
      expect(own.filter((line) => line.includes(" Simulated=True Simulated: "))).not.toEqual([]);
      const isReadiness =
        / (Ready|Available|VPCReady|WorkspaceReady|InfrastructureReady|ControlPlane(Ready|Available))=True /;
      const plain = own.filter((line) => isReadiness.test(line) && !/=True Simulated: .*real/.test(line));
      expect(plain).toEqual([]);
    }
  });

  test("shows it in the columns of kubectl", () => {
    for (const kind of ["workspace", "workspacetemplateapply", "captcluster", "captcontrolplane", "cluster"]) {
      const [head = "", ...rows] = capt.kubectl("get", kind).trim().split("\n");
      expect([kind, head.split(/ +/).at(-1)]).toEqual([kind, "SIMULATED"]);
      expect(rows.map((row) => row.trim().split(/ +/).at(-1))).toEqual(rows.map(() => "True"));
    }
  });
});
