// 8.4 and 12.3: what a nameserver is made of.
import type { Secret } from "@telltale/kinds/builtin";
import { describe, expect, test } from "vitest";
import type { Bind9ClusterSpec, Bind9InstanceSpec } from "../kinds/index.ts";
import { operatorVariables, operatorVolumes } from "../validate/index.ts";
import { buildConfigMap } from "./config-map.ts";
import { buildDeployment, type UsedKey } from "./deployment.ts";
import { namedConf, namedOptions } from "./named-conf.ts";
import { nameserverOf } from "./nameserver.ts";
import { encoded, keyData, keyIn, parseKey } from "./rndc-key.ts";
import { buildService } from "./service.ts";

const primary: Bind9InstanceSpec = { clusterRef: "dns", role: "primary" };
const server = (spec: Partial<Bind9InstanceSpec> = {}, cluster: Bind9ClusterSpec = {}) =>
  nameserverOf({ name: "dns-primary-0", namespace: "ns", cluster: "dns" }, { ...primary, ...spec }, cluster);
const key: UsedKey = {
  secret: "dns-primary-0-rndc-key",
  name: "bindy-operator",
  algorithm: "hmac-sha256",
  field: "secret",
};
const around = { operatorNamespace: "bindy-system", zoneReadinessGate: true };
const pod = (of = server()) => buildDeployment(of, key, around).spec?.template.spec;

describe("3.3 what an instance takes from its cluster", () => {
  test("options are merged field by field, the rest replaces as a whole", () => {
    const { config, image } = server(
      { config: { recursion: true }, image: { image: "mine:1" } },
      { global: { recursion: false, allowQuery: ["any"] }, image: { image: "theirs:1", imagePullPolicy: "Always" } },
    );
    expect(config).toEqual({ recursion: true, allowQuery: ["any"] });
    expect(image).toEqual({ image: "mine:1" });
  });

  test("8.4 allow-transfer: the instance's, the role's, the cluster's, nobody", () => {
    const role = { primary: { allowTransfer: ["192.0.2.1"] }, global: { allowTransfer: ["192.0.2.2"] } };
    expect(server({ config: { allowTransfer: [] } }, role).allowTransfer).toEqual([]);
    expect(server({}, role).allowTransfer).toEqual(["192.0.2.1"]);
    expect(server({}, { global: role.global }).allowTransfer).toEqual(["192.0.2.2"]);
    expect(namedOptions(server(), "k")).toContain("allow-transfer { none; };");
  });

  test("8.4 L-26 the key: the first that says anything counts", () => {
    const ref = { name: "r" };
    const roles = { primary: { rndcKey: { secretRef: { name: "role-key" } }, rndcSecretRef: { name: "role-ref" } } };
    expect(server({ rndcKey: { algorithm: "hmac-sha512" }, rndcSecretRef: ref }, roles).key).toMatchObject({
      is: "generated",
    });
    expect(server({ rndcSecretRef: ref }, roles).key).toMatchObject({ is: "referenced", ref: { name: "role-key" } });
    expect(server({ rndcSecretRef: ref }, { primary: { rndcSecretRef: { name: "x" } } }).key).toMatchObject({ ref });
    expect(server({}, { global: { rndcSecretRef: { name: "g" } } }).key).toMatchObject({ ref: { name: "g" } });
    expect(server().key).toEqual({ is: "generated", secret: "dns-primary-0-rndc-key", algorithm: "hmac-sha256" });
  });
});

