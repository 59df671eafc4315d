// What an API server makes of our definitions: asked of the embedded one and of a real one, in the same words.
import type { Kind, KubeObject } from "@telltale/kinds";
import { describe, expect, test } from "vitest";
import { bindyKinds } from "../src/manifests/crds.ts";
import { full, type KindName, least } from "./specs.ts";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** One request with a JSON body; a patch says which with its content type. */
export type Ask = (method: string, path: string, body?: unknown, headers?: Headers) => Promise<Answer>;
type Headers = Readonly<Record<string, string>>;

type Body = KubeObject & { readonly spec: Record<string, unknown>; readonly status?: Record<string, unknown> };

export const kindNamed = (name: string): Kind => {
  const kind = bindyKinds.find((it) => it.kind === name);
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  return kind;
};
export const pathOf = ({ group, version, scope, plural }: Kind): string =>
  `/apis/${group}/${version}${scope === "Cluster" ? "" : "/namespaces/default"}/${plural}`;
export const objectOf = (kind: Kind, name: string, spec: object, more: object = {}): object => ({
  apiVersion: kind.apiVersion,
  kind: kind.kind,
  metadata: { name },
  spec,
  ...more,
});

const merge = { "content-type": "application/merge-patch+json" };
const tableOf = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
const messageOf = ({ body }: Answer): string => (body as { message?: string }).message ?? "";
const names = Object.keys(full) as readonly KindName[];

