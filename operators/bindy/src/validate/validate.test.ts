import { describe, expect, it } from "vitest";
import { full, type KindName, least } from "../../test/specs.ts";
import { standardConfig } from "../config.ts";
import type { RecordType } from "../kinds/index.ts";
import { bindyKinds } from "../manifests/crds.ts";
import {
  type Checked,
  checkCluster,
  checkGlobalCluster,
  checkInstance,
  checkRecord,
  checkZone,
  ownerProblem,
  targetNamespaces,
} from "./index.ts";

/** What was checked by nobody: any spec, any name. */
function object(kind: string, spec: unknown, name = "production") {
  const apiVersion = bindyKinds[0]?.apiVersion;
  return { apiVersion, kind, metadata: { name, namespace: "dns", generation: 1 }, spec } as never;
}
const said = (found: Checked<unknown>): string => (found.at === "valid" ? "valid" : `${found.path}: ${found.problem}`);
const cluster = (spec: unknown, name?: string) =>
  said(checkCluster(object("Bind9Cluster", spec, name), standardConfig));
const instance = (spec: object, name?: string) =>
  said(checkInstance(object("Bind9Instance", { ...least.Bind9Instance, ...spec }, name), standardConfig));
const zone = (spec: object) => said(checkZone(object("DNSZone", { ...least.DNSZone, ...spec })));
const record = (type: RecordType, spec: object) =>
  said(checkRecord(type, object(`${type}Record`, { ...full[`${type}Record` as KindName], ...spec })));

describe("names (3.0)", () => {
  it.each([
    ["a".repeat(50), "valid"],
    ["a".repeat(51), "metadata.name: has more than 50 characters"],
    ["1st", "metadata.name: is not a letter followed by lower case letters, digits and '-'"],
    ["a.b", "metadata.name: is not a letter followed by lower case letters, digits and '-'"],
  ])("a cluster named %s", (name, expected) => expect(cluster({}, name)).toBe(expected));

  it.each([
    ["a".repeat(63), "valid"],
    ["a".repeat(64), "metadata.name: has more than 63 characters"],
  ])("an instance named %s", (name, expected) => expect(instance({}, name)).toBe(expected));
});

describe("what got past the server", () => {
  it.each([
    [undefined, "valid"],
    [{ primary: { replicas: 101 } }, "spec.primary.replicas: is above 100"],
    [{ primary: { replicas: "2" } }, "spec.primary.replicas: is not of type integer"],
    [{ primary: [] }, "spec.primary: is not of type object"],
    [{ acls: "any" }, "spec.acls: is not of type object"],
    [{ acls: { "x y; };": [1] } }, "spec.acls: is not of type string"],
    [{ somethingNew: 1 }, "valid"],
    [{ primary: null, global: { allowQuery: null } }, "valid"],
  ])("%j", (spec, expected) => expect(cluster(spec)).toBe(expected));

  it("has the defaults of the schema, and no null", () => {
    const found = checkCluster(
      object("Bind9Cluster", { version: null, primary: { rndcKey: { autoRotate: null } } }),
      standardConfig,
    );
    expect(found).toEqual({
      at: "valid",
      spec: {
        version: "9.18",
        primary: { rndcKey: { autoRotate: false, rotateAfter: "720h", algorithm: "hmac-sha256" } },
      },
    });
  });
});

