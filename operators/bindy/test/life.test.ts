// 16.6: clusters on simulated pods, each with a simulated Bindcar.
import { ConfigMap, Deployment, Namespace, Pod, Secret, Service, ServiceAccount } from "@telltale/kinds/builtin";
import { afterEach, expect, test, vi } from "vitest";
import { Bind9Cluster, Bind9GlobalCluster, Bind9Instance } from "../src/kinds/index.ts";
import { namespace, type Stage, stage } from "./stage.ts";

/** All that `Ready` of the cluster said, one after the other, each once. */
async function story(on: Stage, seconds: number): Promise<readonly string[]> {
  const told: string[] = [];
  for (let i = 0; i < seconds; i += 1) {
    const now = await on.says("b9c", "dns");
    if (told.at(-1) !== now) told.push(now);
    await on.pass(1_000);
  }
  return told;
}

const slotsIn = async (on: Stage) => {
  const { items } = await on.client.list(Bind9Instance, { namespace });
  const slot = "bindy.firestoned.io/instance-index";
  return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.annotations?.[slot]]));
};

let it: Stage | undefined;
// Hours of virtual time take seconds, more of them on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

afterEach(async () => {
  await it?.end();
  it = undefined;
});

test("A-80 A-100 a cluster of two primaries and a secondary comes up, with a condition for each", async () => {
  it = await stage();
  await it.cluster("dns", 2, 1);
  await it.pass(30_000);
  const names = ["dns-primary-0", "dns-primary-1", "dns-secondary-0"];
  const list = async (kind: typeof Deployment | typeof Service | typeof Bind9Instance) =>
    (await it?.client.list(kind as typeof Deployment, { namespace }))?.items.map(({ metadata }) => metadata?.name);
  expect(await list(Bind9Instance)).toEqual(names);
  expect(await list(Deployment)).toEqual(names);
  expect(await list(Service)).toEqual(names);
  const maps = (await it.client.list(ConfigMap, { namespace })).items.map(({ metadata }) => metadata?.name);
  expect(maps).toEqual(expect.arrayContaining(names.map((name) => `${name}-config`)));
  const secrets = (await it.client.list(Secret, { namespace })).items.map(({ metadata }) => metadata?.name);
  expect(secrets).toEqual(names.map((name) => `${name}-rndc-key`));
  expect(await it.says("b9c", "dns")).toBe("True AllReady All 3 instances are ready");
  expect((await it.conditions("b9c", "dns")).slice(1).map(({ message }) => message)).toEqual(
    names.map((name) => `Instance ${name} is ready (1/1 pods)`),
  );
});

test("A-34 A-35 A-36 slots are one numbering over both roles, and stay", async () => {
  it = await stage();
  await it.cluster("dns", 2, 1);
  await it.pass(5_000);
  expect(await slotsIn(it)).toEqual({ "dns-primary-0": "0", "dns-primary-1": "1", "dns-secondary-0": "2" });
  await it.scale("dns", 3, 1);
  await it.pass(5_000);
  expect((await slotsIn(it))["dns-primary-2"]).toBe("3");
  expect((await slotsIn(it))["dns-secondary-0"]).toBe("2");
  await it.scale("dns", 1, 1);
  await it.pass(20_000);
  const types = (await it.conditions("b9c", "dns")).map(({ type }) => type);
  expect(types).toEqual(["Ready", "Bind9Instance-0", "Bind9Instance-2"]);
  expect(it.complaints).toEqual([]);
});

test("A-37 two instances with one slot: one is repaired, once", async () => {
  it = await stage();
  await it.cluster("dns", 1, 1);
  await it.pass(5_000);
  const ref = { name: "dns-secondary-0", namespace };
  const notes = { metadata: { annotations: { "bindy.firestoned.io/instance-index": "0" } } };
  await it.client.patch(Bind9Instance, ref, { merge: notes });
  await it.pass(3_000);
  expect(await slotsIn(it)).toEqual({ "dns-primary-0": "0", "dns-secondary-0": "1" });
  await it.client.patch(Bind9Instance, ref, { merge: { metadata: { annotations: null } } });
  await it.pass(3_000);
  expect(await slotsIn(it)).toEqual({ "dns-primary-0": "0", "dns-secondary-0": "1" });
  it.writes();
  await it.pass(60_000);
  expect(it.writes()).toEqual([]);
});