describe("8.4 named's configuration", () => {
  test("named.conf has what it must have", () => {
    const conf = namedConf(
      server({ configMapRefs: { namedConfZones: "z" } }, { acls: { trusted: ["10.0.0.0/8", "!key k1"] } }),
      "my-key",
    );
    for (const part of [
      'include "/etc/bind/named.conf.options";',
      'include "/etc/bind/named.conf.zones";',
      'include "/etc/bind/keys/rndc.key";',
      'acl "trusted" { 10.0.0.0/8; !key "k1"; };',
      'inet 127.0.0.1 port 9530 allow { localhost; } keys { "my-key"; };',
      "category update-security { stderr; };",
    ])
      expect(conf).toContain(part);
  });

  test("who may change zones may ask for them, whoever else may", () => {
    const query = (allowQuery?: string[]) =>
      /allow-query .*/.exec(namedOptions(server({ config: allowQuery === undefined ? {} : { allowQuery } }), "k"))?.[0];
    expect(query()).toBeUndefined();
    expect(query(["!10.0.0.1", "any"])).toBe('allow-query { key "k"; !10.0.0.1; any; };');
    expect(query(["none"])).toBe('allow-query { key "k"; };');
    expect(query([])).toBe('allow-query { key "k"; };');
  });

  test("9.8 upstream's Bindcar waits REQUESTS / 60 seconds for each request beyond the burst", () => {
    const env = buildDeployment(server(), key, around).spec?.template.spec?.containers[1]?.env ?? [];
    const of = (name: string) => Number(env.find((it) => it.name === name)?.value);
    expect(Math.floor(of("RATE_LIMIT_REQUESTS") / 60)).toBeLessThanOrEqual(1);
    expect(of("RATE_LIMIT_BURST")).toBeGreaterThanOrEqual(1_000);
  });

  test("L-29 a policy that is built in is not defined again; another one is", () => {
    const signing = (policy?: string) =>
      namedOptions(
        server({ config: { dnssec: { signing: { enabled: true, nsec3: true, ...(policy ? { policy } : {}) } } } }),
        "k",
      );
    expect(signing()).not.toContain("dnssec-policy");
    expect(signing("strict")).toContain('dnssec-policy "strict" {');
    expect(signing("strict")).toContain("nsec3param iterations 0 optout no salt-length 16;");
    expect(signing("strict")).not.toContain("key-directory");
  });

  test("8.4 keys of a Secret are put where named can write how far they are", () => {
    const signing = { enabled: true, keysFrom: { secretRef: { name: "bindy-keys" } } };
    const it = server({ config: { dnssec: { signing } } });
    expect(namedOptions(it, "k")).toContain('key-directory "/var/cache/bind/keys";');
    const pod = buildDeployment(it, key, around).spec?.template.spec;
    expect(pod?.volumes).toContainEqual({ name: "dnssec-keys", secret: { secretName: "bindy-keys" } });
    const [first, ...more] = pod?.initContainers ?? [];
    expect(more).toEqual([]);
    expect(first?.command?.slice(-2)).toEqual(["/etc/bind/signing-keys", "/var/cache/bind/keys"]);
    expect(first?.volumeMounts).toEqual([
      { name: "cache", mountPath: "/var/cache/bind" },
      { name: "dnssec-keys", mountPath: "/etc/bind/signing-keys", readOnly: true },
    ]);
    for (const { volumeMounts } of pod?.containers ?? [])
      expect(volumeMounts?.some(({ name }) => name === "dnssec-keys")).toBe(false);
  });

  test("12.2 what could end a statement is refused even where nobody validated it", () => {
    const attack = 'any; }; zone "x" { type primary; file "y"; }; acl z { any';
    expect(() => namedOptions(server({ config: { allowQuery: [attack] } }), "k")).toThrow(/takes no/);
    expect(() => namedOptions(server({ config: { forwarders: ["1.2.3.4; }; x {"] } }), "k")).toThrow(/takes no/);
    expect(() => namedConf(server({}, { acls: { 'a"b': ["any"] } }), "k")).toThrow(/takes no/);
    expect(() => namedConf(server(), 'k"; };')).toThrow(/takes no/);
    expect(() => keyData({ name: "k", algorithm: "hmac-sha256", secret: 'x"; };' })).toThrow(/BIND/);
  });

  test("what a person gives ConfigMaps for is not rendered", () => {
    const own = server({ configMapRefs: { namedConf: "mine" } });
    expect(Object.keys(buildConfigMap(own, "k").data ?? {})).toEqual(["named.conf.options", "rndc.conf"]);
    expect(pod(own)?.volumes).toContainEqual({ name: "named-conf", configMap: { name: "mine" } });
  });

  test("L-22 another option makes another hash, and so other pods", () => {
    const marks = (of: ReturnType<typeof server>) =>
      buildDeployment(of, key, around).spec?.template.metadata?.annotations?.["bindy.firestoned.io/config-hash"];
    expect(marks(server())).toMatch(/^[0-9a-f]{64}$/);
    expect(marks(server({ config: { recursion: true } }))).not.toBe(marks(server()));
  });
});

