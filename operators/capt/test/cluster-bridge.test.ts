// Section 8: what the bridge does for Clusters that nobody else looks after, and what it never does.
import { type Kind, toCrd } from "@telltale/kinds";
import { CustomResourceDefinition } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { CAPTCluster, CAPTControlPlane, ClusterV1beta1, ClusterV1beta2 } from "../src/kinds/index.ts";
import { annotations, finalizers, labels } from "../src/names.ts";
import {
  type BridgeOptions,
  type BridgeStage,
  bridgeStage,
  controlPlaneReady,
  failed,
  networkDegraded,
  networkReady,
  type Version,
} from "./bridge-stage.ts";
import { namespace } from "./stage.ts";

let it: BridgeStage;
afterEach(async () => {
  await it.end();
  expect(it.complaints).toEqual([]);
});

async function fresh(options: BridgeOptions = {}): Promise<BridgeStage> {
  it = await bridgeStage(options);
  return it;
}

async function everything(): Promise<void> {
  await it.cluster();
  await it.network();
  await it.controlPlane({ controlPlaneEndpoint: { host: "10.0.0.1", port: 6443 } });
}

const status = async () => (await it.the.cluster())?.status as Record<string, unknown> | undefined;
const clusterWrites = () => it.writes().filter(({ path }) => path.includes("/clusters/"));
const merge = (change: object) =>
  it.client.patch(it.kinds.Cluster as typeof ClusterV1beta1, { name: "demo", namespace }, { merge: change as never });
const versions: readonly Version[] = ["v1beta1", "v1beta2"];

