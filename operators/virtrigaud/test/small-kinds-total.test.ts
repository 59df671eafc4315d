// Whatever is stored, by whomever, a pass over a class, an image or a network says something sound (L-34): statuses are made up.
import { type Instant, instant, type KindRef, type KubeObject } from "@telltale/kinds";
import { ConfigMap } from "@telltale/kinds/builtin";
import { type Look, silentLog } from "@telltale/runtime";
import { draft, text } from "@telltale/status";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Provider, VirtualMachine, VMClass, VMImage, VMNetworkAttachment } from "../src/kinds/index.ts";
import { observe as observeClass } from "../src/vm-class/observe.ts";
import { status as classStatus } from "../src/vm-class/status.ts";
import { type Finding, learn } from "../src/vm-image/learn.ts";
import { observe as observeImage } from "../src/vm-image/observe.ts";
import { plan } from "../src/vm-image/plan.ts";
import { status as imageStatus } from "../src/vm-image/status.ts";
import { observe as observeNetwork } from "../src/vm-network-attachment/observe.ts";
import { status as networkStatus } from "../src/vm-network-attachment/status.ts";
import { providerSpec } from "./stage.ts";

const now: Instant = instant(Date.UTC(2026, 0, 1));
const crossing = { isFree: false };
const metadata = (name: string) => ({ name, namespace: "demo", uid: name, generation: 2 });

/** A cache with these objects, whatever the index. */
function looking(objects: readonly (readonly [KindRef, KubeObject])[]): Look {
  const of = <T extends KubeObject>(kind: KindRef<T>): readonly T[] =>
    objects.filter(([it]) => it === kind).map(([, object]) => object as T);
  const get = <T extends KubeObject>(kind: KindRef<T>, { name }: { readonly name: string }): T | undefined =>
    of(kind).find((it) => it.metadata?.name === name);
  const none = () => {
    throw new Error("nobody asks for this");
  };
  return {
    now,
    log: silentLog,
    signal: new AbortController().signal,
    get,
    list: of,
    where: of,
    children: of,
    live: async (kind, name) => get(kind, name),
    server: { list: none, all: none, discover: none, scale: none },
    recordAge: none,
    polled: none,
  };
}

const time = fc.constantFrom("2025-12-31T23:59:00Z", "2026-06-01T00:00:00Z", "never", "");
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
const provider = fc.record({
  phase: fc.constantFrom("Running", "Starting"),
  endpoint: fc.constantFrom("box:9443", ""),
  supportsImageImport: fc.boolean(),
  type: fc.constantFrom("qemu", "vsphere", "libvirt", "firecracker"),
  isThere: fc.boolean(),
  hasStatus: fc.boolean(),
});
type Made = typeof provider extends fc.Arbitrary<infer T> ? T : never;

const boxOf = ({ phase, endpoint, supportsImageImport, type, isThere, hasStatus }: Made) => {
  const status = { runtime: { phase, endpoint }, reportedCapabilities: { supportsImageImport } };
  const box = { metadata: metadata("box"), spec: { ...providerSpec, type }, ...(hasStatus ? { status } : {}) };
  return isThere ? ([[Provider, box]] as const) : [];
};

const machine = fc.record({
  id: fc.constantFrom("", "vm-1"),
  ips: maybe(fc.constant(["10.0.0.9"])),
  ipAddress: maybe(fc.constantFrom("10.0.0.1", "10.0.0.2")),
});
const machinesOf = (
  list: readonly { id: string; ips: readonly string[] | undefined; ipAddress: string | undefined }[],
) =>
  list.map(({ id, ips, ipAddress }, n) => {
    const refs = { providerRef: { name: "box" }, classRef: { name: "it" }, imageRef: { name: "it" } };
    const networks = [{ name: "eth0", networkRef: { name: "it" }, ...(ipAddress === undefined ? {} : { ipAddress }) }];
    const vm = { metadata: metadata(`vm-${n}`), spec: { ...refs, networks }, status: { id, ...(ips && { ips }) } };
    return [VirtualMachine, vm] as const;
  });