describe("8.4 the Deployment", () => {
  test("4.2 the selector has only what never changes", () => {
    const { spec } = buildDeployment(server(), key, around);
    expect(spec?.selector.matchLabels).toEqual({ app: "bind9", instance: "dns-primary-0" });
    expect(spec?.template.metadata?.labels).toMatchObject({ "bindy.firestoned.io/role": "primary" });
  });

  test("both containers are confined, and only named has a readiness probe", () => {
    const [bind9, api] = pod()?.containers ?? [];
    expect([bind9?.command, bind9?.image]).toEqual([
      ["named", "-c", "/etc/bind/named.conf", "-f"],
      "internetsystemsconsortium/bind9:9.18",
    ]);
    expect(api?.readinessProbe).toBeUndefined();
    expect(api?.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
    expect(pod()?.securityContext).toMatchObject({ runAsUser: 101, fsGroup: 101, runAsNonRoot: true });
    expect(pod()?.readinessGates).toEqual([{ conditionType: "bindy.firestoned.io/zones-loaded" }]);
  });

  test("L-51 Bindcar signs with the key that zones allow", () => {
    const api = pod()?.containers[1];
    const value = (name: string) => api?.env?.find((it) => it.name === name);
    expect(value("NSUPDATE_KEY_NAME")?.value).toBe("bindy-operator");
    expect(value("BIND_ALLOWED_SERVICE_ACCOUNTS")?.value).toBe("system:serviceaccount:bindy-system:bindy");
    expect(value("RNDC_SECRET")?.valueFrom?.secretKeyRef).toEqual({ name: "dns-primary-0-rndc-key", key: "secret" });
  });

  test("nobody may set what the operator sets, nor take the name of one of its volumes", () => {
    const own = (pod()?.containers[1]?.env ?? []).map(({ name }) => name).filter((name) => !name.startsWith("RATE_"));
    expect(own.filter((name) => !operatorVariables.some((it) => it === name))).toEqual([]);
    const refs = { namedConf: "a", namedConfOptions: "b", namedConfZones: "c" };
    const names = (pod(server({ configMapRefs: refs }))?.volumes ?? []).map(({ name }) => name);
    expect(names.filter((name) => !operatorVolumes.some((it) => it === name))).toEqual([]);
  });

  test("L-31 servers of one role are spread over zones", () => {
    expect(pod()?.topologySpreadConstraints?.[0]?.labelSelector?.matchLabels).toEqual({
      "bindy.firestoned.io/cluster": "dns",
      "bindy.firestoned.io/role": "primary",
    });
  });

  test("a claim takes the place of the cache", () => {
    const storage = { storageType: "persistentVolumeClaim", persistentVolumeClaim: { claimName: "c" } } as const;
    expect(pod(server({ storage }))?.volumes).toContainEqual({
      name: "cache",
      persistentVolumeClaim: { claimName: "c" },
    });
  });

  test("L-21 further keys are mounted and included", () => {
    const more = server({}, { rndcSecretRefs: [{ name: "extra" }] });
    expect(namedConf(more, "k")).toContain('include "/etc/bind/more-keys/extra/rndc.key";');
    expect(pod(more)?.containers[0]?.volumeMounts).toContainEqual({
      name: "more-keys",
      mountPath: "/etc/bind/more-keys",
      readOnly: true,
    });
  });
});

describe("8.4 the Service", () => {
  test("DNS and Bindcar, on the port that Bindcar has", () => {
    const { spec } = buildService(server({ bindcarConfig: { port: 9000 } }));
    expect(spec?.ports?.map(({ name, port, targetPort }) => [name, port, targetPort])).toEqual([
      ["dns-tcp", 53, 5353],
      ["dns-udp", 53, 5353],
      ["http", 80, 9000],
    ]);
  });

  test("2.4 what may be said over it, and what may not", () => {
    const service = {
      annotations: { a: "b" },
      spec: {
        type: "LoadBalancer",
        selector: { app: "other" },
        ports: [
          { name: "http", port: 8081 },
          { name: "more", port: 99 },
        ],
      },
    };
    const { spec, metadata } = buildService(
      server({ bindcarConfig: { serviceSpec: { type: "NodePort" } } }, { primary: { service } }),
    );
    expect([spec?.type, spec?.selector]).toEqual(["LoadBalancer", { app: "bind9", instance: "dns-primary-0" }]);
    expect(spec?.ports?.map(({ name, port }) => `${name} ${port}`)).toEqual([
      "dns-tcp 53",
      "dns-udp 53",
      "http 8081",
      "more 99",
    ]);
    expect(metadata?.annotations).toEqual({ a: "b" });
  });
});

describe("8.4 keys in Secrets", () => {
  const secret = (fields: Record<string, string>): Secret => ({
    apiVersion: "v1",
    kind: "Secret",
    data: encoded(fields),
  });
  const made = { name: "k", algorithm: "hmac-sha256", secret: "c2VjcmV0c2VjcmV0" };

  test("what is written is read again, from fields or from the file", () => {
    expect(keyIn(secret(keyData(made)))).toEqual(made);
    const { "rndc.key": file = "" } = keyData(made);
    expect(keyIn(secret({ "rndc.key": file }))).toEqual(made);
    expect(keyIn(secret({ n: "k", s: made.secret }), { keyNameKey: "n", secretKey: "s" })).toEqual(made);
  });

  test("12.5 weak algorithms and broken files are no keys", () => {
    expect(parseKey('key "k" { algorithm hmac-md5; secret "c2VjcmV0"; };')).toBeUndefined();
    expect(parseKey('key "k" { algorithm hmac-sha256; secret "c2VjcmV0"; }; options { };')).toBeUndefined();
    expect(keyIn(secret({ "key-name": 'a"b', secret: made.secret }))).toBeUndefined();
  });
});