describe("ACL entries (12.2)", () => {
  const entry = (text: string) => cluster({ global: { allowQuery: ["any", text] } });
  const at = "spec.global.allowQuery[1]";
  it.each([
    "any",
    "none",
    "localhost",
    "localnets",
    "!any",
    "! any",
    "192.0.2.1",
    "10.0.0.0/8",
    "0.0.0.0/0",
    "192.0.2.1/32",
    "2001:db8::1",
    "2001:db8::/32",
    "::/0",
    "::ffff:192.0.2.0/120",
    "!2001:db8::/32",
    "key transfer",
    "!key a.b-c_d",
  ])("%s is one", (text) => expect(entry(text)).toBe("valid"));

  it.each([
    ["10.0.0.1/8", `${at}: has an address with more bits than its prefix`],
    ["2001:db8::1/32", `${at}: has an address with more bits than its prefix`],
    ["::ffff:192.0.2.1/120", `${at}: has an address with more bits than its prefix`],
    ["10.0.0.0/33", `${at}: has a prefix of more than 32 bits`],
    ["2001:db8::/129", `${at}: has a prefix of more than 128 bits`],
  ])("%s is none: named would not start", (text, expected) => expect(entry(text)).toBe(expected));

  it.each(["999.1.1.1", "1.2.3", "::g", ":::", "any any", "Any", "!!any", "key", "key a b", "fe80::1%eth0", "", "!"])(
    "%j is none",
    (text) => expect(entry(text)).toContain(`${at}: `),
  );

  it("of more than 256 entries, or in a list that named knows by itself, are refused", () => {
    expect(cluster({ primary: { allowTransfer: Array(257).fill("any") } })).toBe(
      "spec.primary.allowTransfer: has more than 256 items",
    );
    expect(cluster({ acls: { inside: ["10.0.0.0/8"] } })).toBe("valid");
    expect(cluster({ acls: { any: ["10.0.0.0/8"] } })).toContain("spec.acls: has a name that named has built in");
    expect(cluster({ acls: { "a b": [] } })).toContain("spec.acls: has a name that is not a letter");
    expect(cluster({ acls: { inside: ["10.0.0.1/8"] } })).toContain("spec.acls.inside[0]: ");
  });
});

describe("options of named", () => {
  const signing = (more: object) => cluster({ global: { dnssec: { signing: more } } });
  const at = "spec.global.dnssec.signing";
  it.each([
    [{ kskLifetime: "365d", zskLifetime: "90d" }, "valid"],
    [{ kskLifetime: "8760h", zskLifetime: "unlimited" }, "valid"],
    [{ zskLifetime: "0" }, "valid"],
    [{ zskLifetime: "4w2d" }, "valid"],
    [{ kskLifetime: "1y" }, `${at}.kskLifetime: is neither unlimited nor a time as in 365d`],
    [{ zskLifetime: "3m" }, `${at}.zskLifetime: is shorter than 27 days, the time that a new key needs`],
    [{ kskLifetime: "86400" }, `${at}.kskLifetime: is shorter than 2 days, the time that a new key needs`],
    [{ algorithm: "RSASHA256" }, "valid"],
    [{ algorithm: "MD5" }, `${at}.algorithm: is none of ECDSAP256SHA256, ECDSAP384SHA384, RSASHA256`],
    [{ nsec3Iterations: 150 }, "valid"],
    [{ nsec3Iterations: 151 }, `${at}.nsec3Iterations: is more than 150`],
    [{ keysFrom: { secretRef: { name: "bindy-keys" } } }, "valid"],
    [{ enabled: true, autoGenerate: false, keysFrom: { secretRef: { name: "bindy-keys" } } }, "valid"],
    [{ autoGenerate: false }, "valid"],
    [{ enabled: true, autoGenerate: false }, `${at}.autoGenerate: is false, but named makes keys unless`],
    [
      { enabled: true, autoGenerate: false, zskLifetime: "30d", keysFrom: { secretRef: { name: "bindy-keys" } } },
      `${at}.autoGenerate: is false, but named makes keys unless`,
    ],
    [{ keysFrom: { secretRef: { name: "other" } } }, `${at}.keysFrom.secretRef.name: does not begin with bindy-`],
    [{ keysFrom: { secretRef: { name: "bindy-x", namespace: "y" } } }, `${at}.keysFrom.secretRef.namespace: `],
    [
      { keysFrom: { persistentVolume: {} } },
      `${at}.keysFrom.persistentVolume: is not supported: use keysFrom.secretRef`,
    ],
  ])("signing with %j", (more, expected) => expect(signing(more)).toContain(expected));

  it.each([
    [["192.0.2.1", "2001:db8::1"], "valid"],
    [["192.0.2.1:53"], "spec.global.forwarders[0]: is not an address"],
    [["999.1.1.1"], "spec.global.forwarders[0]: is not an address"],
  ])("forwarders %j", (forwarders, expected) => expect(cluster({ global: { forwarders } })).toBe(expected));
});