test("A-46 A-81 A-101 scaling up is told, then all are ready", async () => {
  it = await stage({ ready: 3_000 });
  await it.cluster("dns", 2, 0);
  await it.pass(15_000);
  await it.scale("dns", 4, 0);
  const told = await story(it, 20);
  expect(told[0]).toMatch(/^True AllReady All 2|^False InstancesScaling/);
  expect(told).toContain("False InstancesScaling Scaling instances to 4: 2/4 instances are ready");
  expect(told.at(-1)).toBe("True AllReady All 4 instances are ready");
  expect(told.every((said) => !said.includes("PartiallyReady"))).toBe(true);
  expect((await it.conditions("b9c", "dns")).length).toBe(5);
});

test("A-47 scaling down stays ready, with one time throughout", async () => {
  it = await stage();
  await it.cluster("dns", 4, 0);
  await it.pass(15_000);
  const since = (await it.conditions("b9c", "dns"))[0]?.lastTransitionTime;
  await it.scale("dns", 2, 0);
  const told = await story(it, 15);
  expect(told.every((said) => said.startsWith("True "))).toBe(true);
  expect(told.at(-1)).toBe("True AllReady All 2 instances are ready");
  expect((await it.conditions("b9c", "dns"))[0]?.lastTransitionTime).toBe(since);
  expect((await it.pods()).length).toBe(2);
});

test("A-50 down to nothing: everything goes, and it says so", async () => {
  it = await stage();
  await it.cluster("dns", 1, 1);
  await it.pass(10_000);
  await it.scale("dns", 0, 0);
  await it.pass(30_000);
  expect(await it.says("b9c", "dns")).toBe("False NoChildren No instances found for this cluster");
  expect((await it.client.list(Bind9Instance, { namespace })).items).toEqual([]);
  expect((await it.client.list(Secret, { namespace })).items).toEqual([]);
});

test("A-88 A-102 a pod that is deleted leaves its slot to its successor, and the others theirs", async () => {
  it = await stage();
  await it.cluster("dns", 1, 0);
  await it.pass(5_000);
  await it.client.patch(Bind9Instance, { name: "dns-primary-0", namespace }, { merge: { spec: { replicas: 3 } } });
  await it.pass(15_000);
  const before = await it.conditions("b9", "dns-primary-0");
  expect(before.map(({ type }) => type)).toEqual(["Ready", "Pod-0", "Pod-1", "Pod-2"]);
  const second = before[2]?.message.split(" ")[1] ?? "";
  await it.client.delete(Pod, { name: second, namespace }, { propagation: "Background" });
  await it.pass(20_000);
  const after = await it.conditions("b9", "dns-primary-0");
  expect(after[2]?.message).not.toBe(before[2]?.message);
  expect([after[1], after[3]]).toEqual([before[1], before[3]]);
  expect(await it.says("b9", "dns-primary-0")).toBe("True AllReady All 3 pods are ready");
});

test("A-89 an instance that is deleted by hand comes back under its name and its slot", async () => {
  it = await stage();
  await it.cluster("dns", 2, 1);
  await it.pass(10_000);
  await it.client.delete(Bind9Instance, { name: "dns-primary-1", namespace }, { propagation: "Background" });
  const told = await story(it, 30);
  expect(told).toContain("False InstancesScaling Scaling instances to 3: 2/3 instances are ready");
  expect(told.at(-1)).toBe("True AllReady All 3 instances are ready");
  expect((await slotsIn(it))["dns-primary-1"]).toBe("1");
});

test("A-90 a Service, a ConfigMap and a Secret that are deleted come back; a new key makes new pods", async () => {
  it = await stage();
  await it.cluster("dns", 1, 0);
  await it.pass(10_000);
  const [old] = await it.pods();
  await it.client.delete(Service, { name: "dns-primary-0", namespace }, { propagation: "Background" });
  await it.client.delete(ConfigMap, { name: "dns-primary-0-config", namespace }, { propagation: "Background" });
  await it.pass(2_000);
  expect((await it.client.get(Service, "dns-primary-0", { namespace })).spec?.ports?.length).toBe(3);
  await it.client.get(ConfigMap, "dns-primary-0-config", { namespace });
  const key = await it.client.get(Secret, "dns-primary-0-rndc-key", { namespace });
  await it.client.delete(Secret, { name: "dns-primary-0-rndc-key", namespace }, { propagation: "Background" });
  await it.pass(20_000);
  const next = await it.client.get(Secret, "dns-primary-0-rndc-key", { namespace });
  expect(next.data?.["secret"]).not.toBe(key.data?.["secret"]);
  expect((await it.pods())[0]?.metadata?.name).not.toBe(old?.metadata?.name);
  expect(await it.says("b9c", "dns")).toBe("True AllReady All 1 instances are ready");
});

