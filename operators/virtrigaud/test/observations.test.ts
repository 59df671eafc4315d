// What is True rests on an observation: this takes each of them away, by the table that the page is made of, and sees that the True goes.
import type { Condition, KindRef, KubeObject } from "@telltale/kinds";
import { Deployment } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import {
  Provider,
  VirtualMachine,
  VMClass,
  VMClone,
  VMImage,
  VMMigration,
  VMNetworkAttachment,
  VMPlacementPolicy,
  VMSet,
  VMSnapshot,
} from "../src/kinds/index.ts";
import { type Away, claims, observations, observationTables } from "./observations.ts";
import { type ProviderStage, providerStage, runtime } from "./provider/stage.ts";
import { namespace } from "./stage.ts";
import { type Whole, type WholeOptions, whole } from "./whole.ts";

const second = 1_000;
const minute = 60 * second;

let w: Whole | undefined;
let p: ProviderStage | undefined;
afterEach(async () => {
  await w?.end();
  await p?.end();
  [w, p] = [undefined, undefined];
});

const rows = Object.entries(observations).flatMap(([kind, of]) =>
  Object.entries(of).map(([type, { away }]) => ({ claim: `${kind} ${type}`, away })),
);
/** The conditions that go in this way. */
const going = (way: Away): readonly string[] => rows.filter(({ away }) => away === way).map(({ claim }) => claim);

test("every condition that can be True has its observation, and the page has them all", async () => {
  expect(rows.map(({ claim }) => claim).sort()).toEqual([...claims].sort());
  const page = [
    "# What True rests on",
    "Made of `test/observations.ts`; `npx vitest run operators/virtrigaud/test/observations.test.ts -u` brings it up to date, and the same",
    "test takes each observation away.",
    "",
    "A condition is True because something was observed: an answer of a provider, what the server reports of another object, or the object",
    "itself. What was not asked, or not answered, is Unknown or absent, with the reason. What a provider says is taken for true: that a",
    "machine is there means that its provider says so. While the operator does not run, nothing is observed, and what it wrote stays.",
    "",
    observationTables(),
    "",
  ].join("\n");
  await expect(page.replace("# What True rests on\n", "# What True rests on\n\n")).toMatchFileSnapshot(
    "../docs/observations.md",
  );
});

type Said = KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } };

const trueOf = (objects: readonly Said[]): ReadonlySet<string> =>
  new Set(
    objects.flatMap(({ kind, status }) =>
      (status?.conditions ?? []).filter((it) => it.status === "True").map(({ type }) => `${kind} ${type}`),
    ),
  );

/** Everything that was True in any status that was written. */
function trueIn(
  bodies: readonly { readonly line: string; readonly body: string }[],
  kinds: readonly KindRef[],
): Set<string> {
  const found = new Set<string>();
  const look = (kind: string, value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("type" in value && "status" in value && value.status === "True") found.add(`${kind} ${value.type}`);
    for (const part of Object.values(value)) look(kind, part);
  };
  for (const { line, body } of bodies) {
    const kind = kinds.find(({ plural }) => line.includes(`/${plural}/`))?.kind;
    if (kind !== undefined && line.endsWith("/status")) look(kind, JSON.parse(body));
  }
  return found;
}

const kinds = [
  VirtualMachine,
  Provider,
  VMClass,
  VMClone,
  VMImage,
  VMMigration,
  VMNetworkAttachment,
  VMPlacementPolicy,
  VMSet,
  VMSnapshot,
];

const refs = { providerRef: { name: "box" }, classRef: { name: "small" }, imageRef: { name: "tiny" } };
const source = { http: { url: "https://images.example/tiny.qcow2" } };
const migration = {
  source: { vmRef: { name: "c" }, powerOffBeforeMigration: true },
  target: { name: "c2", providerRef: { name: "next" }, powerOn: true },
  storage: { type: "nfs", nfs: { server: "nfs.example", export: "/m" } },
  options: { retryPolicy: { maxRetries: 3, retryDelay: "1m" } },
};

