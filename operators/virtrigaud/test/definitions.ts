// What an API server makes of our definitions: asked of the embedded one and of a real one, in the same words.
import type { Kind, KubeObject } from "@telltale/kinds";
import { describe, expect, test } from "vitest";
import { virtrigaudKinds } from "../src/kinds/index.ts";
import { alternatives, full, fullStatus, kindNamed, least } from "./specs.ts";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** One request with a JSON body; a patch says which with its content type. */
export type Ask = (method: string, path: string, body?: unknown, headers?: Headers) => Promise<Answer>;
type Headers = Readonly<Record<string, string>>;

type Body = KubeObject & { readonly spec: Record<string, unknown>; readonly status?: Record<string, unknown> };

export const pathOf = ({ group, version, plural }: Kind, namespace = "default"): string =>
  `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;

const merge = { "content-type": "application/merge-patch+json" };
const tableOf = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
const messageOf = ({ body }: Answer): string => (body as { message?: string }).message ?? "";
const names = virtrigaudKinds.map(({ kind }) => kind);

/** The tests. `ask` is known only when they run. */
export function definitionTests(ask: Ask): void {
  const at = (name: string, object: string) => `${pathOf(kindNamed(name))}/${object}`;
  const make = (name: string, object: string, spec: object) => {
    const { apiVersion, kind } = kindNamed(name);
    const body = { apiVersion, kind, metadata: { name: object }, spec };
    return ask("POST", `${pathOf(kindNamed(name))}?fieldValidation=Strict`, body);
  };
  const change = (name: string, object: string, spec: object) => ask("PATCH", at(name, object), { spec }, merge);
  const setStatus = (name: string, object: string, status: object) =>
    ask("PATCH", `${at(name, object)}/status`, { status }, merge);
  const taken = async (answer: Promise<Answer>, status = 201) => {
    const it = await answer;
    expect(it.status, messageOf(it)).toBe(status);
    return it.body as Body;
  };
  const refused = async (answer: Promise<Answer>, text: string) => {
    const it = await answer;
    expect([it.status, messageOf(it)]).toEqual([422, expect.stringContaining(text)]);
  };

  test.each(names)("3 %s is accepted with every field, and with as few as there may be", async (name) => {
    const body = await taken(make(name, "full", full(name)));
    expect(body.spec).toMatchObject(full(name)); // nothing of it was pruned
    await taken(make(name, "least", least[name] ?? {}));
    const { status } = await taken(ask("GET", at(name, "least")), 200);
    expect(status).toEqual({ observedGeneration: -1 });
  });

  test.each(names)("3 the status of a %s keeps every field", async (name) => {
    await taken(make(name, "told", least[name] ?? {}));
    const { status } = await taken(setStatus(name, "told", fullStatus(name)), 200);
    expect(status).toEqual(fullStatus(name));
  });

  test.each(alternatives)("3 %s can stand in the place of the others", async (path, spec) => {
    const [name = ""] = path.split(".");
    const body = await taken(make(name, path.toLowerCase(), spec));
    expect(body.spec).toMatchObject(spec);
  });

  test("3 has the standard values where nothing is said", async () => {
    const runtime = { image: "x", service: { tls: {} } };
    const provider = await taken(make("Provider", "standard", { ...least["Provider"], runtime, healthCheck: {} }));
    expect(provider.spec).toMatchObject({
      insecureSkipVerify: false,
      healthCheck: { enabled: true, interval: "30s", timeout: "10s", failureThreshold: 3, successThreshold: 1 },
      runtime: {
        mode: "Remote",
        replicas: 1,
        imagePullPolicy: "IfNotPresent",
        logLevel: "info",
        logFormat: "text",
        service: { port: 9443, tls: { enabled: true, insecureSkipVerify: false } },
      },
    });
    const image = await taken(make("VMImage", "standard", { source: { http: { url: "http://x" } }, prepare: {} }));
    expect(image.spec).toEqual({
      source: { http: { url: "http://x", checksumType: "sha256", timeout: "30m" } },
      prepare: { onMissing: "Import", retries: 3, timeout: "30m", validateChecksum: true },
    });
    const set = await taken(make("VMSet", "standard", { ...least["VMSet"], updateStrategy: { rollingUpdate: {} } }));
    expect(set.spec).toMatchObject({
      replicas: 1,
      revisionHistoryLimit: 10,
      updateStrategy: {
        type: "RollingUpdate",
        rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%", podManagementPolicy: "OrderedReady" },
      },
    });
    const vm = await taken(make("VirtualMachine", "standard", { ...least["VirtualMachine"], lifecycle: {} }));
    expect(vm.spec["lifecycle"]).toEqual({ gracefulShutdownTimeout: "60s" });
  });

  const vm = least["VirtualMachine"] ?? {};
  const web = { vmRef: { name: "web" } };
  const migration = least["VMMigration"] ?? {};

  describe("2, 3 and appendix C: the schema refuses", () => {
    test.each<[string, object, string]>([
      ["VirtualMachine", { classRef: { name: "small" } }, "spec.providerRef"],
      ["VirtualMachine", { ...vm, providerRef: { name: "a.b" } }, "spec.providerRef.name"],
      ["VirtualMachine", { ...vm, providerRef: { name: "a", namespace: "A" } }, "spec.providerRef.namespace"],
      ["VirtualMachine", { ...vm, powerState: "on" }, "spec.powerState"],
      ["VirtualMachine", { ...vm, powerState: true }, "spec.powerState"],
      ["VirtualMachine", { ...vm, disks: [{ name: "a", sizeGiB: 0 }] }, "spec.disks[0].sizeGiB"],
      ["VirtualMachine", { ...vm, disks: Array(21).fill({ name: "a", sizeGiB: 1 }) }, "spec.disks"],
      ["VirtualMachine", { ...vm, resources: { cpu: 129 } }, "spec.resources.cpu"],
      ["VirtualMachine", { ...vm, networks: [{ name: "a", ipAddress: "1.2.3" }] }, "spec.networks[0].ipAddress"],
      ["VirtualMachine", { ...vm, networks: [{ name: "a", macAddress: "02:00" }] }, "spec.networks[0].macAddress"],
      ["VirtualMachine", { ...vm, imageRef: { name: "a" }, importedDisk: { diskID: "d" } }, "imageRef or importedDisk"],
      ["Provider", { ...least["Provider"], type: "mock" }, "spec.type"],
      ["Provider", { ...least["Provider"], endpoint: "file:///x" }, "spec.endpoint"],
      ["Provider", { ...least["Provider"], runtime: { image: "a b" } }, "spec.runtime.image"],
      ["Provider", { ...least["Provider"], healthCheck: { interval: "1d" } }, "spec.healthCheck.interval"],
      ["VMSnapshot", { ...web, retentionPolicy: { maxAge: "30d" } }, "spec.retentionPolicy.maxAge"],
      ["VMSnapshot", { ...web, schedule: { cronSpec: "tomorrow" } }, "spec.schedule.cronSpec"],
      ["VMClass", { cpu: 1, memory: "512Mi", securityProfile: { tpmVersion: "2" } }, "spec.securityProfile.tpmVersion"],
      ["VMClass", { cpu: 1, memory: "much" }, "spec.memory"],
      ["VMImage", { source: {} }, "exactly one of"],
      ["VMImage", { source: { proxmox: {}, vsphere: {} } }, "exactly one of"],
      ["VMClone", { source: {}, target: { name: "x" } }, "exactly one of"],
      ["VMClone", { source: { ...web, snapshotRef: { name: "s" } }, target: { name: "x" } }, "exactly one of"],
      ["VMMigration", { ...migration, storage: {} }, "exactly one of"],
      ["VMMigration", { ...migration, storage: { type: "s3", pvc: { name: "x" } } }, "the block that type names"],
      ["VMSet", { template: { spec: vm } }, "spec.selector"],
      ["VMSet", { ...least["VMSet"], replicas: 1001 }, "spec.replicas"],
      ["VMNetworkAttachment", { network: { proxmox: { bridge: "br0" } } }, "spec.network.proxmox.bridge"],
      ["VMPlacementPolicy", { affinity: { hostAffinity: {} } }, "spec.affinity.hostAffinity.enabled"],
    ])("%s with %j", async (name, spec, text) => {
      await refused(make(name, "wrong", spec), text);
    });
  });

  test("C.3 the versions of a TPM are texts", async () => {
    for (const tpmVersion of ["1.2", "2.0"])
      await taken(make("VMClass", `tpm-${tpmVersion}`, { ...least["VMClass"], securityProfile: { tpmVersion } }));
  });

  test("C.7 what has been begun with stays", async () => {
    for (const name of ["VMSet", "VMSnapshot", "VMClone", "VMMigration"])
      await taken(make(name, "stays", least[name] ?? {}));
    await refused(change("VMSet", "stays", { selector: { matchLabels: { app: "x" } } }), "cannot be changed");
    await taken(change("VMSet", "stays", { replicas: 3 }), 200);
    await refused(change("VMSnapshot", "stays", { vmRef: { name: "x" } }), "cannot be changed");
    await refused(change("VMClone", "stays", { source: { vmRef: { name: "x" } } }), "cannot be changed");
    await taken(change("VMMigration", "stays", { target: { powerOn: true } }), 200);
    await taken(setStatus("VMMigration", "stays", { phase: "Exporting" }), 200);
    await refused(change("VMMigration", "stays", { target: { powerOn: false } }), "cannot be changed");
    await refused(change("VMMigration", "stays", { source: { vmRef: { name: "x" } } }), "cannot be changed");
    await taken(change("VMMigration", "stays", { metadata: { project: "p" } }), 200);
  });

  test("C.5 conditions are told apart by their type, and keep the rules of 2.4", async () => {
    const condition = (more: object = {}) => ({
      type: "Ready",
      status: "False",
      reason: "ReconcileFailed",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
      ...more,
    });
    await taken(make("VirtualMachine", "conditions", vm));
    const set = (...conditions: object[]) => setStatus("VirtualMachine", "conditions", { conditions });
    await taken(set(condition(), condition({ type: "Deleting" })), 200);
    await refused(set(condition(), condition()), "status.conditions[1]");
    await refused(set(condition({ reason: "Powering-On" })), "status.conditions[0].reason");
    await refused(set(condition({ status: "Maybe" })), "status.conditions[0].status");
    await refused(setStatus("VirtualMachine", "conditions", { powerState: "poweredOn" }), "status.powerState");
  });

  test("C.1 a set can be scaled, and says whom it selects; C.2 a machine cannot be scaled", async () => {
    await taken(make("VMSet", "scaled", { ...least["VMSet"], replicas: 2 }));
    await taken(setStatus("VMSet", "scaled", { replicas: 1, selector: "app=pool" }), 200);
    const scale = await taken(ask("GET", `${at("VMSet", "scaled")}/scale`), 200);
    expect([scale.spec, scale.status]).toEqual([{ replicas: 2 }, { replicas: 1, selector: "app=pool" }]);
    const wanted = { spec: { replicas: 5 } };
    await taken(ask("PATCH", `${at("VMSet", "scaled")}/scale`, wanted, merge), 200);
    expect((await taken(ask("GET", at("VMSet", "scaled")), 200)).spec["replicas"]).toBe(5);
    await taken(make("VirtualMachine", "scaled", vm));
    expect((await ask("GET", `${at("VirtualMachine", "scaled")}/scale`)).status).toBe(404);
  });

  describe("3 columns", () => {
    const columns: Readonly<Record<string, string>> = {
      VirtualMachine: "Phase Ready Provider Class Image IPs",
      Provider: "Type Endpoint Healthy Connected_VMs",
      VMMigration: "Source Target Phase Progress",
      VMSet: "Desired Current Ready Updated",
      VMPlacementPolicy: "Used_By_VMs Priority Successful Failed",
      VMSnapshot: "VM Phase Size Created Expires",
      VMClass: "CPU Memory Firmware Used_By",
      VMImage: "Ready Phase Size Providers",
      VMClone: "Source Target Phase Clone_Type Progress",
      VMNetworkAttachment: "Ready Type Connected_VMs Providers",
    };
    const shown = async (name: string) => {
      const { body } = await ask("GET", pathOf(kindNamed(name)), undefined, tableOf);
      const { columnDefinitions = [], rows = [] } = body as {
        columnDefinitions?: { name: string }[];
        rows?: { cells: unknown[] }[];
      };
      const row = rows.find(({ cells }) => cells[0] === "shown")?.cells ?? [];
      return { names: columnDefinitions.map((it) => it.name.replaceAll(" ", "_")), cells: row.slice(1, -1) };
    };

    test.each(names)("of %s, also without a status", async (name) => {
      await taken(make(name, "shown", least[name] ?? {}));
      expect((await shown(name)).names.join(" ")).toBe(`Name ${columns[name]} Age`);
    });

    test("show what the status says", async () => {
      await setStatus("VirtualMachine", "shown", { phase: "Running", ips: ["192.0.2.7", "2001:db8::7"] });
      const machine = await shown("VirtualMachine");
      expect(machine.cells.slice(0, 4)).toEqual(["Running", null, "box", "small"]);
      expect(String(machine.cells.at(-1))).toContain("192.0.2.7");
      await setStatus("VMPlacementPolicy", "shown", { usedByVMs: [{ name: "a" }, { name: "b" }] });
      const policy = await shown("VMPlacementPolicy");
      expect(String(policy.cells[0])).toContain("a");
    });
  });
}