describe("keys", () => {
  it.each([
    [{ rndcSecretRef: { name: "x", algorithm: "hmac-sha1" } }, "spec.primary.rndcSecretRef.algorithm: is hmac-sha1"],
    [{ rndcKey: { algorithm: "hmac-sha1" } }, "spec.primary.rndcKey.algorithm: is hmac-sha1"],
    [{ rndcKey: { rotateAfter: "0h" } }, "spec.primary.rndcKey.rotateAfter: is not from 1h to 8760h"],
    [{ rndcKey: { rotateAfter: "8761h" } }, "spec.primary.rndcKey.rotateAfter: is not from 1h to 8760h"],
    [{ rndcKey: { rotateAfter: "53w" } }, "spec.primary.rndcKey.rotateAfter: is not from 1h to 8760h"],
    [{ rndcKey: { rotateAfter: "52w" } }, "valid"],
    [{ rndcKey: { rotateAfter: "1h" } }, "valid"],
    [
      { rndcKey: { secret: { metadata: { name: "x", labels: { "bindy.firestoned.io/role": "x" } } } } },
      "spec.primary.rndcKey.secret.metadata.labels: has a key that begins with",
    ],
  ])("%j", (primary, expected) => expect(cluster({ primary })).toContain(expected));
});

describe("images", () => {
  const image = (name: string, imageRegistries: readonly string[] = []) =>
    said(
      checkInstance(object("Bind9Instance", { ...least.Bind9Instance, image: { image: name } }), { imageRegistries }),
    );
  const unpinned = "spec.image.image: names no version: give a tag other than latest, or a digest";
  it.each([
    ["bind9:9.18", "valid"],
    [`bind9@sha256:${"a".repeat(64)}`, "valid"],
    ["registry.example.com:5000/bind9:9.18", "valid"],
    ["bind9:latest", unpinned],
    ["bind9", unpinned],
    ["registry.example.com:5000/bind9", unpinned],
  ])("%s", (name, expected) => expect(image(name)).toBe(expected));

  it("come from the registries that are allowed, where some are", () => {
    const allowed = ["registry.example.com/dns"];
    expect(image("registry.example.com/dns/bind9:9.18", allowed)).toBe("valid");
    const refused = "spec.image.image: is not from a registry that the operator allows";
    expect(image("registry.example.com/dnsx/bind9:9.18", allowed)).toBe(refused);
    expect(image("bind9:9.18", allowed)).toBe(refused);
    expect(cluster({ version: "latest" })).toBe("spec.version: is no version: give one as in 9.18");
  });
});

describe("A-147 volumes and mounts (12.3)", () => {
  const mount = (more: object) =>
    instance({
      volumes: [{ name: "v", emptyDir: {} }],
      volumeMounts: [{ name: "v", mountPath: "/data/v", ...more }],
    });
  const volume = (more: object) => instance({ volumes: [{ name: "v", ...more }] });

  it.each([
    [{ emptyDir: {} }, "valid"],
    [{ configMap: { name: "bindy-x" } }, "valid"],
    [{ secret: { secretName: "bindy-x" } }, "valid"],
    [{ persistentVolumeClaim: { claimName: "bindy-x" } }, "valid"],
    [{ secret: { secretName: "other" } }, "spec.volumes[0].secret: has a name that does not begin with bindy-"],
    [{ configMap: {} }, "spec.volumes[0].configMap: has a name that does not begin with bindy-"],
    [{ hostPath: { path: "/" } }, "spec.volumes[0]: is none of emptyDir, configMap, secret, persistentVolumeClaim"],
    [{ projected: {} }, "spec.volumes[0]: is none of emptyDir, configMap, secret, persistentVolumeClaim"],
    [{ somethingNew: {} }, "spec.volumes[0]: is none of emptyDir, configMap, secret, persistentVolumeClaim"],
    [{}, "spec.volumes[0]: does not have exactly one of"],
    [{ emptyDir: {}, hostPath: { path: "/" } }, "spec.volumes[0]: does not have exactly one of"],
    [{ name: "cache", emptyDir: {} }, "spec.volumes[0].name: is a volume of the operator"],
  ])("a volume %j", (more, expected) => expect(volume(more)).toContain(expected));

  it.each([
    [{}, "valid"],
    [{ mountPath: "/var/log/bind/x" }, "valid"],
    [{ mountPath: "/data/../etc" }, "spec.volumeMounts[0].mountPath: contains .."],
    [{ mountPath: "/etc/bind" }, "spec.volumeMounts[0].mountPath: does not begin with /data/ or /var/log/bind/"],
    [{ mountPath: "/data" }, "spec.volumeMounts[0].mountPath: does not begin with /data/ or /var/log/bind/"],
    [{ subPath: "../x" }, "spec.volumeMounts[0].subPath: contains .."],
    [{ subPathExpr: "$(A)/.." }, "spec.volumeMounts[0].subPathExpr: contains .."],
    [{ name: "other" }, "spec.volumeMounts[0].name: names no volume of spec.volumes"],
  ])("a mount %j", (more, expected) => expect(mount(more)).toContain(expected));

  it("are refused in what an instance takes from its cluster too", () => {
    expect(cluster({ volumes: [{ name: "v", hostPath: { path: "/" } }] })).toContain("spec.volumes[0]: ");
  });
});