test("A-91 a new version rolls out one server after the other, secondaries first, and nobody is missed", async () => {
  it = await stage({ ready: 3_000 });
  await it.cluster("dns", 2, 1);
  await it.pass(20_000);
  await it.client.patch(Bind9Cluster, { name: "dns", namespace }, { merge: { spec: { version: "9.20" } } });
  const order: string[] = [];
  const image = "internetsystemsconsortium/bind9:9.20";
  for (let i = 0; i < 90; i += 1) {
    await it.pass(1_000);
    const { items } = await it.client.list(Deployment, { namespace });
    const rolling = items.filter(({ status, metadata }) => {
      return (
        status?.updatedReplicas !== 1 || status.replicas !== 1 || status.observedGeneration !== metadata?.generation
      );
    });
    expect(rolling.length).toBeLessThanOrEqual(1);
    for (const { metadata, spec } of items) {
      const name = metadata?.name ?? "";
      if (spec?.template.spec?.containers[0]?.image === image && !order.includes(name)) order.push(name);
    }
    expect(await it.says("b9c", "dns")).toMatch(/^True AllReady/);
  }
  expect(order).toEqual(["dns-secondary-0", "dns-primary-0", "dns-primary-1"]);
});

test("A-92 a cluster goes: secondaries first, then primaries; what a person made stays", async () => {
  it = await stage();
  await it.cluster("dns", 1, 1);
  const { apiVersion, kind } = Bind9Instance;
  const spec = { clusterRef: "dns", role: "primary" as const };
  await it.client.create(Bind9Instance, { apiVersion, kind, metadata: { name: "mine", namespace }, spec });
  await it.pass(15_000);
  expect(await it.says("b9c", "dns")).toBe("True AllReady All 3 instances are ready");
  it.writes();
  await it.client.delete(Bind9Cluster, { name: "dns", namespace }, { propagation: "Background" });
  await it.pass(30_000);
  const deleted = it.writes().filter(({ line }) => line.startsWith("DELETE") && line.includes("/bind9instances/"));
  expect(deleted.map(({ line }) => line.split("/").at(-1))).toEqual(["dns-secondary-0", "dns-primary-0"]);
  expect((await it.client.list(Bind9Cluster, { namespace })).items).toEqual([]);
  const left = (await it.client.list(Bind9Instance, { namespace })).items.map(({ metadata }) => metadata.name);
  expect(left).toEqual(["mine"]);
  expect((await it.client.list(Deployment, { namespace })).items.map(({ metadata }) => metadata?.name)).toEqual([
    "mine",
  ]);
});

test("A-93 a global cluster has a cluster in each namespace, and goes after them", async () => {
  it = await stage({ namespaces: ["production"] });
  const { apiVersion, kind } = Bind9GlobalCluster;
  const spec = { namespaces: [namespace, "production"], primary: { replicas: 1 } };
  await it.client.create(Bind9GlobalCluster, { apiVersion, kind, metadata: { name: "dns" }, spec });
  await it.pass(20_000);
  expect(await it.says("b9gc", "dns")).toBe(
    "True ClustersReady All 2 clusters are ready (dns-system/dns, production/dns)",
  );
  await it.client.patch(Bind9GlobalCluster, { name: "dns" }, { merge: { spec: { namespaces: [namespace] } } });
  await it.pass(20_000);
  expect(await it.says("b9gc", "dns")).toBe("True ClustersReady All 1 clusters are ready (dns-system/dns)");
  expect((await it.client.list(Bind9Cluster, { namespace: "production" })).items).toEqual([]);
  await it.client.delete(Bind9GlobalCluster, { name: "dns" }, { propagation: "Background" });
  await it.pass(30_000);
  expect((await it.client.list(Bind9GlobalCluster, {})).items).toEqual([]);
  expect((await it.client.list(Bind9Cluster, {})).items).toEqual([]);
  expect((await it.client.list(Bind9Instance, {})).items).toEqual([]);
});