/** Providers, what machines are made of, and three machines. */
async function start(refuse?: WholeOptions["refuse"]) {
  const it = await whole({ config: { legacyProviderConditions: true }, ...(refuse && { refuse }) });
  w = it;
  const slow = { snapshotCreate: minute, clone: minute, image: minute, export: 2 * minute, import: 2 * minute };
  const hosts = [it.host("box", slow), it.host("next", slow)];
  const secret = "apiVersion: v1\nkind: Secret\nmetadata: { name: creds }\nstringData: { username: nobody }\n";
  await it.create(secret);
  for (const name of ["box", "next"]) {
    await it.apply(Provider, name, {
      type: "qemu",
      endpoint: "tcp://127.0.0.1:9443",
      credentialSecretRef: { name: "creds" },
      runtime: { image: "example/qemu-provider:dev", service: { tls: { enabled: false } } },
    });
  }
  await it.apply(VMClass, "small", { cpu: 1, memory: "512Mi" });
  await it.apply(VMImage, "tiny", { source });
  await it.apply(VMNetworkAttachment, "nat", { network: { type: "nat" } });
  await it.apply(VMPlacementPolicy, "soft", { soft: { networks: ["nat"] } });
  for (const name of ["a", "b", "c"]) await it.apply(VirtualMachine, name, refs);
  await it.apply(VMSet, "pool", {
    replicas: 1,
    selector: { matchLabels: { app: "pool" } },
    template: { metadata: { labels: { app: "pool" } }, spec: refs },
  });
  await it.apply(VMSnapshot, "first", { vmRef: { name: "a" } });
  await it.ready(20 * minute);
  return { it, hosts };
}

test("True that rests on a provider's answer goes when it does not answer", async () => {
  const { it, hosts } = await start();
  const outage = async (isUp: boolean) => {
    for (const host of hosts) host.isUp = isUp;
    await it.pass(75 * minute);
  };
  const seen = new Set<string>();
  const isTrue = async (kind: KindRef, name: string, type: string) =>
    (await it.says(kind, name, type)).startsWith("True");
  const goes = async (away = async () => {}) => {
    for (const claim of trueOf(await it.all())) seen.add(claim);
    await outage(false);
    const left = trueOf(await it.all());
    expect(going("answer").filter((claim) => left.has(claim))).toEqual([]);
    await away();
    await outage(true);
  };
  await it.apply(VMMigration, "move", migration);
  await it.until(() => isTrue(VMMigration, "move", "Exporting"), 10 * minute);
  await it.apply(VMImage, "other", { source }, { annotations: { "virtrigaud.io/prepare-on": "box" } });
  await it.apply(VMSnapshot, "second", { vmRef: { name: "a" } });
  await it.apply(VMClone, "copy", { source: { vmRef: { name: "b" } }, target: { name: "b2" } });
  await it.apply(VirtualMachine, "e", { ...refs, imageRef: { name: "other" } });
  await it.until(() => isTrue(VMSnapshot, "second", "Creating"), minute);
  await it.until(() => isTrue(VirtualMachine, "e", "Provisioning"), minute);
  await it.until(() => isTrue(VMClone, "copy", "Cloning"), minute);
  await it.until(() => isTrue(VMImage, "other", "Downloading"), minute);
  await it.patch(VirtualMachine, "a", { spec: { powerState: "OffGraceful" } });
  await it.until(() => isTrue(VirtualMachine, "a", "Reconfiguring"), minute);
  await goes(async () => {
    expect(await it.says(VirtualMachine, "e", "Provisioning")).toMatch(/^Unknown ProviderUnreachable/);
  });
  await it.apply(VMMigration, "move2", {
    ...migration,
    source: { ...migration.source, vmRef: { name: "b" } },
    target: { ...migration.target, name: "b3" },
  });
  await it.until(() => isTrue(VMMigration, "move2", "Importing"), 60 * minute);
  await goes();
  expect(going("answer").filter((claim) => !seen.has(claim))).toEqual([]);
}, 300_000);

test("True that rests on the report of a Deployment goes with its ready pods", async () => {
  const it = await providerStage({ settings: { legacyProviderConditions: true } });
  p = it;
  const report = async (ready: number) => {
    const found = await it.deployment();
    const observedGeneration = found?.metadata?.generation ?? 1;
    const counts = { replicas: 1, updatedReplicas: ready, readyReplicas: ready, availableReplicas: ready };
    const merge = { status: { ...counts, observedGeneration } };
    await it.client.status.patch(Deployment, { name: runtime, namespace }, { merge });
    await it.pass(second);
    return trueOf([(await it.get(Provider, "box")) ?? {}]);
  };
  await it.box();
  const before = await report(1);
  expect(going("report").filter((claim) => !before.has(claim))).toEqual([]);
  const after = await report(0);
  expect(going("report").filter((claim) => after.has(claim))).toEqual([]);
});

