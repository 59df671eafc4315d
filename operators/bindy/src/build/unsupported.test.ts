import { expect, test } from "vitest";
import { overruledKeys } from "./key-choice.ts";
import { unsupportedIn } from "./unsupported.ts";

type Asked = Parameters<typeof unsupportedIn>[0];
const asked = (more: Partial<Asked>): Asked => ({
  config: {},
  storage: {},
  role: "primary",
  moreKeys: [],
  bindcar: {},
  service: {},
  configMapRefs: {},
  acls: {},
  allowTransfer: [],
  overruled: [],
  primaryServers: [],
  ...more,
});
const fieldsOf = (more: Partial<Asked>) => unsupportedIn(asked(more)).map(({ field }) => field);

test("what nobody can honor is listed, with the way out", () => {
  const signing = { nsec3Salt: "aabb", exportToSecret: true };
  const persistentVolumeClaim = {
    claimName: "keys",
    size: "1Gi",
    accessModes: ["ReadWriteOnce" as const],
    storageClassName: "fast",
  };
  const storage = { storageType: "persistentVolumeClaim" as const, persistentVolumeClaim };
  const found = unsupportedIn(asked({ config: { dnssec: { signing } }, storage }));
  expect(found.map(({ field }) => field)).toEqual([
    "dnssec.signing.nsec3Salt",
    "dnssec.signing.exportToSecret",
    "storage.persistentVolumeClaim.size",
    "storage.persistentVolumeClaim.accessModes",
    "storage.persistentVolumeClaim.storageClassName",
  ]);
  for (const { message } of found) expect(message).toMatch(/: .*(remove the field|set this to false)$/);
});

test("what a policy that named has built in overrules is listed", () => {
  const more = { enabled: true, algorithm: "RSASHA256", kskLifetime: "365d", zskLifetime: "90d", nsec3: true };
  const of = (signing: object) => fieldsOf({ config: { dnssec: { signing } } });
  const all = ["algorithm", "kskLifetime", "zskLifetime", "nsec3"].map((name) => `dnssec.signing.${name}`);
  expect(of(more)).toEqual(all);
  expect(of({ ...more, policy: "default" })).toEqual(all);
  expect(of({ ...more, policy: "strict" })).toEqual([]);
  expect(of({ ...more, enabled: false })).toEqual([]);
});

test("storage of the type that is not chosen is listed, and primaries of a primary", () => {
  const persistentVolumeClaim = { claimName: "keys" };
  expect(fieldsOf({ storage: { persistentVolumeClaim } })).toEqual(["storage.persistentVolumeClaim"]);
  expect(
    fieldsOf({
      storage: { storageType: "persistentVolumeClaim", persistentVolumeClaim, emptyDir: { medium: "Memory" } },
    }),
  ).toEqual(["storage.emptyDir"]);
  expect(fieldsOf({ primaryServers: ["192.0.2.1"] })).toEqual(["primaryServers"]);
  expect(fieldsOf({ role: "secondary", primaryServers: ["192.0.2.1"] })).toEqual([]);
});

test("of further keys all but their names is listed where it is not the default", () => {
  const standard = { name: "a", keyNameKey: "key-name", secretKey: "secret", algorithm: "hmac-sha256" as const };
  expect(fieldsOf({ moreKeys: [standard, { name: "b", secretKey: "other" }] })).toEqual([
    "rndcSecretRefs[1].secretKey",
  ]);
});

test("nothing is listed where nothing of it is asked for", () => {
  const signing = { enabled: true, exportToSecret: false, autoGenerate: true, algorithm: "ECDSAP256SHA256" };
  expect(fieldsOf({ config: { dnssec: { signing } }, storage: { storageType: "emptyDir", emptyDir: {} } })).toEqual([]);
});

test("what the Service of an instance does not take over is listed, with who said it", () => {
  const spec = {
    type: "LoadBalancer",
    selector: { app: "other" },
    externalName: "x",
    trafficDistribution: "PreferClose",
  };
  expect(fieldsOf({ bindcar: { serviceSpec: spec }, service: { spec }, role: "secondary" })).toEqual([
    "bindcarConfig.serviceSpec.selector",
    "bindcarConfig.serviceSpec.externalName",
    "bindcarConfig.serviceSpec.trafficDistribution",
    "secondary.service.spec.selector",
    "secondary.service.spec.externalName",
    "secondary.service.spec.trafficDistribution",
  ]);
});

test("what stands in a file that somebody else writes is listed with the ConfigMap, and only then", () => {
  const signing = { enabled: true, policy: "strict", algorithm: "RSASHA256", kskLifetime: "365d" };
  const options = { recursion: false, allowQuery: [], forwarders: [], listenOn: [], listenOnV6: [] };
  const config = { ...options, dnssec: { validation: true, signing } };
  const said = { config, allowTransfer: ["any"], acls: { inside: ["any"] } };
  expect(fieldsOf(said)).toEqual([]);
  const found = unsupportedIn(asked({ ...said, configMapRefs: { namedConf: "a", namedConfOptions: "b" } }));
  const [last, ...others] = found.toReversed();
  expect(last).toEqual({
    field: "acls",
    message: "named.conf is that of ConfigMap a: say it there, and remove the field",
  });
  expect(others.reverse().map(({ field }) => field)).toEqual([
    "dnssec.signing.algorithm",
    "dnssec.signing.kskLifetime",
    ...Object.keys(options).toSpliced(2, 0, "allowTransfer"),
    "dnssec.validation",
  ]);
  for (const { message } of others)
    expect(message).toBe("named.conf.options is that of ConfigMap b: say it there, and remove the field");
});

test("8.4 what is said of a key beside what counts is listed", () => {
  const ref = { name: "theirs" };
  const secret = { metadata: { name: "ours" } };
  const of = (spec: object, role: object = {}) => overruledKeys(spec, role, "primary").map(({ field }) => field);
  expect(of({ rndcKey: { secretRef: ref, secret, autoRotate: true }, rndcSecretRef: ref })).toEqual([
    "rndcKey.secret",
    "rndcKey.autoRotate",
    "rndcSecretRef",
  ]);
  expect(of({ rndcSecretRef: ref }, { rndcKey: { secret, autoRotate: true }, rndcSecretRef: ref })).toEqual([
    "primary.rndcKey.autoRotate",
    "rndcSecretRef",
    "primary.rndcSecretRef",
  ]);
  // An instance may say otherwise than its role, and a key that is made may be replaced.
  expect(of({ rndcKey: { autoRotate: true } }, { rndcKey: { secret }, rndcSecretRef: ref })).toEqual([]);
  expect(of({ rndcSecretRef: ref }, { rndcSecretRef: ref })).toEqual([]);
});
