// Parts of a spec that several kinds share (2.4): images, keys, the options of named, Bindcar's settings.
import {
  Dictionary,
  Enum,
  Fields,
  Flag,
  Int32,
  List,
  ListSet,
  Quantity,
  type Rule,
  Text,
  UInt32,
} from "@telltale/kinds";
import {
  CoreType,
  EnvVar,
  PersistentVolumeClaimSpec,
  ResourceRequirements,
  ServiceSpec,
  Volume,
  VolumeMount,
} from "@telltale/kinds/core";
import { Maybe } from "./maybe.ts";
import { patterns } from "./patterns.ts";

export const algorithms = ["hmac-sha1", "hmac-sha224", "hmac-sha256", "hmac-sha384", "hmac-sha512"] as const;
export type Algorithm = (typeof algorithms)[number];

const algorithm = () => Maybe(Enum(algorithms, { default: "hmac-sha256" }));
const objectName = (description: string) => Text({ maxLength: 253, pattern: patterns.objectName, description });
const labels = (rules: readonly Rule[] = []) =>
  Maybe(Dictionary(Text({ maxLength: 4096 }), { maxProperties: 64, rules }));

export const pullPolicy = () => Maybe(Enum(["Always", "IfNotPresent", "Never"], { default: "IfNotPresent" }));
export const image = () => Text({ minLength: 1, maxLength: 1024, pattern: "^[A-Za-z0-9][A-Za-z0-9._:/@-]*$" });
/** It becomes a tag of an image. */
export const bindVersion = (options: { readonly default?: string } = {}) =>
  Text({ maxLength: 128, pattern: "^[A-Za-z0-9_]+([.-][A-Za-z0-9_]+)*$", ...options });

export const acl = (description: string) =>
  List(Text({ maxLength: 256, pattern: patterns.acl }), { maxItems: 256, description });

export const ImageConfig = Fields({
  image: Maybe(image()),
  imagePullPolicy: pullPolicy(),
  imagePullSecrets: Maybe(ListSet(objectName("A Secret with credentials of a registry"), { maxItems: 16 })),
});

export const ConfigMapRefs = Fields({
  namedConf: Maybe(objectName("A ConfigMap with the key named.conf")),
  namedConfOptions: Maybe(objectName("A ConfigMap with the key named.conf.options")),
  namedConfZones: Maybe(objectName("A ConfigMap with the key named.conf.zones")),
});

const dataKey = (standard: string) => Maybe(Text({ maxLength: 253, pattern: patterns.dataKey, default: standard }));

export const RndcSecretRef = Fields({
  name: objectName("A Secret in the same namespace"),
  algorithm: algorithm(),
  keyNameKey: dataKey("key-name"),
  secretKey: dataKey("secret"),
});

const inlineSecret = Fields({
  metadata: Fields({ name: objectName("The name of the Secret"), labels: labels(), annotations: labels() }),
  type: Maybe(Text({ maxLength: 253, pattern: "^[A-Za-z0-9]+([-_./][A-Za-z0-9]+)*$", default: "Opaque" })),
  stringData: Maybe(Dictionary(Text())),
  data: Maybe(Dictionary(Text({ format: "byte" }))),
});

export const RndcKeyConfig = Fields({
  autoRotate: Maybe(Flag({ default: false, description: "Whether the key is replaced by itself" })),
  rotateAfter: Maybe(
    Text({ pattern: patterns.span, maxLength: 8, default: "720h", description: "From 1h to 8760h; h, d or w" }),
  ),
  secretRef: Maybe(RndcSecretRef),
  secret: Maybe(inlineSecret),
  algorithm: algorithm(),
});

const serviceSpec = () =>
  ServiceSpec({ description: "Over what the operator has. No effect: selector, externalName, trafficDistribution" });

export const BindcarConfig = Fields({
  image: Maybe(image()),
  imagePullPolicy: pullPolicy(),
  resources: Maybe(ResourceRequirements()),
  port: Maybe(Int32({ minimum: 1024, maximum: 65_535, default: 8080 })),
  serviceSpec: Maybe(serviceSpec()),
  logLevel: Maybe(Enum(["debug", "info", "warn", "error"], { default: "info" })),
  envVars: Maybe(List(EnvVar(), { maxItems: 64 })),
});

const lifetime = (documented: string) =>
  Maybe(Text({ pattern: patterns.token, description: `As named writes it: ${documented}. Absent: unlimited` }));

