// Every field that people have for a nameserver reaches what is made of it, whoever says it: the instance itself, its cluster, or
// a global cluster.
import { type Instant, instant } from "@telltale/kinds";
import type { Secret, Service } from "@telltale/kinds/builtin";
import { describe, expect, test } from "vitest";
import { encoded, unsupportedIn } from "../src/build/index.ts";
import { standardConfig } from "../src/config.ts";
import { plan as planOfGlobal } from "../src/global-cluster/plan.ts";
import { plan } from "../src/instance/plan.ts";
import { askedBy } from "../src/instance/wanted.ts";
import { type Keys, nothingMade, type Parent } from "../src/instance/world.ts";
import { Bind9Cluster, Bind9GlobalCluster, Bind9Instance } from "../src/kinds/index.ts";
import { checkGlobalCluster } from "../src/validate/index.ts";
import { full } from "./specs.ts";

const now: Instant = instant(Date.UTC(2026, 0, 1));
const kinds = { Bind9Instance, Bind9Cluster, Bind9GlobalCluster } as const;
type Sayer = keyof typeof kinds;
const sayers = ["Bind9Instance", "Bind9Cluster", "Bind9GlobalCluster"] as const;
const clusters = ["Bind9Cluster", "Bind9GlobalCluster"] as const;
const roles = ["primary", "secondary"] as const;

function object(kind: Sayer, spec: object) {
  const name = kind === "Bind9Instance" ? "dns-0" : "dns";
  const metadata = {
    name,
    uid: `uid-${name}`,
    generation: 1,
    ...(kind !== "Bind9GlobalCluster" && { namespace: "ns" }),
  };
  // As the server would give it back.
  return { apiVersion: kinds[kind].apiVersion, kind, metadata, spec } as never;
}

function parentOf(sayer: Sayer, said: object): Parent {
  if (sayer === "Bind9Instance") return { is: "none" };
  const of = object(sayer, said);
  return sayer === "Bind9Cluster" ? { is: "cluster", object: of } : { is: "global", object: of };
}

interface Around {
  readonly role?: (typeof roles)[number];
  readonly keys?: Keys;
  /** What stands in the instance where a cluster says the rest. */
  readonly own?: object;
}

/** What is made of an instance when somebody says this. */
function made(sayer: Sayer, said: object, { role = "primary", keys, own = {} }: Around = {}) {
  const parent = parentOf(sayer, said);
  const clusterRef = sayer === "Bind9Instance" ? "" : "dns";
  const spec = { clusterRef, role, ...(sayer === "Bind9Instance" ? said : own) };
  const it: Bind9Instance = object("Bind9Instance", spec);
  const asked = askedBy(it, parent, standardConfig);
  if (asked.is === "invalid") throw new Error(`${asked.problem.path} ${asked.problem.problem}`);
  const wanted = {
    is: "sound" as const,
    server: asked.server,
    keys: keys ?? { secret: undefined, copy: undefined },
  };
  const seen = { deployment: undefined, service: undefined, pods: [], views: [], siblings: [], made: nothingMade };
  const planned = plan({ it, parent, wanted, ...seen }, now, standardConfig);
  if (planned.is === "nothing") throw new Error(`${planned.problem?.path} ${planned.problem?.problem}`);
  const { deployment, service, configMap, key } = planned;
  const pod = sent(deployment).spec?.template.spec;
  const [bind9, api] = pod?.containers ?? [];
  const files = configMap.data ?? {};
  const options = files["named.conf.options"] ?? "";
  const unsupported = unsupportedIn({ ...asked.server, primaryServers: [] }).map(({ field }) => field);
  return { pod, bind9, api, options, files, service: sent(service), key, server: asked.server, unsupported };
}

/** As it is sent. */
const sent = <T>(made: T): T => JSON.parse(JSON.stringify(made));

/** What a person may say of a Service, and what has no effect there. */
const serviceSpec = {
  type: "LoadBalancer",
  loadBalancerClass: "example.com/lb",
  loadBalancerIP: "192.0.2.9",
  loadBalancerSourceRanges: ["10.0.0.0/8"],
  allocateLoadBalancerNodePorts: false,
  healthCheckNodePort: 30_000,
  externalTrafficPolicy: "Local",
  internalTrafficPolicy: "Local",
  externalIPs: ["192.0.2.8"],
  clusterIP: "10.0.0.9",
  clusterIPs: ["10.0.0.9"],
  ipFamilies: ["IPv4"],
  ipFamilyPolicy: "SingleStack",
  sessionAffinity: "ClientIP",
  sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } },
  publishNotReadyAddresses: true,
};
const closed = { selector: { app: "other" }, externalName: "x.example.com", trafficDistribution: "PreferClose" };