describe.each(versions)("standalone, Cluster %s", (version) => {
  test("AS-02 B3 B4 B6 B7 M-4 from Provisioning to Provisioned", async () => {
    await fresh({ version });
    await it.cluster();
    expect((await it.the.cluster())?.metadata.finalizers).toEqual([finalizers.clusterBridge]);
    expect(await status()).toMatchObject({ phase: "Provisioning", observedGeneration: 1 });
    await it.network();
    await it.controlPlane({ controlPlaneEndpoint: { host: "10.0.0.1", port: 6443 } });
    const { uid } = (await it.the.cluster())?.metadata ?? {};
    for (const object of [await it.the.network(), await it.the.controlPlane()]) {
      const apiVersion = `cluster.x-k8s.io/${version}`;
      expect(object?.metadata.ownerReferences).toEqual([{ apiVersion, kind: "Cluster", name: "demo", uid }]);
      expect(object?.metadata.labels).toEqual({ [labels.clusterName]: "demo" });
    }
    await it.networkSays(networkReady);
    expect((await status())?.["phase"]).toBe("Provisioning");
    await it.controlPlaneSays(controlPlaneReady);
    expect((await it.the.cluster())?.spec?.controlPlaneEndpoint).toEqual({ host: "10.0.0.1", port: 6443 });
    const expected =
      version === "v1beta1"
        ? { infrastructureReady: true, controlPlaneReady: true }
        : {
            initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true },
            controlPlane: { versions: [{ version: "v1.31.0" }] },
          };
    expect(await status()).toMatchObject({ phase: "Provisioned", ...expected });
    expect(await it.clusterSays(version === "v1beta1" ? "Ready" : "Available")).toMatch(/^True/);
  });

  test("L-7 L-8 the phase is the same whichever side was last", async () => {
    await fresh({ version });
    await everything();
    await it.controlPlaneSays(controlPlaneReady);
    expect((await status())?.["phase"]).toBe("Provisioning");
    await it.networkSays(networkReady);
    expect((await status())?.["phase"]).toBe("Provisioned");
  });

  test("AS-27 a network that degrades later does not throw the Cluster back", async () => {
    await fresh({ version });
    await everything();
    await it.networkSays(networkReady);
    await it.controlPlaneSays(controlPlaneReady);
    await it.pass(5_000);
    await it.networkSays(networkDegraded);
    expect((await status())?.["phase"]).toBe("Provisioned");
    expect(await it.clusterSays("InfrastructureReady")).toBe("False WorkspaceNotReady workspace w is not ready");
    if (version === "v1beta1") expect((await status())?.["infrastructureReady"]).toBe(false);
    else expect((await status())?.["initialization"]).toMatchObject({ infrastructureProvisioned: true });
  });

  test("a condition is repeated with its time", async () => {
    await fresh({ version });
    await everything();
    await it.pass(60_000);
    await it.networkSays(networkReady);
    const conditions = (await status())?.["conditions"] as { type: string; lastTransitionTime: string }[];
    expect(conditions.find(({ type }) => type === "InfrastructureReady")?.lastTransitionTime).toBe(
      "2026-01-01T00:00:30Z",
    );
  });

  test("11.3 a failure is told with its source, and taken back when it is reset", async () => {
    await fresh({ version });
    await everything();
    await it.controlPlaneSays(failed("ControlPlaneTimeout", "control plane not ready within 30m: token=abc"));
    const told = async () => {
      const found = await status();
      return (version === "v1beta1" ? found : (found?.["deprecated"] as { v1beta1?: object })?.v1beta1) as
        | Record<string, string>
        | undefined;
    };
    expect((await status())?.["phase"]).toBe("Failed");
    expect((await told())?.["failureReason"]).toBe("ControlPlaneTimeout");
    expect((await told())?.["failureMessage"]).toBe(
      "CAPTControlPlane t1/demo-cp: control plane not ready within 30m: token=<redacted>",
    );
    if (version === "v1beta1") {
      const conditions = (await status())?.["conditions"] as { type: string; severity?: string }[];
      expect(conditions.find(({ type }) => type === "ControlPlaneReady")?.severity).toBe("Error");
      expect(conditions.find(({ type }) => type === "InfrastructureReady")?.severity).toBe("Info");
    }
    await it.networkSays(failed("VPCReadyTimeout", "VPC not ready"));
    await it.pass(1_000);
    expect((await told())?.["failureReason"]).toBe("VPCReadyTimeout");
    await it.pass(2_000);
    await it.networkSays({ failureReason: null, failureMessage: null });
    await it.controlPlaneSays({ failureReason: null, failureMessage: null });
    expect((await status())?.["phase"]).toBe("Provisioning");
    expect((await told())?.["failureReason"]).toBeUndefined();
  });

  test("B5 what is not there is said, and looked for again", async () => {
    await fresh({ version });
    await it.cluster();
    const reason = version === "v1beta1" ? "WaitingForInfrastructure" : "ObjectDoesNotExist";
    expect(await it.clusterSays("InfrastructureReady")).toBe(`False ${reason} CAPTCluster demo-net does not exist`);
    const notYet = version === "v1beta1" ? "WaitingForControlPlaneProviderInitialized" : "NotInitialized";
    expect(await it.clusterSays("ControlPlaneInitialized")).toMatch(new RegExp(`^False ${notYet}`));
    const available = version === "v1beta1" ? "ControlPlaneReady" : "ControlPlaneAvailable";
    expect(await it.clusterSays(available)).toMatch(/^False WaitingForControlPlane/);
  });

  test("B6 an endpoint that is there is never changed", async () => {
    await fresh({ version });
    await it.cluster({ controlPlaneEndpoint: { host: "mine.example.com", port: 443 } });
    await it.network();
    await it.controlPlane({ controlPlaneEndpoint: { host: "10.0.0.1", port: 6443 } });
    await it.networkSays(networkReady);
    await it.controlPlaneSays(controlPlaneReady);
    expect((await it.the.cluster())?.spec?.controlPlaneEndpoint).toEqual({ host: "mine.example.com", port: 443 });
    expect((await status())?.["phase"]).toBe("Provisioned");
  });

  test("B6 without one on the control plane, the network's is taken", async () => {
    await fresh({ version });
    await it.cluster();
    await it.network({ controlPlaneEndpoint: { host: "lb.example.com", port: 6443 } });
    await it.controlPlane();
    expect((await it.the.cluster())?.spec?.controlPlaneEndpoint).toBeUndefined();
    await it.networkSays(networkReady);
    expect((await it.the.cluster())?.spec?.controlPlaneEndpoint).toEqual({ host: "lb.example.com", port: 6443 });
  });

  test("failure domains have the shape of the version, whatever the provider's is", async () => {
    await fresh({ version });
    await everything();
    await it.networkSays({ ...networkReady, failureDomains: { b: { controlPlane: true }, a: { controlPlane: true } } });
    const list = [
      { name: "a", controlPlane: true },
      { name: "b", controlPlane: true },
    ];
    const map = { a: { controlPlane: true }, b: { controlPlane: true } };
    expect((await status())?.["failureDomains"]).toEqual(version === "v1beta1" ? map : list);
  });

  test("L-2 L-4 where nothing changes nothing is written, and never by PUT", async () => {
    await fresh({ version });
    await everything();
    await it.networkSays(networkReady);
    await it.controlPlaneSays(controlPlaneReady);
    await it.pass(5_000);
    expect(it.writes().map(({ method }) => method)).not.toContain("PUT");
    await it.pass(3_600_000);
    await it.restart();
    await it.pass(60_000);
    expect(it.writes()).toEqual([]);
  });

  test("B1 a paused Cluster is left as it is, also when it is deleted", async () => {
    await fresh({ version });
    await everything();
    await it.pass(2_000);
    it.writes();
    await merge({ spec: { paused: true } });
    await it.pass(2_000);
    const expected = version === "v1beta1" ? [] : [expect.objectContaining({ method: "PATCH" })];
    expect(it.writes()).toEqual(expected);
    if (version === "v1beta2") expect(await it.clusterSays("Paused")).toBe("True Paused Cluster spec.paused is true");
    await it.networkSays(networkReady);
    await it.remove(it.kinds.Cluster as typeof ClusterV1beta1, "demo");
    await it.pass(600_000);
    // The condition speaks for the new generation, and that is all.
    expect(it.writes()).toEqual(expected);
    expect(await it.the.controlPlane()).toBeDefined();
    await merge({ spec: { paused: false } });
    await it.pass(20_000);
    expect(await it.the.cluster()).toBeUndefined();
  });

  test("AS-36 8.4 a deletion takes the control plane first, then the network, then the Cluster", async () => {
    await fresh({ version });
    await everything();
    await it.networkSays(networkReady);
    await it.controlPlaneSays(controlPlaneReady);
    const hold = (kind: typeof CAPTCluster | typeof CAPTControlPlane, name: string, held: readonly string[] | null) =>
      it.client.patch(
        kind as typeof CAPTCluster,
        { name, namespace },
        { merge: { metadata: { finalizers: held } } as never },
      );
    await hold(CAPTCluster, "demo-net", ["example.com/net"]);
    await hold(CAPTControlPlane, "demo-cp", ["example.com/cp"]);
    it.writes();
    await it.remove(it.kinds.Cluster as typeof ClusterV1beta1, "demo");
    await it.pass(20_000);
    const deletions = () =>
      it
        .writes()
        .filter(({ method }) => method === "DELETE")
        .map(({ path }) => path.split("/").at(-1));
    expect(deletions()).toEqual(["demo-cp"]);
    expect((await status())?.["phase"]).toBe("Deleting");
    if (version === "v1beta2") {
      expect(await it.clusterSays("Deleting")).toBe(
        "True WaitingForControlPlaneDeletion waiting for CAPTControlPlane demo-cp",
      );
    }
    await hold(CAPTControlPlane, "demo-cp", null);
    await it.pass(20_000);
    expect(deletions()).toEqual(["demo-net"]);
    if (version === "v1beta2") {
      expect(await it.clusterSays("Deleting")).toBe(
        "True WaitingForInfrastructureDeletion waiting for CAPTCluster demo-net",
      );
    }
    expect(await it.the.cluster()).toBeDefined();
    await hold(CAPTCluster, "demo-net", null);
    await it.pass(20_000);
    expect(await it.the.cluster()).toBeUndefined();
  });
});