test("12.2 an image of a registry that is not allowed is refused, and nothing is made of it until it is corrected", async () => {
  it = await stage({ config: { imageRegistries: ["registry.example.com/dns"] } });
  const { apiVersion, kind } = Bind9GlobalCluster;
  const image = (of: string) => ({ image: { image: `${of}/bind9:9.18` } });
  const spec = { namespace, primary: { replicas: 1 }, ...image("elsewhere.example.com") };
  await it.client.create(Bind9GlobalCluster, { apiVersion, kind, metadata: { name: "dns" }, spec });
  await it.pass(20_000);
  expect(await it.says("b9gc", "dns")).toBe(
    "False ConfigurationInvalid Invalid configuration: spec.image.image: is not from a registry that the operator allows",
  );
  expect((await it.client.list(Bind9Cluster, {})).items).toEqual([]);
  const allowed = image("registry.example.com/dns");
  await it.client.patch(Bind9GlobalCluster, { name: "dns" }, { merge: { spec: allowed } });
  await it.pass(20_000);
  expect(await it.says("b9gc", "dns")).toBe("True ClustersReady All 1 clusters are ready (dns-system/dns)");
  const [pod] = await it.pods("dns-primary-0");
  expect(pod?.spec?.containers[0]?.image).toBe(allowed.image.image);
});

test("A-65 a namespace that is not there: it says so, tells of it, and goes on when it comes", async () => {
  it = await stage();
  const { apiVersion, kind } = Bind9GlobalCluster;
  const spec = { namespace: "nowhere", primary: { replicas: 1 } };
  await it.client.create(Bind9GlobalCluster, { apiVersion, kind, metadata: { name: "dns" }, spec });
  await it.pass(5_000);
  expect(await it.says("b9gc", "dns")).toBe(
    'False NoChildren No clusters found for this global cluster: No cluster in namespace nowhere: 404 NotFound: namespaces "nowhere" not found',
  );
  expect((await it.events("Bind9GlobalCluster")).some((told) => told.startsWith("Warning NoChildren"))).toBe(true);
  await it.client.create(Namespace, { metadata: { name: "nowhere" } });
  await it.pass(45_000);
  expect(await it.says("b9gc", "dns")).toBe("True ClustersReady All 1 clusters are ready (nowhere/dns)");
});

test("A-94 an operator that is killed while scaling goes on where it was", async () => {
  it = await stage({ ready: 2_000 });
  await it.cluster("dns", 2, 1);
  await it.pass(15_000);
  await it.scale("dns", 4, 1);
  it.operator.kill();
  const slots = await slotsIn(it);
  await it.pass(5_000);
  it.operator = it.start("second");
  await it.pass(30_000);
  expect(await it.says("b9c", "dns")).toBe("True AllReady All 5 instances are ready");
  expect(await slotsIn(it)).toMatchObject(slots);
  expect(new Set(Object.values(await slotsIn(it))).size).toBe(5);
});

test("A-95 of two operators one works; when it dies the other takes over", async () => {
  const replicas = { as: "lease", namespace: "bindy-system", lease: "bindy-leader" } as const;
  it = await stage({ replicas });
  const second = it.start("second");
  await it.cluster("dns", 1, 0);
  await it.pass(10_000);
  const by = () =>
    new Set(
      it
        ?.writes()
        .filter(({ line }) => !line.includes("/leases"))
        .map((one) => one.by),
    );
  expect([...by()]).toEqual(["first"]);
  it.operator.kill();
  await it.scale("dns", 2, 0);
  await it.until(async () => by().has("second"), 20_000);
  await it.pass(10_000);
  expect(await it.says("b9c", "dns")).toBe("True AllReady All 2 instances are ready");
  it.operator = second;
});

