// Capt as it is shipped, on a real kube-apiserver: first where nothing runs Workspaces, no provider of Crossplane and no program on its
// PATH; then with tofu; then with tofu taken away again. What it says is compared with the state that tofu has written.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assetsFor } from "../../../tools/envtest/envtest.ts";
import { tofuFor } from "../../../tools/tofu/tofu.ts";
import { type Reported, type ShippedOperator, startShipped } from "./shipped.ts";

const assets = assetsFor("capt as it is shipped");
const samples = ["apply.yaml", "existing-vpc.yaml", "failing.yaml", "full.yaml", "minimal.yaml"];
const tofu = tofuFor("capt as it is shipped, with tofu");

describe.skipIf(assets === undefined)("capt as it is shipped, without a program that runs Workspaces", () => {
  let capt: ShippedOperator;
  let lines: readonly string[];
  /** What its PATH has, and where its runs are: a pod has a volume for them. */
  const folder = mkdtempSync(join(tmpdir(), "telltale-capt-"));
  const bin = join(folder, "bin");
  const runs = join(folder, "runs");
  const objectOf = async (kind: string, name: string): Promise<Reported | undefined> =>
    (await capt.objects()).find((it) => it.kind === kind && it.metadata?.name === name);
  const column = (kind: string, name: string, title: string): string => {
    const [head = "", row = ""] = capt.kubectl("get", kind, name).trimEnd().split("\n");
    const at = head.indexOf(title);
    return row.slice(at).split(" ", 1)[0] ?? "";
  };
  beforeAll(async () => {
    mkdirSync(bin);
    const args = [`--capt.runner-root=${runs}`];
    capt = await startShipped({ assets: assets ?? "", operator: "capt", path: bin, args });
    await capt.applySamples(...samples);
    // A control plane looks at its network every ten seconds.
    await capt.until("the control planes have read their networks", (all) =>
      ["demo-cp", "full-cp"].every((name) =>
        all.some((line) => line.startsWith(`CAPTControlPlane default/${name} Ready=False NoRunner`)),
      ),
    );
    lines = await capt.quiet();
  }, 240_000);
  afterAll(async () => {
    await capt?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

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
    expect(others).toEqual([
      "CAPTCluster default/existing-net Ready=True Ready: using VPC vpc-123456789 as spec.existingVpcId says; whether it exists is not looked at",
    ]);
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

  test("says True only of what it has read from the server itself", () => {
    const read =
      /^(WorkspaceTemplate \S+ Valid|WorkspaceTemplateApply \S+ (Applied|TemplateResolved|DependenciesReady)|CAPTControlPlane default\/existing-cp (InfrastructureReady|Creating)|CAPTCluster default\/existing-net (Ready|VPCReady)|Cluster default\/existing InfrastructureReady)=True /;
    const creating = /^CAPTControlPlane \S+ Creating=True WaitingForVPC: /;
    expect(lines.filter((line) => / \w+=True /.test(line) && !read.test(line) && !creating.test(line))).toEqual([]);
  });

  const names = ["demo", "existing", "full"];

  test.skipIf(tofu === undefined)(
    "with tofu: what is ready is what tofu has written down",
    async () => {
      symlinkSync(join(tofu ?? "", "tofu"), join(bin, "tofu"));
      await capt.restart();
      await capt.until(
        "the Clusters are ready",
        (all) => names.every((name) => all.some((line) => line.startsWith(`Cluster default/${name} Ready=True `))),
        180_000,
      );
      lines = await capt.quiet();
      for (const [network, workspace] of [
        ["demo-net", "demo-net-vpc"],
        ["full-net", "full-net-vpc"],
      ] as const) {
        const made = (await capt.objects()).find(
          (it) => it.kind === "Workspace" && it.metadata?.name?.startsWith(`${workspace}-`),
        );
        const state = JSON.parse(readFileSync(join(runs, made?.metadata?.uid ?? "", "terraform.tfstate"), "utf8")) as {
          outputs: { vpc_id: { value: string } };
        };
        const { status } = (await objectOf("CAPTCluster", network)) ?? {};
        expect(status).toMatchObject({ ready: true, vpcId: state.outputs.vpc_id.value });
        expect(lines).toContain(
          `CAPTCluster default/${network} VPCReady=True VPCCreated: VPC ${state.outputs.vpc_id.value} is available`,
        );
        expect(column("captcluster", network, "READY")).toBe("true");
      }
      for (const name of names) {
        expect(column("captcontrolplane", `${name}-cp`, "READY")).toBe("true");
        expect(column("cluster", name, "READY")).toBe("True");
      }
      // A plan that fails has made nothing, and nothing is under way.
      const failing = lines.filter((line) =>
        /^(CAPTCluster|Cluster|WorkspaceTemplateApply) default\/failing/.test(line),
      );
      expect(
        failing.filter((line) => / (Ready|VPCReady|InfrastructureReady|Synced|WorkspaceSynced)=True/.test(line)),
      ).toEqual([]);
      expect(failing.filter((line) => line.includes("under way"))).toEqual([]);
      expect(lines.filter((line) => line.includes("Simulated"))).toEqual([]);
    },
    300_000,
  );

  test.skipIf(tofu === undefined)(
    "with tofu taken away: what it made is unknown and kept, and nothing is said to have failed",
    async () => {
      const before = {
        network: await objectOf("CAPTCluster", "demo-net"),
        plane: await objectOf("CAPTControlPlane", "demo-cp"),
      };
      rmSync(join(bin, "tofu"));
      const told = await capt.eventLines();
      await capt.restart();
      // A control plane looks at its network once a minute.
      const seen = ["demo", "full"].map((name) => `CAPTControlPlane default/${name}-cp InfrastructureReady=Unknown `);
      await capt.until(
        "everything is known to be unknown",
        (all) => seen.every((start) => all.some((line) => line.startsWith(start))),
        120_000,
      );
      lines = await capt.quiet();
      const unknown = lines.filter(
        (line) => /^(CAPTCluster|CAPTControlPlane|Cluster) /.test(line) && !/existing-net|failing/.test(line),
      );
      const isReadiness =
        / (Ready|Available|VPCReady|WorkspaceReady|ConnectionSecretReady|KubeconfigReady|ControlPlaneReady)=/;
      expect(unknown.filter((line) => isReadiness.test(line) && !line.includes("=Unknown "))).toEqual([]);
      expect(lines.filter((line) => /^Workspace(TemplateApply)? .* Ready=True/.test(line))).toEqual([]);
      for (const [kind, name] of [
        ["CAPTCluster", "demo-net"],
        ["CAPTControlPlane", "demo-cp"],
      ] as const) {
        const { status } = (await objectOf(kind, name)) ?? {};
        expect(status).not.toHaveProperty("ready");
        expect(column(kind.toLowerCase(), name, "READY")).toBe("");
      }
      expect((await objectOf("CAPTCluster", "demo-net"))?.status?.["vpcId"]).toBe(before.network?.status?.["vpcId"]);
      expect((await objectOf("CAPTControlPlane", "demo-cp"))?.status?.["endpoint"]).toBe(
        before.plane?.status?.["endpoint"],
      );
      for (const name of names) expect(column("cluster", name, "READY")).toBe("Unknown");
      const events = (await capt.eventLines()).filter((line) => !told.includes(line));
      expect(events.filter((line) => !/^Warning NoRunner (CAPTCluster|CAPTControlPlane)\//.test(line))).toEqual([]);
    },
    300_000,
  );

  test("does not start without its rights on Secrets, and says what grants them", async () => {
    capt.kubectl("delete", "clusterrolebinding", "capt-secrets");
    await capt.restart();
    await expect(capt.until("it ends", () => false, 60_000)).rejects.toThrow(
      /capt may not get, create, patch, delete secrets[\s\S]*telltale rbac capt \| kubectl apply -f -/,
    );
  }, 120_000);
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