/** The tests. `ask` is known only when they run. */
export function definitionTests(ask: Ask): void {
  const make = (name: KindName, object: string, spec: object) =>
    ask("POST", `${pathOf(kindNamed(name))}?fieldValidation=Strict`, objectOf(kindNamed(name), object, spec));
  const taken = async (answer: Promise<Answer>, status = 201) => {
    const it = await answer;
    expect(it.status, messageOf(it)).toBe(status);
    return it.body as Body;
  };
  const refused = async (answer: Promise<Answer>, text: string) => {
    const it = await answer;
    expect([it.status, messageOf(it)]).toEqual([422, expect.stringContaining(text)]);
  };
  const table = async (name: KindName) => {
    const { body } = await ask("GET", pathOf(kindNamed(name)), undefined, tableOf);
    const { columnDefinitions = [], rows = [] } = body as {
      columnDefinitions?: { name: string; priority: number }[];
      rows?: { cells: unknown[] }[];
    };
    return { columns: columnDefinitions, rows: rows.map(({ cells }) => cells) };
  };
  const setStatus = (name: KindName, object: string, status: object) =>
    ask("PATCH", `${pathOf(kindNamed(name))}/${object}/status`, { status }, merge);

  test.each(names)("A-110 %s is accepted with every field, and with as few as there may be", async (name) => {
    const body = await taken(make(name, "full", full[name]));
    expect(body.spec).toMatchObject(full[name]); // nothing of it was pruned
    const read = await taken(ask("GET", `${pathOf(kindNamed(name))}/full`), 200);
    expect(read.status).toMatchObject({ observedGeneration: -1, conditions: [] });
    await taken(make(name, "least", least[name]));
  });

  test.each(names)(
    "2.1 %s takes null for every field that may be left out, and as long as it is null it is",
    async (name) => {
      const { properties = {}, required = [] } = kindNamed(name).schema.spec;
      const open = Object.keys(properties).filter((field) => !required.includes(field));
      const nulls = Object.fromEntries(open.map((field) => [field, null]));
      const body = await taken(make(name, "nulls", { ...nulls, ...least[name] }));
      for (const field of open) if (!(field in least[name])) expect(body.spec[field], field).toBeNull();
    },
  );

  test("3 has the standard values where nothing is said", async () => {
    const cluster = await taken(
      make("Bind9Cluster", "standard", { primary: { rndcKey: {}, rndcSecretRef: { name: "x" } } }),
    );
    expect(cluster.spec).toEqual({
      version: "9.18",
      primary: {
        rndcKey: { autoRotate: false, rotateAfter: "720h", algorithm: "hmac-sha256" },
        rndcSecretRef: { name: "x", algorithm: "hmac-sha256", keyNameKey: "key-name", secretKey: "secret" },
      },
    });
    const instance = await taken(
      make("Bind9Instance", "standard", { ...least.Bind9Instance, bindcarConfig: {}, storage: {} }),
    );
    expect(instance.spec).toEqual({
      clusterRef: "",
      role: "primary",
      replicas: 1,
      bindcarConfig: { imagePullPolicy: "IfNotPresent", port: 8080, logLevel: "info" },
      storage: { storageType: "emptyDir" },
    });
    const zone = await taken(make("DNSZone", "standard", { ...least.DNSZone }));
    expect(zone.spec["ttl"]).toBe(3600);
  });

  describe("A-115 the schema refuses", () => {
    test.each<[KindName, object, string]>([
      ["Bind9Cluster", { primary: { replicas: 101 } }, "spec.primary.replicas"],
      ["Bind9Cluster", { secondary: { replicas: -1 } }, "spec.secondary.replicas"],
      ["Bind9Instance", { clusterRef: "", role: "primary", replicas: 101 }, "spec.replicas"],
      ["Bind9Instance", { clusterRef: "", role: "master" }, "spec.role"],
      ["Bind9Instance", { role: "primary" }, "spec.clusterRef"],
      ["DNSZone", { ...least.DNSZone, ttl: -1 }, "spec.ttl"],
      ["DNSZone", { ...least.DNSZone, zoneName: "a b" }, "spec.zoneName"],
      ["DNSZone", { ...least.DNSZone, zoneName: "192.0.2.1" }, "not by an address"],
      ["DNSZone", { zoneName: "example.com", clusterRef: "x" }, "spec.soaRecord"],
      ["DNSZone", { ...least.DNSZone, clusterRef: null }, "one of clusterRef, globalClusterRef and bind9InstancesFrom"],
      ["DNSZone", { ...least.DNSZone, clusterRef: null, bind9InstancesFrom: [] }, "one of clusterRef"],
      ["ARecord", { name: "www", ipv4Addresses: [] }, "spec.ipv4Addresses"],
      ["ARecord", { name: "www", ipv4Addresses: ["192.0.2.1", "192.0.2.1"] }, "spec.ipv4Addresses[1]"],
      ["ARecord", { name: "www.", ipv4Addresses: ["192.0.2.1"] }, "spec.name"],
      ["ARecord", { name: "www", ttl: 2147483648, ipv4Addresses: ["192.0.2.1"] }, "spec.ttl"],
      ["TXTRecord", { name: "@", text: ["a\nb"] }, "spec.text[0]"],
      ["CNAMERecord", { name: "@", target: "x.example.com." }, "name must not be @"],
      ["CNAMERecord", { name: "a", target: "x.example.com" }, "spec.target"],
      ["MXRecord", { name: "@", priority: 65536, mailServer: "a.b." }, "spec.priority"],
      ["SRVRecord", { ...full.SRVRecord, name: "sip" }, "spec.name"],
      ["CAARecord", { ...full.CAARecord, flags: 256 }, "spec.flags"],
      ["CAARecord", { ...full.CAARecord, tag: "ISSUE" }, "spec.tag"],
      ["Bind9Cluster", { primary: { labels: { "app.kubernetes.io/name": "x" } } }, "are the operator's"],
      ["Bind9Cluster", { global: { bindcarConfig: { port: 80 } } }, "spec.global.bindcarConfig.port"],
      ["Bind9Cluster", { primary: { rndcSecretRef: { name: "x", algorithm: "hmac-md5" } } }, "hmac-md5"],
      ["Bind9GlobalCluster", { namespaces: ["a", "a"] }, "spec.namespaces[1]"],
    ])("%s with %j", async (name, spec, text) => {
      await refused(make(name, "wrong", spec), text);
    });
  });

  test("3.3 and 3.4 role and zoneName stay as they are", async () => {
    await taken(make("Bind9Instance", "stays", least.Bind9Instance));
    await taken(make("DNSZone", "stays", least.DNSZone));
    const change = (name: KindName, spec: object) => ask("PATCH", `${pathOf(kindNamed(name))}/stays`, { spec }, merge);
    await refused(change("Bind9Instance", { role: "secondary" }), "cannot be changed");
    await refused(change("DNSZone", { zoneName: "example.net" }), "cannot be changed");
    await taken(change("Bind9Instance", { replicas: 3 }), 200);
  });

  describe("A-112 conditions", () => {
    const condition = (type: string, more: object = {}) => ({
      type,
      status: "False",
      reason: "PodsPending",
      message: `Instance ${type} is waiting for pods to be scheduled (0/1 pods)`,
      lastTransitionTime: "2025-01-18T10:28:00Z",
      ...more,
    });
    const children = Array.from({ length: 257 }, (_, i) => condition(`Bind9Instance-${i}`));

    test("of 257 children are accepted, beside Ready", async () => {
      await taken(make("Bind9Cluster", "many", {}));
      const conditions = [condition("Ready"), ...children];
      const { status } = await taken(setStatus("Bind9Cluster", "many", { conditions }), 200);
      expect(status?.["conditions"]).toEqual(conditions);
    });

    test("A-107 of 200 instances with messages as long as may be are accepted", async () => {
      await taken(make("Bind9Cluster", "long", {}));
      const message = `Instance ${"x".repeat(1_015)}`;
      const many = Array.from({ length: 200 }, (_, i) => condition(`Bind9Instance-${i}`, { message }));
      const conditions = [condition("Ready"), ...many];
      const { status } = await taken(setStatus("Bind9Cluster", "long", { conditions }), 200);
      expect(status?.["conditions"]).toEqual(conditions);
      expect(JSON.stringify(status).length).toBeLessThanOrEqual(256 * 1024);
    });

    test("of one type are refused when there are two, and so are other words", async () => {
      await taken(make("Bind9Cluster", "twice", {}));
      const set = (...conditions: object[]) => setStatus("Bind9Cluster", "twice", { conditions });
      await refused(set(condition("Ready"), condition("Ready")), "status.conditions[1]");
      await refused(set(condition("Ready", { status: "Maybe" })), "status.conditions[0].status");
      await refused(set(condition("Ready", { reason: "not a word" })), "status.conditions[0].reason");
      await refused(set(condition("a b")), "status.conditions[0].type");
      await taken(set({ type: "Ready", status: "True" }), 200);
    });
  });

  describe("A-111 columns", () => {
    const wide = (name: string) => ({ name, priority: 1 });
    const shown = (...columns: string[]) => columns.map((name) => ({ name, priority: 0 }));
    const always = [wide("Reason"), ...shown("Age")];
    const expected: Readonly<Record<KindName, readonly object[]>> = {
      Bind9GlobalCluster: [...shown("Version", "Primary", "Secondary"), wide("Clusters"), ...shown("Ready")],
      Bind9Cluster: [...shown("Version", "Primary", "Secondary", "Ready"), wide("Instances")],
      Bind9Instance: [...shown("Cluster", "Role", "Replicas", "Zones", "Ready"), wide("Pods")],
      DNSZone: shown("Zone", "Cluster", "Records", "Instances", "TTL", "Ready"),
      ARecord: shown("Name", "Zone", "Addresses", "TTL", "Ready"),
      AAAARecord: shown("Name", "Zone", "Addresses", "TTL", "Ready"),
      TXTRecord: shown("Name", "Zone", "TTL", "Ready"),
      CNAMERecord: shown("Name", "Zone", "Target", "TTL", "Ready"),
      MXRecord: shown("Name", "Zone", "Priority", "Mail Server", "TTL", "Ready"),
      NSRecord: shown("Name", "Zone", "Nameserver", "TTL", "Ready"),
      SRVRecord: shown("Name", "Zone", "Target", "Port", "TTL", "Ready"),
      CAARecord: shown("Name", "Zone", "Tag", "Value", "TTL", "Ready"),
    };

    test.each(names)("of %s are those of section 3, also without a status", async (name) => {
      await make(name, "shown", least[name]);
      const { columns, rows } = await table(name);
      const own = columns.slice(1).map((it) => ({ name: it.name, priority: it.priority }));
      expect(own).toEqual([...expected[name], ...always]);
      expect(rows.some(([first]) => first === "shown")).toBe(true);
    });

    test("show what the status says", async () => {
      await taken(make("Bind9Cluster", "told", { primary: { replicas: 2 }, secondary: { replicas: 1 } }));
      const conditions = [
        { type: "Bind9Instance-0", status: "True", reason: "Ready", message: "Instance a is ready (1/1 pods)" },
        { type: "Ready", status: "False", reason: "PartiallyReady", message: "2/3 instances are ready" },
      ];
      await taken(setStatus("Bind9Cluster", "told", { readyInstances: 2, conditions }), 200);
      const { rows } = await table("Bind9Cluster");
      const cells = rows.find(([first]) => first === "told") ?? [];
      expect(cells.slice(1, -1)).toEqual(["9.18", 2, 1, "False", 2, "PartiallyReady"]);
    });
  });
}