it("an image", () => {
  const entry = fc.record({
    available: fc.boolean(),
    lastUpdated: time,
    state: maybe(fc.constantFrom("Prepared", "Reference", "Importing", "Failed", "Unanswered", "Refused")),
    failedAttempts: maybe(fc.constantFrom(-1, 0, 3, 9)),
    tries: maybe(fc.constantFrom(-1, 0, 7)),
    reason: maybe(fc.constantFrom("Timeout", "RateLimit", "Unsupported")),
    message: fc.constantFrom(
      "",
      "reference",
      "image prepared",
      "importing, attempt 2 of 4",
      "attempt 3 of 4 failed, ChecksumMismatch: no",
      "attempt 9 of 4 failed, Nonsense: no",
      "attempt 1 of 4, try 7, Unavailable: no",
      "refused, ValidationError: no",
    ),
  });
  const stored = fc.record({
    phase: fc.constantFrom("Pending", "Downloading", "Importing", "Ready", "Failed"),
    observedGeneration: fc.constantFrom(1, 2),
    prepareTaskRef: fc.constantFrom("", "box|", "box|task|7", "task-1", "gone|t", "|"),
    lastPrepareTime: time,
    providerStatus: fc.dictionary(fc.constantFrom("box", "gone", "a/b", "a/b/c", ""), entry),
  });
  const spec = fc.record({
    source: fc.constantFrom(
      {},
      { libvirt: { path: "/a" } },
      { http: { url: "https://a.example/a", checksum: "0".repeat(64) } },
      { http: { url: "https://a.example/a", checksum: "1" } },
    ),
    prepare: fc.constantFrom(undefined, {}, { force: true }, { onMissing: "Wait" as const }, { timeout: "30d" }),
  });
  const findings: fc.Arbitrary<Finding> = fc.constantFrom<Finding>(
    { is: "nothing" },
    { is: "begun", key: "box" },
    { is: "answered", key: "box", id: "", path: "", task: "" },
    { is: "answered", key: "box", id: "i", path: "p", task: "t" },
    { is: "answered", key: "box", id: "i".repeat(2_000_000), path: "p", task: "t".repeat(2_000_000) },
    { is: "task", key: "box", task: { is: "running", stage: text`Warping`, percent: 7 } },
    { is: "task", key: "box", task: { is: "done", result: { size_bytes: "many", checksum: 7, format: "x" } } },
    { is: "task", key: "box", task: { is: "done", result: { size_bytes: 1e300, path: "p".repeat(2_000_000) } } },
    { is: "task", key: "box", task: { is: "forgotten" } },
    { is: "late", key: "box" },
  );
  fc.assert(
    fc.property(
      maybe(stored),
      spec,
      provider,
      fc.array(machine, { maxLength: 2 }),
      findings,
      (status, it, box, vms, finding) => {
        const { prepare, source } = it;
        const image = {
          apiVersion: VMImage.apiVersion,
          kind: "VMImage",
          metadata: metadata("it"),
          spec: { source, ...(prepare && { prepare }) },
          ...(status && { status }),
        } as VMImage;
        const world = observeImage(image, looking([...boxOf(box), ...machinesOf(vms)]), crossing);
        const planned = plan(world, now);
        const isDone = planned.do === "nothing" || (planned.do === "poll") !== (finding.is === "task");
        const found: Finding = isDone ? { is: "nothing" } : finding;
        const after = { ...world, finding: found, memory: learn(world.memory, found, world, now) };
        const begun = draft(VMImage, image, now, { strict: true });
        imageStatus(after, begun, now);
        const { status: said } = begun.finish();
        const ready = said.conditions?.find(({ type }) => type === "Ready")?.status;
        expect(said.ready).toBe(ready === "Unknown" ? undefined : ready === "True");
        expect(said.observedGeneration).toBe(2);
        expect(JSON.stringify(said).length).toBeLessThan(20_000);
      },
    ),
    { numRuns: 400 },
  );
});

it("a network", async () => {
  const stored = fc.record({
    phase: fc.constantFrom("Pending", "Configuring", "Ready", "Failed"),
    ipAllocations: fc.array(
      fc.record({
        vm: fc.constantFrom("demo/vm-0", "demo/vm-1", "gone/vm", ""),
        ip: fc.constantFrom("10.0.0.1", "10.0.0.2", "10.9.9.9", "fd00::1", "rubbish"),
        allocatedAt: time,
      }),
      { maxLength: 4 },
    ),
  });
  const allocation = fc.constantFrom(
    undefined,
    { type: "None" as const },
    { type: "Static" as const, staticConfig: { address: "10.0.0.1/24" } },
    { type: "Pool" as const },
    { type: "Pool" as const, poolConfig: { poolRef: { name: "pool" } } },
  );
  const ranges = fc.constantFrom(undefined, "", "10.0.0.1-10.0.0.2", "rubbish");
  await fc.assert(
    fc.asyncProperty(
      maybe(stored),
      allocation,
      ranges,
      provider,
      fc.array(machine, { maxLength: 3 }),
      async (status, ipAllocation, list, box, vms) => {
        const network = {
          apiVersion: VMNetworkAttachment.apiVersion,
          kind: "VMNetworkAttachment",
          metadata: metadata("it"),
          spec: { network: { type: "nat" }, ...(ipAllocation && { ipAllocation }) },
          ...(status && { status }),
        } as VMNetworkAttachment;
        const pool = { metadata: metadata("pool"), data: { ranges: list ?? "" } };
        const pools = list === undefined ? [] : ([[ConfigMap, pool]] as const);
        const look = looking([...boxOf(box), ...machinesOf(vms), ...pools]);
        const world = await observeNetwork(network, look, crossing);
        const begun = draft(VMNetworkAttachment, network, now, { strict: true });
        networkStatus(world, begun, now);
        const { status: said } = begun.finish();
        const isKnown = said.conditions?.find(({ type }) => type === "Ready")?.status !== "Unknown";
        expect(said.ready).toBe(isKnown ? said.phase === "Ready" : undefined);
        const given = (said.ipAllocations ?? []).filter(({ allocatedAt }) => allocatedAt !== undefined);
        expect(new Set(given.map(({ ip }) => ip)).size).toBe(given.length);
      },
    ),
    { numRuns: 300 },
  );
});

it("a class", () => {
  const result = fc.record({
    valid: fc.boolean(),
    lastValidated: time,
    warnings: maybe(fc.array(fc.constant("old"), { maxLength: 1 })),
  });
  const stored = fc.record({ validationResults: fc.dictionary(fc.constantFrom("qemu", "x"), result) });
  const memory = fc.constantFrom("1Gi", "1", "-5Gi", "1e.5");
  fc.assert(
    fc.property(maybe(stored), memory, provider, (status, amount, box) => {
      const vmClass = {
        apiVersion: VMClass.apiVersion,
        kind: "VMClass",
        metadata: metadata("it"),
        spec: { cpu: 1, memory: amount },
        ...(status && { status }),
      } as unknown as VMClass;
      const begun = draft(VMClass, vmClass, now, { strict: true });
      classStatus(observeClass(vmClass, looking(boxOf(box)), crossing), begun, now);
      expect(begun.finish().status.conditions).toHaveLength(3);
    }),
  );
});