test("True that rests on objects goes when they change, and what tells of work when that ends", async () => {
  let isRefused = false;
  const refuse: WholeOptions["refuse"] = ({ method, path }) =>
    isRefused && method === "POST" && path.includes("/virtualmachines") ? 403 : undefined;
  const { it } = await start(refuse);
  await it.apply(VMNetworkAttachment, "pooled", {
    network: { type: "nat" },
    ipAllocation: { type: "Pool", poolConfig: { poolRef: { name: "pool" } } },
  });
  await it.apply(VMImage, "ref", { source: { libvirt: { path: "/images/tiny.qcow2" } } });
  await it.apply(VirtualMachine, "d", { ...refs, networks: [{ name: "eth0", networkRef: { name: "pooled" } }] });
  const alone = (hosts: readonly string[]) => ({ hard: { hosts } });
  await it.apply(VMPlacementPolicy, "one", { soft: { hosts: ["h1"] } });
  await it.apply(VMPlacementPolicy, "two", { soft: { excludedHosts: ["h1"] } });
  const encrypted = {
    runtime: { image: "example/qemu-provider:dev", service: { tls: { secretRef: { name: "creds" } } } },
  };
  await it.apply(Provider, "far", {
    type: "qemu",
    endpoint: "tcp://127.0.0.1:9443",
    credentialSecretRef: { name: "creds" },
    ...encrypted,
  });
  await it.apply(VMSnapshot, "short", { vmRef: { name: "b" }, retentionPolicy: { maxAge: "1h", gracePeriod: "9h" } });
  await it.apply(VMClone, "copy", {
    source: { vmRef: { name: "b" } },
    target: { name: "b2" },
    options: { powerOn: true },
    customization: {
      hostname: "b2",
      networks: [{ name: "eth0", ipAddress: "192.0.2.9", subnetMask: "255.255.255.0" }],
    },
  });
  await it.apply(VMMigration, "move", migration);
  await it.patch(VirtualMachine, "a", { spec: { powerState: "Off" } });
  isRefused = true;
  await it.patch(VMSet, "pool", { spec: { replicas: 3 } });
  await it.pass(5 * minute);
  isRefused = false;
  await it.pass(10 * minute);
  await it.patch(VMSet, "pool", { spec: { template: { spec: { resources: { cpu: 2 } } } } });
  await it.pass(75 * minute);
  const seen = trueIn(it.writes(), kinds);
  // Whether a machine wants it or not: nobody asks for it.
  expect(await it.says(VMImage, "ref")).toMatch(/^Unknown Reference/);

  await it.patch(VMClass, "small", { spec: { securityProfile: { secureBoot: true } } });
  const broken = { url: "https://images.example/x", checksum: "xyz" };
  for (const name of ["tiny", "ref"])
    await it.patch(VMImage, name, { spec: { source: { libvirt: null, http: broken } } });
  await it.patch(VMPlacementPolicy, "soft", { spec: alone(["h1"]) });
  await it.patch(VMPlacementPolicy, "soft", { spec: { hard: { excludedHosts: ["h1"] } } });
  for (const name of ["one", "two"]) await it.remove(VMPlacementPolicy, name);
  await it.patch(VMNetworkAttachment, "nat", { spec: { ipAllocation: { type: "Static" } } });
  await it.remove(VirtualMachine, "d");
  await it.patch(VMNetworkAttachment, "pooled", { spec: { ipAllocation: { type: "Static", poolConfig: null } } });
  for (const name of ["box", "next", "far"])
    await it.patch(Provider, name, { spec: { runtime: { service: { tls: { enabled: false, secretRef: null } } } } });
  await it.patch(VMSnapshot, "short", { spec: { metadata: { pinned: true } } });
  await it.remove(VMSnapshot, "first");
  await it.remove(VirtualMachine, "a");
  await it.pass(10 * minute);
  for (const claim of trueIn(it.writes(), kinds)) seen.add(claim);
  const left = trueOf(await it.all());
  for (const way of ["object", "end"] as const) {
    expect(going(way).filter((claim) => !seen.has(claim))).toEqual([]);
    expect(going(way).filter((claim) => left.has(claim))).toEqual([]);
  }
}, 300_000);

test("what is about the past says so", () => {
  const conditions = kinds.flatMap(({ kind, conditions: { types } }) =>
    Object.entries(types).map(([type, { means }]) => [`${kind} ${type}`, means] as const),
  );
  const past = conditions.filter(([claim]) => going("past").includes(claim));
  expect(past).toHaveLength(going("past").length);
  for (const [claim, means] of past)
    expect([claim, means]).toEqual([claim, expect.stringMatching(/\b(was|failed|nobody goes on)\b/)]);
});