test("L-22 L-25 what somebody changes is put right: the Deployment's image, and an instance's labels", async () => {
  it = await stage();
  await it.cluster("dns", 1, 0, { primary: { replicas: 1, labels: { tier: "gold" } } });
  await it.pass(10_000);
  const name = "dns-primary-0";
  const containers = [{ name: "bind9", image: "evil:1" }];
  const spec = { template: { spec: { containers } } };
  await it.client.patch(Deployment, { name, namespace }, { strategic: { spec } });
  await it.client.patch(Bind9Instance, { name, namespace }, { merge: { metadata: { labels: { tier: "lead" } } } });
  await it.pass(15_000);
  const deployment = await it.client.get(Deployment, name, { namespace });
  expect(deployment.spec?.template.spec?.containers[0]?.image).toBe("internetsystemsconsortium/bind9:9.18");
  expect((await it.client.get(Bind9Instance, name, { namespace })).metadata.labels?.["tier"]).toBe("gold");
  await it.client.patch(Bind9Cluster, { name: "dns", namespace }, { merge: { spec: { primary: { labels: null } } } });
  await it.pass(5_000);
  expect((await it.client.get(Bind9Instance, name, { namespace })).metadata.labels?.["tier"]).toBeUndefined();
});

test("8.4 a key that is due is replaced, pods follow, and it is told", async () => {
  it = await stage();
  await it.cluster("dns", 1, 0, { primary: { replicas: 1, rndcKey: { autoRotate: true, rotateAfter: "1h" } } });
  await it.pass(20_000);
  const secret = () => it?.client.get(Secret, "dns-primary-0-rndc-key", { namespace });
  const [before, old] = [await secret(), (await it.pods())[0]?.metadata?.name];
  const instance = () => it?.client.get(Bind9Instance, "dns-primary-0", { namespace });
  expect((await instance())?.status?.rndcKeyRotation).toMatchObject({ rotationCount: 0 });
  await it.pass(3_660_000);
  expect((await secret())?.data?.["secret"]).not.toBe(before?.data?.["secret"]);
  expect((await instance())?.status?.rndcKeyRotation).toMatchObject({ rotationCount: 1 });
  expect((await it.pods())[0]?.metadata?.name).not.toBe(old);
  expect(await it.says("b9c", "dns")).toBe("True AllReady All 1 instances are ready");
  const told = await it.events("Bind9Instance");
  expect(told.some((event) => event.startsWith("Normal KeyRotated"))).toBe(true);
  expect(JSON.stringify(told)).not.toContain((await secret())?.data?.["secret"] ?? "-");
}, 120_000);

test("8.4 a Secret that was there before its instance is looked at first: a key is kept, anything else is told of", async () => {
  it = await stage();
  await it.cluster("dns", 1, 0);
  await it.pass(20_000);
  const { data } = await it.client.get(Secret, "dns-primary-0-rndc-key", { namespace });
  const left = (name: string, content: object) =>
    it?.client.create(Secret, { metadata: { name: `${name}-rndc-key`, namespace }, data: { ...content } });
  await left("kept", data ?? {});
  await left("other", { password: "c2VjcmV0" });
  const { apiVersion, kind } = Bind9Instance;
  const spec = { clusterRef: "", role: "primary" as const };
  for (const name of ["kept", "other"])
    await it.client.create(Bind9Instance, { apiVersion, kind, metadata: { name, namespace }, spec });
  await it.pass(20_000);
  expect(await it.says("b9", "kept")).toBe("True AllReady All 1 pods are ready");
  expect((await it.client.get(Secret, "kept-rndc-key", { namespace })).data).toEqual(data);
  expect(await it.says("b9", "other")).toContain("Secret other-rndc-key belongs to somebody else");
  expect((await it.client.list(Deployment, { namespace })).items.map(({ metadata }) => metadata?.name)).not.toContain(
    "other",
  );
});

test("8.4 a key that a cluster gives all its servers is changed by the first that may roll, and all follow", async () => {
  it = await stage();
  const keyed = (named: string) => {
    const rndcKey = { secret: { metadata: { name: "ours" }, stringData: { "key-name": named } } };
    return { primary: { replicas: 2, rndcKey }, secondary: { replicas: 1, rndcKey } };
  };
  await it.cluster("dns", 2, 1, keyed("one"));
  await it.pass(30_000);
  await it.client.patch(Bind9Cluster, { name: "dns", namespace }, { merge: { spec: keyed("two") } });
  await it.pass(60_000);
  expect(await it.says("b9c", "dns")).toContain("True AllReady");
  const { data } = await it.client.get(Secret, "ours", { namespace });
  expect(Buffer.from(data?.["key-name"] ?? "", "base64").toString()).toBe("two");
  const named = (await it.pods()).map(
    ({ spec }) => spec?.containers[1]?.env?.find(({ name }) => name === "NSUPDATE_KEY_NAME")?.value,
  );
  expect(named).toEqual(["two", "two", "two"]);
});