const DNSSECSigningConfig = Fields({
  enabled: Maybe(Flag({ default: false })),
  policy: Maybe(Text({ pattern: patterns.policy, default: "default" })),
  algorithm: Maybe(
    Text({ pattern: patterns.token, default: "ECDSAP256SHA256", description: "Or ECDSAP384SHA384, RSASHA256" }),
  ),
  kskLifetime: lifetime("365d"),
  zskLifetime: lifetime("90d"),
  nsec3: Maybe(Flag({ default: false })),
  nsec3Salt: Maybe(
    Text({
      pattern: patterns.hex,
      maxLength: 128,
      description: "Not supported: named draws a salt of 16 bytes itself",
    }),
  ),
  nsec3Iterations: Maybe(UInt32({ default: 0 })),
  keysFrom: Maybe(
    Fields({
      secretRef: Maybe(
        Fields({
          name: objectName(
            "A Secret whose name begins with bindy-, with key files of BIND by their names, _ in place of +",
          ),
          namespace: Maybe(Text({ maxLength: 63, pattern: patterns.namespace })),
        }),
      ),
      persistentVolume: Maybe(PersistentVolumeClaimSpec()),
    }),
  ),
  autoGenerate: Maybe(
    Flag({ default: true, description: "false: only with keysFrom.secretRef and keys whose lifetime is unlimited" }),
  ),
  exportToSecret: Maybe(
    Flag({ description: "Not supported: keys stay where keysFrom or the claim of spec.storage has them" }),
  ),
});

export const Bind9Config = Fields({
  // No default in the schema: an instance that says nothing takes what its cluster says.
  recursion: Maybe(Flag({ description: "Absent: no" })),
  allowQuery: Maybe(acl("Who may ask. Absent: as named has it")),
  allowTransfer: Maybe(
    acl("Who may transfer zones. Absent or empty: nobody; each zone opens itself to its secondaries"),
  ),
  dnssec: Maybe(Fields({ validation: Maybe(Flag({ default: false })), signing: Maybe(DNSSECSigningConfig) })),
  forwarders: Maybe(List(Text({ maxLength: 45, pattern: patterns.address }), { maxItems: 64 })),
  listenOn: Maybe(acl("Absent: any")),
  listenOnV6: Maybe(acl("Absent: any")),
  rndcSecretRef: Maybe(RndcSecretRef),
  bindcarConfig: Maybe(BindcarConfig),
});

export const ServiceConfig = Fields({ annotations: labels(), spec: Maybe(serviceSpec()) });

const reservedKeys: Rule = {
  rule: "self.all(key, !key.startsWith('bindy.firestoned.io/') && !key.startsWith('app.kubernetes.io/'))",
  message: "keys that begin with bindy.firestoned.io/ or app.kubernetes.io/ are the operator's",
};

export const RoleConfig = Fields({
  replicas: Maybe(Int32({ minimum: 0, maximum: 100, description: "How many Bind9Instances. Absent: none" })),
  labels: labels([reservedKeys]),
  service: Maybe(ServiceConfig),
  allowTransfer: Maybe(acl("Empty: nobody")),
  rndcSecretRef: Maybe(RndcSecretRef),
  rndcKey: Maybe(RndcKeyConfig),
});

const accessModes = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"] as const;

export interface EmptyDir {
  medium?: string;
  sizeLimit?: string | number;
}

export const StorageConfig = Fields({
  storageType: Maybe(Enum(["emptyDir", "persistentVolumeClaim"], { default: "emptyDir" })),
  emptyDir: Maybe(CoreType<EmptyDir>("core.EmptyDirVolumeSource")),
  persistentVolumeClaim: Maybe(
    Fields({
      claimName: Maybe(objectName("A claim in the same namespace; it takes the place of the cache volume")),
      storageClassName: Maybe(objectName("Not supported: the claim is made before the instance")),
      size: Maybe(Quantity({ description: "Not supported: the claim is made before the instance" })),
      accessModes: Maybe(
        ListSet(Enum(accessModes), {
          maxItems: 4,
          description: "Not supported: the claim is made before the instance",
        }),
      ),
    }),
  ),
});

export const volumes = () => Maybe(List(Volume(), { maxItems: 64 }));
export const volumeMounts = () => Maybe(List(VolumeMount(), { maxItems: 64 }));

/** What both kinds of cluster ask for (Bind9ClusterCommonSpec). */
export const clusterFields = {
  version: Maybe(bindVersion({ default: "9.18" })),
  primary: Maybe(RoleConfig),
  secondary: Maybe(RoleConfig),
  image: Maybe(ImageConfig),
  configMapRefs: Maybe(ConfigMapRefs),
  global: Maybe(Bind9Config),
  rndcSecretRefs: Maybe(List(RndcSecretRef, { maxItems: 16 })),
  acls: Maybe(Dictionary(acl("The entries of one ACL"), { maxProperties: 64 })),
  volumes: volumes(),
  volumeMounts: volumeMounts(),
} as const;

export const seconds = (options: { readonly minimum?: 0 | 1; readonly default?: number } = {}) =>
  Int32({ minimum: 0, maximum: 2 ** 31 - 1, ...options });