describe("edges", () => {
  test("8.2 a change of a Cluster reaches its provider objects, a change of its status nobody", async () => {
    await fresh({ config: { clusterApiMode: "external" } });
    await it.cluster();
    it.told();
    await merge({ spec: { paused: true } });
    await it.pass();
    expect(it.told()).toEqual(["captCluster t1/demo-net", "captControlPlane t1/demo-cp"]);
    await merge({ metadata: { annotations: { a: "b" } } });
    await merge({ metadata: { labels: { a: "b" } } });
    await it.pass();
    expect(it.told()).toHaveLength(4);
    await it.remove(it.kinds.Cluster as typeof ClusterV1beta1, "demo");
    expect(it.told()).not.toEqual([]);
  });

  test("L-5 a thousand changes of a status are no pass anywhere", async () => {
    await fresh({ config: { clusterApiMode: "external" } });
    await it.cluster();
    await it.pass(1_000);
    it.told();
    it.samples.length = 0;
    for (let i = 0; i < 1000; i += 1) {
      const status = { infrastructureReady: i % 2 === 0 };
      await it.client.status.patch(ClusterV1beta1, { name: "demo", namespace }, { merge: { status } as never });
    }
    await it.pass(1_000);
    expect(it.told()).toEqual([]);
    expect(it.samples.filter((sample) => sample.is === "pass")).toEqual([]);
  });
});