test("8.3 there is no turn to wait for with a Deployment of somebody else: it is told of at once, also by a new operator", async () => {
  it = await stage();
  const name = "lone";
  const labels = { "app.kubernetes.io/part-of": "bindy" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "bind9", image: "other:1" }] } };
  const theirs = { replicas: 0, selector: { matchLabels: labels }, template };
  await it.client.create(Deployment, { metadata: { name, namespace, labels }, spec: theirs });
  const { apiVersion, kind } = Bind9Instance;
  const spec = { clusterRef: "", role: "primary" as const };
  await it.client.create(Bind9Instance, { apiVersion, kind, metadata: { name, namespace }, spec });
  await it.pass(1_000);
  const said = "False FailedCreate Failed to create resources: Deployment lone belongs to somebody else";
  expect(await it.says("b9", name)).toBe(said);
  await it.operator.stop();
  it.writes();
  it.operator = it.start("second");
  await it.pass(20_000);
  expect(it.writes()).toEqual([]);
});

test("8.3 a wanted name that somebody else has is told of, and not touched", async () => {
  it = await stage();
  const { apiVersion, kind } = Bind9Instance;
  const spec = { clusterRef: "", role: "primary" as const };
  await it.client.create(Bind9Instance, { apiVersion, kind, metadata: { name: "dns-primary-0", namespace }, spec });
  await it.pass(5_000);
  await it.cluster("dns", 2, 0);
  await it.pass(10_000);
  expect(await it.says("b9c", "dns")).toBe("False InstancesScaling Scaling instances to 2: 1/2 instances are ready");
  expect((await it.events("Bind9Cluster")).some((told) => told.startsWith("Warning NameConflict"))).toBe(true);
  expect((await it.client.get(Bind9Instance, "dns-primary-0", { namespace })).metadata.ownerReferences).toBeUndefined();
});

test("8.4 an instance of a cluster that is not there says so, and comes up with it", async () => {
  it = await stage();
  const { apiVersion, kind } = Bind9Instance;
  const spec = { clusterRef: "dns", role: "primary" as const };
  await it.client.create(Bind9Instance, { apiVersion, kind, metadata: { name: "mine", namespace }, spec });
  await it.pass(2_000);
  expect(await it.says("b9", "mine")).toBe(
    "False ConfigurationInvalid Invalid configuration: spec.clusterRef: cluster dns not found",
  );
  expect((await it.client.list(Deployment, { namespace })).items).toEqual([]);
  await it.cluster("dns", 0, 0);
  await it.pass(5_000);
  expect(await it.says("b9", "mine")).toBe("True AllReady All 1 pods are ready");
  expect((await it.client.get(Bind9Instance, "mine", { namespace })).status?.clusterRef?.name).toBe("dns");
  expect((await it.events("Bind9Instance")).some((told) => told.startsWith("Normal ConfigurationValid"))).toBe(true);
});

test("8.4 an account that comes when the last instance is gone goes too, and one that a person made stays", async () => {
  it = await stage({ namespaces: ["other"] });
  await it.cluster("dns", 1, 0);
  await it.pass(20_000);
  const { metadata, ...rest } = await it.client.get(ServiceAccount, "bind9", { namespace });
  await it.client.delete(Bind9Cluster, { name: "dns", namespace }, { propagation: "Background" });
  await it.pass(20_000);
  const left = async () => {
    const { items = [] } = (await it?.client.list(ServiceAccount)) ?? {};
    return items.filter((one) => one.metadata?.name === "bind9");
  };
  expect(await left()).toEqual([]);
  await it.client.create(ServiceAccount, {
    ...rest,
    metadata: { name: "bind9", namespace, labels: metadata?.labels ?? {} },
  });
  await it.client.create(ServiceAccount, { ...rest, metadata: { name: "bind9", namespace: "other" } });
  await it.pass(50_000);
  expect(await left()).toHaveLength(2);
  await it.pass(20_000);
  expect((await left()).map((one) => one.metadata?.namespace)).toEqual(["other"]);
});