describe("an instance", () => {
  it.each([
    [{ primaryServers: ["192.0.2.1", "192.0.2.1:5353", "2001:db8::1", "[2001:db8::1]:53"] }, "valid"],
    [{ primaryServers: ["192.0.2.1:0"] }, "spec.primaryServers[0]: is neither an address nor an address with a port"],
    [{ primaryServers: ["999.0.2.1"] }, "spec.primaryServers[0]: is neither an address nor an address with a port"],
    [{ primaryServers: ["ns1.example.com"] }, "spec.primaryServers[0]: does not match"],
    [{ storage: { storageType: "persistentVolumeClaim" } }, "claimName: is required where storageType is"],
    [
      { replicas: 2, storage: { storageType: "persistentVolumeClaim", persistentVolumeClaim: { claimName: "x" } } },
      "claimName: is for one pod, and spec.replicas is more",
    ],
    [{ storage: { storageType: "persistentVolumeClaim", persistentVolumeClaim: { claimName: "x" } } }, "valid"],
    [{ bindcarConfig: { envVars: [{ name: "RNDC_SECRET", value: "x" }] } }, "envVars[0].name: is set by the operator"],
    [
      { bindcarConfig: { envVars: [{ name: "A" }, { name: "A" }] } },
      "envVars[1]: is the same variable as one before it",
    ],
    [{ bindcarConfig: { envVars: [{ name: "disable_auth", value: "1" }] } }, "envVars[0].name: is set by the operator"],
    [
      { bindcarConfig: { envVars: [{ name: "BIND_API_TOKEN", value: "x" }] } },
      "envVars[0].name: is set by the operator",
    ],
    [{ bindcarConfig: { envVars: [{ name: "RATE_LIMIT_BURST", value: "9" }] } }, "valid"],
    [{ bindcarConfig: { envVars: [{ name: "A=B" }] } }, "envVars[0].name: is not a name"],
    [
      { bindcarConfig: { envVars: [{ name: "A", valueFrom: { secretKeyRef: { name: "other", key: "x" } } }] } },
      "envVars[0].valueFrom.secretKeyRef.name: does not begin with bindy-",
    ],
  ])("with %j", (spec, expected) => expect(instance(spec)).toContain(expected));
});

describe("a cluster", () => {
  it.each([
    [{ "app.kubernetes.io/name": "x" }, "spec.primary.labels: has a key that begins with"],
    [{ "bindy.firestoned.io/role": "x" }, "spec.primary.labels: has a key that begins with"],
    [{ "a b": "x" }, "spec.primary.labels: has a key that is no key of a label"],
    [{ a: "x y" }, "spec.primary.labels: has a value that is no value of a label"],
    [{ a: "", "example.com/b": "c" }, "valid"],
  ])("with labels %j", (labels, expected) => expect(cluster({ primary: { labels } })).toContain(expected));

  it("of several namespaces is in each of them once, and where it names none, in the operator's", () => {
    const of = (spec: object) => targetNamespaces(spec, standardConfig);
    expect(of({})).toEqual(["bindy-system"]);
    expect(of({ namespace: "a" })).toEqual(["a"]);
    expect(of({ namespace: "a", namespaces: ["b", "a", "c"] })).toEqual(["a", "b", "c"]);
    expect(of({ namespaces: ["b"] })).toEqual(["b"]);
  });

  it("of several namespaces is refused by an operator that does not watch them all", () => {
    const of = (spec: object, namespaces?: readonly string[]) =>
      said(
        checkGlobalCluster(object("Bind9GlobalCluster", spec), {
          ...standardConfig,
          ...(namespaces && { namespaces }),
        }),
      );
    expect(of({ namespaces: ["a", "b"] })).toBe("valid");
    expect(of({ namespaces: ["a", "b"] }, ["a", "b"])).toBe("valid");
    expect(of({ namespaces: ["a", "b"] }, ["a"])).toBe(
      "spec.namespaces: names b, a namespace that this operator does not watch",
    );
    expect(of({ namespace: "c" }, ["a"])).toContain("spec.namespace: names c");
  });
});