function expectOwn({ spec }: Service): void {
  const { selector, externalName, trafficDistribution } = spec ?? {};
  expect([selector, externalName, trafficDistribution]).toEqual([
    { app: "bind9", instance: "dns-0" },
    undefined,
    undefined,
  ]);
}

const optionsOf = (sayer: Sayer, options: object) =>
  sayer === "Bind9Instance" ? { config: options } : { global: options };

/** A key for both roles. */
const keysOf = (sayer: Sayer, keys: object) => (sayer === "Bind9Instance" ? keys : { primary: keys, secondary: keys });

const base64 = "c2VjcmV0c2VjcmV0";
const secret = (name: string, fields: Record<string, string>): Secret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "ns", resourceVersion: "7" },
  data: encoded(fields),
});

describe.each(sayers)("what a %s says", (sayer) => {
  test("of named's image is that of its container, and of the pull secrets of the pod", () => {
    const image = { image: "mine/bind9:9.20", imagePullPolicy: "Always", imagePullSecrets: ["one", "two"] };
    const { bind9, pod } = made(sayer, { image });
    expect(bind9).toMatchObject({ image: "mine/bind9:9.20", imagePullPolicy: "Always" });
    expect(pod?.imagePullSecrets).toEqual([{ name: "one" }, { name: "two" }]);
    expect(made(sayer, { version: "9.20" }).bind9?.image).toMatch(/:9\.20$/);
  });

  test("of configuration files is mounted in the place of those that are made", () => {
    const configMapRefs = { namedConf: "a", namedConfOptions: "b", namedConfZones: "c" };
    const { bind9, pod, files } = made(sayer, { configMapRefs });
    const of = Object.fromEntries(bind9?.volumeMounts?.map(({ mountPath, name }) => [mountPath, name]) ?? []);
    const map = (path: string) => pod?.volumes?.find(({ name }) => name === of[path])?.configMap?.name;
    expect(["", ".options", ".zones"].map((end) => map(`/etc/bind/named.conf${end}`))).toEqual(["a", "b", "c"]);
    expect(Object.keys(files)).toEqual(["rndc.conf"]);
    const overruled = made(sayer, { configMapRefs, ...optionsOf(sayer, { recursion: true }) });
    expect(overruled.unsupported).toEqual(["recursion"]);
  });

  test("of options stands in named's configuration", () => {
    const signing = {
      enabled: true,
      policy: "strict",
      algorithm: "ECDSAP384SHA384",
      kskLifetime: "365d",
      zskLifetime: "90d",
      nsec3: true,
      nsec3Iterations: 5,
      keysFrom: { secretRef: { name: "bindy-keys" } },
    };
    const { options, pod } = made(
      sayer,
      optionsOf(sayer, {
        recursion: true,
        allowQuery: ["10.0.0.0/8"],
        allowTransfer: ["192.0.2.1"],
        dnssec: { validation: true, signing },
        forwarders: ["192.0.2.2"],
        listenOn: ["192.0.2.3"],
        listenOnV6: ["2001:db8::3"],
      }),
    );
    for (const line of [
      "recursion yes;",
      "10.0.0.0/8; };",
      "allow-transfer { 192.0.2.1; };",
      "dnssec-validation yes;",
      "forwarders { 192.0.2.2; };",
      "listen-on port 5353 { 192.0.2.3; };",
      "listen-on-v6 port 5353 { 2001:db8::3; };",
      'dnssec-policy "strict" {',
      "ksk lifetime 365d algorithm ecdsap384sha384;",
      "zsk lifetime 90d algorithm ecdsap384sha384;",
      "nsec3param iterations 5 ",
    ])
      expect(options).toContain(line);
    expect(pod?.volumes).toContainEqual({ name: "dnssec-keys", secret: { secretName: "bindy-keys" } });
  });

  test("of volumes and their mounts is in the pod as it is written", () => {
    const volumes = [{ name: "data", configMap: { name: "bindy-data", optional: true } }];
    const mount = { name: "data", mountPath: "/data/x", subPath: "x", readOnly: true, mountPropagation: "None" };
    const volumeMounts = [
      { ...mount, recursiveReadOnly: "IfPossible" },
      { name: "data", mountPath: "/data/y", subPathExpr: "$(TZ)" },
    ];
    const { pod, bind9 } = made(sayer, { volumes, volumeMounts });
    expect(pod?.volumes).toEqual(expect.arrayContaining(volumes));
    expect(bind9?.volumeMounts).toEqual(expect.arrayContaining(volumeMounts));
  });

  const places: readonly (readonly [string, (bindcarConfig: object) => object])[] = [
    ["the options", (bindcarConfig) => optionsOf(sayer, { bindcarConfig })],
    ...(sayer === "Bind9Instance" ? [["the spec", (bindcarConfig: object) => ({ bindcarConfig })] as const] : []),
  ];
  test.each(places)("of Bindcar in %s is that of its container and of the Service", (_place, at) => {
    const envVars = [
      { name: "PLAIN", value: "1" },
      { name: "NODE", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.nodeName" } } },
      { name: "CPU", valueFrom: { resourceFieldRef: { containerName: "api", resource: "limits.cpu", divisor: "1m" } } },
      { name: "MAP", valueFrom: { configMapKeyRef: { name: "bindy-map", key: "a", optional: true } } },
      { name: "SECRET", valueFrom: { secretKeyRef: { name: "bindy-secret", key: "b", optional: true } } },
    ];
    const resources = { requests: { cpu: "10m" }, limits: { memory: "64Mi" } };
    const container = { image: "mine/bindcar:1", imagePullPolicy: "Never", resources };
    const port = { name: "more", port: 99, targetPort: "dns-tcp", nodePort: 30_099, appProtocol: "dns" };
    const more = { ...serviceSpec, ports: [port], ...closed };
    const { api, service, unsupported } = made(
      sayer,
      at({ ...container, port: 9000, logLevel: "debug", envVars, serviceSpec: more }),
    );
    expect(api).toMatchObject({ ...container, ports: [{ containerPort: 9000 }] });
    expect(api?.env).toEqual(expect.arrayContaining([...envVars, { name: "RUST_LOG", value: "debug" }]));
    expect(api?.env).toContainEqual({ name: "API_PORT", value: "9000" });
    expect(service.spec).toMatchObject(serviceSpec);
    expect(service.spec?.ports).toContainEqual({ ...port, protocol: "TCP" });
    expectOwn(service);
    expect(unsupported).toEqual(Object.keys(closed).map((field) => `bindcarConfig.serviceSpec.${field}`));
    expect(service.spec?.ports?.find(({ name }) => name === "http")?.targetPort).toBe(9000);
  });

  describe.each(roles)("of the key of a %s", (role) => {
    const ref = { name: "theirs", algorithm: "hmac-sha384", keyNameKey: "n", secretKey: "s" };
    const theirs = secret("theirs", { n: "their-key", s: base64 });
    test.each([
      ["rndcSecretRef", keysOf(sayer, { rndcSecretRef: ref })],
      ["rndcKey.secretRef", keysOf(sayer, { rndcKey: { secretRef: ref } })],
      ["rndcSecretRef of the options", optionsOf(sayer, { rndcSecretRef: ref })],
    ])("in %s is the key in that Secret, by its fields", (_place, said) => {
      const { key, api, server } = made(sayer, said, { role, keys: { secret: theirs, copy: undefined } });
      expect(server.key).toMatchObject({ is: "referenced", ref: { name: "theirs" } });
      const fields = { "key-name": "their-key", secret: base64 };
      expect(key).toMatchObject({ is: "make", secret: { keyName: "their-key", algorithm: "hmac-sha384", fields } });
      expect(api?.env).toContainEqual({ name: "RNDC_ALGORITHM", value: "hmac-sha384" });
      expect(api?.env).toContainEqual({ name: "NSUPDATE_KEY_NAME", value: "their-key" });
    });

    test("in rndcKey.secret is in the Secret that is made", () => {
      const metadata = { name: "ours", labels: { team: "dns" }, annotations: { "example.com/note": "x" } };
      const given = {
        metadata,
        type: "example.com/key",
        stringData: { "key-name": "our-key" },
        data: encoded({ secret: base64 }),
      };
      const rndcKey = { algorithm: "hmac-sha512", secret: given };
      const { key, api } = made(sayer, keysOf(sayer, { rndcKey }), { role });
      expect(key).toMatchObject({
        is: "make",
        secret: {
          name: "ours",
          keyName: "our-key",
          algorithm: "hmac-sha512",
          labels: metadata.labels,
          annotations: metadata.annotations,
          type: "example.com/key",
          fields: { "key-name": "our-key", secret: base64 },
        },
      });
      const rotating = { rndcKey: { ...rndcKey, autoRotate: true } };
      const at = sayer === "Bind9Instance" ? "" : `${role}.`;
      const { unsupported } = made(sayer, keysOf(sayer, rotating), { role });
      expect(unsupported).toEqual([`${at}rndcKey.autoRotate`]);
      expect(api?.env).toContainEqual({
        name: "RNDC_SECRET",
        valueFrom: { secretKeyRef: { name: "ours", key: "secret" } },
      });
    });

    test("in rndcKey says how old one that is made may become", () => {
      const rndcKey = { autoRotate: true, rotateAfter: "48h", algorithm: "hmac-sha224" };
      const { key } = made(sayer, keysOf(sayer, { rndcKey }), { role });
      const annotations = { "bindy.firestoned.io/rndc-rotate-at": "2026-01-03T00:00:00Z" };
      expect(key).toMatchObject({ is: "make", secret: { algorithm: "hmac-sha224", annotations } });
    });
  });
});

describe.each(clusters)("what a %s alone says", (sayer) => {
  test.each(roles)("of a %s and its Service reaches that role", (role) => {
    const annotations = { "example.com/note": "x" };
    const port = { name: "http", port: 8081, protocol: "TCP", targetPort: 80 };
    const spec = { ...serviceSpec, ports: [port], ...closed };
    const said = { service: { annotations, spec }, allowTransfer: ["192.0.2.1"] };
    const { service, options, unsupported } = made(sayer, { [role]: said }, { role });
    expect(service.spec).toMatchObject(serviceSpec);
    expect(service.spec?.ports).toContainEqual(port);
    expectOwn(service);
    expect(unsupported).toEqual(Object.keys(closed).map((field) => `${role}.service.spec.${field}`));
    expect(service.metadata?.annotations).toEqual(annotations);
    expect(options).toContain("allow-transfer { 192.0.2.1; };");
    const other = made(sayer, { [role]: said }, { role: role === "primary" ? "secondary" : "primary" });
    expect(other.service.spec?.type).toBe("ClusterIP");
  });

  test("of lists and further keys is in named.conf", () => {
    const ref = { name: "more", algorithm: "hmac-sha512", keyNameKey: "n", secretKey: "s" };
    const { files, pod, unsupported } = made(sayer, { acls: { inside: ["10.0.0.0/8"] }, rndcSecretRefs: [ref] });
    // Of such a Secret named reads the file alone.
    const overruled = ["keyNameKey", "secretKey", "algorithm"].map((field) => `rndcSecretRefs[0].${field}`);
    expect(unsupported).toEqual(overruled);
    expect(files["named.conf"]).toContain('acl "inside" { 10.0.0.0/8; };');
    expect(files["named.conf"]).toContain('include "/etc/bind/more-keys/more/rndc.key";');
    const [source] = pod?.volumes?.find(({ name }) => name === "more-keys")?.projected?.sources ?? [];
    expect(source?.secret?.name).toBe("more");
  });
});

test("what an instance alone says of its storage is the volume of the cache", () => {
  const emptyDir = { medium: "Memory", sizeLimit: "64Mi" };
  const { pod } = made("Bind9Instance", { storage: { emptyDir } });
  expect(pod?.volumes).toContainEqual({ name: "cache", emptyDir });
});

test("what a global cluster says of its clusters each of them says, field by field, and nothing else", () => {
  const { namespace, namespaces, ...said } = full.Bind9GlobalCluster;
  // What is refused in a whole cluster is refused here, too.
  const { signing: _, ...dnssec } = said.global.dnssec;
  const spec = { ...said, namespaces: ["a", "b"], global: { ...said.global, dnssec } };
  const it: Bind9GlobalCluster = object("Bind9GlobalCluster", spec);
  const checked = checkGlobalCluster(it, standardConfig);
  const { keep } = planOfGlobal({ it, checked, targets: ["a", "b"], clusters: [], views: [], blocked: [] });
  expect(keep.map(({ namespace: at }) => at)).toEqual(["a", "b"]);
  const { namespaces: _more, ...rest } = spec;
  for (const one of keep) expect(JSON.parse(JSON.stringify(one.spec))).toEqual(rest);
});