describe("what is asked for again and again", () => {
  test("10.4 when the server begins to serve the newer Cluster, every network is looked at", async () => {
    await fresh({ config: { clusterApiMode: "external" } });
    await it.cluster();
    await it.pass(61_000);
    it.told();
    const newer = toCrd(ClusterV1beta2 as unknown as Kind).spec.versions[0];
    const json = [{ op: "add", path: "/spec/versions/-", value: { ...newer, storage: false } }] as const;
    await it.client.patch(CustomResourceDefinition, { name: "clusters.cluster.x-k8s.io" }, { json });
    await it.pass(61_000);
    expect(it.told()).toEqual(["captCluster t1/demo-net"]);
    await it.pass(600_000);
    expect(it.told()).toEqual([]);
    expect(it.writes()).toEqual([]);
  });

  test("1.4 where another process is the bridge, changes are told and nothing is written", async () => {
    await fresh({ work: "forward" });
    await everything();
    await it.networkSays(networkReady);
    expect(it.told()).toContain("captCluster t1/demo-net");
    await it.pass(600_000);
    expect(it.writes()).toEqual([]);
  });
});

describe("whose Clusters are", () => {
  test("M-1 AS-47 with Cluster API's lease nothing is written, to nobody", async () => {
    await fresh();
    await it.coreIsThere();
    await it.restart();
    await everything();
    await it.networkSays(networkReady);
    await it.controlPlaneSays(controlPlaneReady);
    await it.pass(25_000);
    expect(it.writes()).toEqual([]);
    expect((await it.the.network())?.metadata.ownerReferences).toBeUndefined();
  });

  test("M-1 AS-47 a Cluster with Cluster API's finalizer is theirs, although the lease is old", async () => {
    await fresh();
    await it.cluster({}, { finalizers: [finalizers.cluster] });
    await it.network();
    await it.pass(600_000);
    expect(it.writes()).toEqual([]);
  });

  test("8.1 where leases cannot be read nothing is written, and nothing is given up", async () => {
    await fresh();
    await everything();
    await it.pass(2_000);
    it.writes();
    const rule = it.server.faults.add({
      match: { verbs: ["list"], resource: "leases" },
      effect: { status: 403, message: "no" },
    });
    await it.pass(120_000);
    await it.networkSays(networkReady);
    await it.pass(120_000);
    expect(clusterWrites()).toEqual([]);
    expect((await it.the.cluster())?.metadata.finalizers).toEqual([finalizers.clusterBridge]);
    it.server.faults.remove(rule);
    await it.pass(120_000);
    expect(await it.clusterSays("InfrastructureReady")).toMatch(/^True/);
  });

  test("AS-47 told to stand alone where Cluster API is, it warns", async () => {
    await fresh({ config: { clusterApiMode: "standalone" } });
    await it.coreIsThere();
    await it.cluster();
    expect(it.complaints.splice(0).join()).toMatch(/Cluster API's controllers run here/);
  });

  test("M-2 M-3 AS-48 when Cluster API comes later, only the finalizer goes, and no field changes", async () => {
    await fresh();
    await everything();
    await it.networkSays(networkReady);
    await it.controlPlaneSays(controlPlaneReady);
    await it.pass(5_000);
    const before = await it.the.cluster();
    it.writes();
    for (let i = 0; i < 13; i += 1) {
      await it.coreIsThere();
      await it.pass(10_000);
    }
    const after = await it.the.cluster();
    expect(after?.metadata.finalizers ?? []).toEqual([]);
    expect(after?.spec).toEqual(before?.spec);
    expect(after?.status).toEqual(before?.status);
    expect(clusterWrites()).toHaveLength(1);
    await it.client.status.patch(
      ClusterV1beta1,
      { name: "demo", namespace },
      { merge: { status: { phase: "Provisioning" } } as never },
    );
    await it.coreIsThere();
    await it.pass(25_000);
    expect((await status())?.["phase"]).toBe("Provisioning");
    expect(it.writes()).toEqual([]);
  });

  test("M-2 when Cluster API goes away, Clusters without its finalizer are ours", async () => {
    await fresh();
    await it.coreIsThere();
    await it.restart();
    await everything();
    expect(it.writes()).toEqual([]);
    await it.coreIsGone();
    await it.pass(61_000);
    expect((await it.the.cluster())?.metadata.finalizers).toEqual([finalizers.clusterBridge]);
  });

  test.each([true, false])("AS-49 owner references of Cluster API, with controller %s, are left alone", async (is) => {
    await fresh({ config: { clusterApiMode: "external" } });
    await everything();
    const { uid = "" } = (await it.the.cluster())?.metadata ?? {};
    const owner = { apiVersion: "cluster.x-k8s.io/v1beta1", kind: "Cluster", name: "demo", uid, controller: is };
    await it.client.patch(
      CAPTCluster,
      { name: "demo-net", namespace },
      { merge: { metadata: { ownerReferences: [owner] } } },
    );
    await it.pass(600_000);
    expect(it.writes()).toEqual([]);
    expect((await it.the.network())?.metadata.ownerReferences).toEqual([owner]);
  });

  test("Clusters of other providers are left alone", async () => {
    await fresh();
    const infrastructureRef = {
      apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
      kind: "DockerCluster",
      name: "x",
    };
    await it.cluster({ infrastructureRef, controlPlaneRef: null });
    await it.pass(600_000);
    expect(it.writes()).toEqual([]);
  });

  test("an object of another Cluster is not taken over", async () => {
    await fresh();
    await everything();
    const { uid } = (await it.the.cluster())?.metadata ?? {};
    await it.cluster({}, { name: "other" });
    const owners = (await it.the.network())?.metadata.ownerReferences;
    expect(owners?.map((it) => it.uid)).toEqual([uid]);
    expect(await it.says(ClusterV1beta1, "other", "InfrastructureReady")).toMatch(/is not this operator's$/);
    await it.remove(ClusterV1beta1, "other");
    await it.pass(20_000);
    expect(await it.get(ClusterV1beta1, "other")).toBeUndefined();
    expect(await it.the.network()).toBeDefined();
  });

  test("a Cluster that was made again takes its objects over", async () => {
    await fresh();
    await everything();
    await it.halt();
    await it.client.patch(ClusterV1beta1, { name: "demo", namespace }, { merge: { metadata: { finalizers: null } } });
    await it.client.delete(ClusterV1beta1, { name: "demo", namespace }, { propagation: "Orphan" });
    await it.pass(5_000);
    await it.cluster();
    await it.restart();
    const { uid } = (await it.the.cluster())?.metadata ?? {};
    expect((await it.the.network())?.metadata.ownerReferences?.map((it) => it.uid)).toEqual([uid]);
  });

  test("B-ORDER L-3 a Cluster never says more than its providers have stored", async () => {
    await fresh();
    await everything();
    await it.pass(2_000);
    await it.networkSays(networkReady);
    await it.controlPlaneSays({ ...controlPlaneReady, ready: false, initialized: false, conditions: [] });
    await it.pass(60_000);
    expect(await status()).toMatchObject({
      infrastructureReady: true,
      controlPlaneReady: false,
      phase: "Provisioning",
    });
    expect((await it.the.cluster())?.metadata.annotations?.[annotations.paused]).toBeUndefined();
  });
});