describe("a zone", () => {
  it.each([
    [{}, "valid"],
    [{ zoneName: "EXAMPLE.com" }, "valid"],
    [{ zoneName: "a_b.com" }, "spec.zoneName: does not match"],
    [{ zoneName: "10.0.0.1" }, "spec.zoneName: is not the name of a zone"],
    [{ clusterRef: null }, "spec: has none of clusterRef, globalClusterRef and bind9InstancesFrom"],
    [
      { nameServers: [{ hostname: "ns1.example.com.", ipv4Address: "999.0.0.1" }] },
      "ipv4Address: is not an IPv4 address",
    ],
    [
      { nameServers: [{ hostname: "ns1.example.com.", ipv6Address: "192.0.2.1" }] },
      "ipv6Address: is not an IPv6 address",
    ],
    [
      { nameServers: [{ hostname: "ns1.example.com." }, { hostname: "NS1.example.com." }] },
      "spec.nameServers[1]: is the same hostname as one before it",
    ],
    [{ nameServerIps: { "ns1.example.com": "192.0.2.1" } }, "valid"],
    [{ nameServerIps: { "ns1 x": "192.0.2.1" } }, "spec.nameServerIps: is not the name of a host"],
    [{ nameServerIps: { "ns1.": "300.0.2.1" } }, "spec.nameServerIps: is not an IPv4 address"],
  ])("with %j", (spec, expected) => expect(zone(spec)).toContain(expected));
});

describe("a record (3.5)", () => {
  it.each<[RecordType, object, string]>([
    ["A", { name: "*" }, "valid"],
    ["A", { name: "*.sub" }, "valid"],
    ["A", { name: "a_b" }, "name: has a '_', which the name of a host cannot have"],
    ["A", { ipv4Addresses: ["999.1.1.1"] }, "ipv4Addresses[0]: is not an IPv4 address"],
    ["A", { ipv4Addresses: ["192.0.2.01"] }, "ipv4Addresses[0]: is not an IPv4 address"],
    ["A", { ipv4Addresses: ["192.0.2.1", "192.0.2.1"] }, "ipv4Addresses[1]: is the same address as one before it"],
    ["AAAA", { ipv6Addresses: ["192.0.2.1"] }, "ipv6Addresses[0]: "],
    [
      "AAAA",
      { ipv6Addresses: ["2001:db8::1", "2001:DB8:0::1"] },
      "ipv6Addresses[1]: is the same address as one before it",
    ],
    ["TXT", { text: ["x".repeat(600)] }, "valid"],
    ["TXT", { text: ['v=DKIM1; k=rsa; p="x"', "é"] }, "valid"],
    ["TXT", { text: ["a\tb"] }, "text[0]: "],
    ["TXT", { text: ["a\u202eb"] }, "text[0]: "],
    ["TXT", { text: Array(17).fill("é".repeat(2048)) }, "text: is longer than 65535 bytes"],
    ["CNAME", { name: "@" }, "name: is @, and the zone itself cannot be an alias"],
    ["CNAME", { target: "_x.example.com." }, "valid"],
    ["MX", { mailServer: "_x.example.com." }, "mailServer: is not the name of a host with a dot at its end"],
    ["NS", { nameserver: "ns1.example.com" }, "nameserver: does not match"],
    ["SRV", { target: "." }, "valid"],
    ["SRV", { name: "_sip._tcp.sub" }, "valid"],
    ["SRV", { name: "_sip" }, "name: does not match"],
    ["SRV", { port: 65_536 }, "port: is above 65535"],
    ["CAA", { tag: "other" }, "tag: is none of issue, issuewild, iodef"],
    ["CAA", { flags: 128, tag: "iodef", value: "mailto:a@example.com" }, "valid"],
    ["CAA", { value: "é".repeat(300) }, "value: is longer than 512 bytes"],
  ])("%s with %j", (type, spec, expected) => expect(record(type, spec)).toContain(expected));

  it("has a name that fits together with its zone", () => {
    expect(ownerProblem("www", "example.com")).toBeUndefined();
    const long = `${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}`;
    expect(ownerProblem(long, "example.com")).toEqual({
      path: "name",
      problem: "is longer than 253 characters together with the zone",
    });
  });
});
