// A sound spec of each kind with every field of ours set, and one with nothing but what is required.

const rndcSecretRef = { name: "rndc", algorithm: "hmac-sha256", keyNameKey: "key-name", secretKey: "secret" };
const rndcKey = {
  autoRotate: true,
  rotateAfter: "30d",
  secretRef: rndcSecretRef,
  secret: {
    metadata: { name: "inline", labels: { team: "dns" }, annotations: { "example.com/note": "ours" } },
    type: "Opaque",
    stringData: { "key-name": "bindy-operator" },
    data: { secret: "c2VjcmV0" },
  },
  algorithm: "hmac-sha512",
};
const bindcarConfig = {
  image: "registry.example.com/bindcar:1.0",
  imagePullPolicy: "IfNotPresent",
  resources: { limits: { memory: "128Mi" } },
  port: 8080,
  serviceSpec: { type: "ClusterIP" },
  logLevel: "info",
  envVars: [{ name: "EXTRA", value: "1" }],
};
const options = {
  recursion: false,
  allowQuery: ["any", "!10.0.0.0/8", "2001:db8::/32", "key transfer"],
  allowTransfer: ["none"],
  dnssec: {
    validation: true,
    signing: {
      enabled: true,
      policy: "strong",
      algorithm: "ECDSAP384SHA384",
      kskLifetime: "365d",
      zskLifetime: "90d",
      nsec3: true,
      nsec3Salt: "AABB",
      nsec3Iterations: 0,
      keysFrom: { secretRef: { name: "bindy-keys" } },
      autoGenerate: true,
      exportToSecret: true,
    },
  },
  forwarders: ["192.0.2.1", "2001:db8::1"],
  listenOn: ["any"],
  listenOnV6: ["any"],
  rndcSecretRef,
  bindcarConfig,
};
const pods = {
  image: { image: "registry.example.com/bind9:9.18", imagePullPolicy: "Always", imagePullSecrets: ["registry"] },
  configMapRefs: { namedConf: "conf", namedConfOptions: "options", namedConfZones: "zones" },
  volumes: [{ name: "data", configMap: { name: "bindy-data" } }],
  volumeMounts: [{ name: "data", mountPath: "/data/extra" }],
};
const role = {
  replicas: 2,
  labels: { tier: "dns" },
  service: { annotations: { "example.com/note": "ours" }, spec: { type: "LoadBalancer" } },
  allowTransfer: ["localnets"],
  rndcSecretRef,
  rndcKey,
};
const cluster = {
  version: "9.18",
  primary: role,
  secondary: role,
  global: options,
  rndcSecretRefs: [rndcSecretRef],
  acls: { inside: ["10.0.0.0/8"] },
  ...pods,
};
const soaRecord = {
  primaryNs: "ns1.example.com.",
  adminEmail: "admin.example.com.",
  serial: 2025010101,
  refresh: 3600,
  retry: 600,
  expire: 604800,
  negativeTtl: 86400,
};
const selectors = [{ selector: { matchLabels: { zone: "example.com" } } }];

/** Every field of ours. */
export const full = {
  Bind9GlobalCluster: { namespace: "dns", namespaces: ["dns-a", "dns-b"], ...cluster },
  Bind9Cluster: cluster,
  Bind9Instance: {
    clusterRef: "production",
    role: "secondary",
    replicas: 1,
    version: "9.18",
    config: options,
    primaryServers: ["192.0.2.1", "192.0.2.2:5353", "[2001:db8::1]:53"],
    rndcSecretRef,
    rndcKey,
    storage: {
      storageType: "persistentVolumeClaim",
      emptyDir: { medium: "Memory" },
      persistentVolumeClaim: {
        claimName: "zones",
        storageClassName: "fast",
        size: "1Gi",
        accessModes: ["ReadWriteOnce"],
      },
    },
    bindcarConfig,
    ...pods,
  },
  DNSZone: {
    zoneName: "example.com",
    soaRecord,
    ttl: 3600,
    clusterRef: "production",
    globalClusterRef: "everywhere",
    bind9InstancesFrom: selectors,
    nameServers: [{ hostname: "ns1.example.com.", ipv4Address: "192.0.2.1", ipv6Address: "2001:db8::1" }],
    nameServerIps: { "ns1.example.com.": "192.0.2.1" },
    recordsFrom: selectors,
    dnssecPolicy: "strong",
  },
  ARecord: { name: "www", ttl: 300, ipv4Addresses: ["192.0.2.10"] },
  AAAARecord: { name: "www", ttl: 300, ipv6Addresses: ["2001:db8::10"] },
  TXTRecord: { name: "@", ttl: 300, text: ["v=spf1 -all"] },
  CNAMERecord: { name: "alias", ttl: 300, target: "www.example.com." },
  MXRecord: { name: "@", ttl: 300, priority: 10, mailServer: "mail.example.com." },
  NSRecord: { name: "sub", ttl: 300, nameserver: "ns1.example.net." },
  SRVRecord: { name: "_sip._tcp", ttl: 300, priority: 0, weight: 5, port: 5060, target: "sip.example.com." },
  CAARecord: { name: "@", ttl: 300, flags: 0, tag: "issue", value: "ca.example.net" },
} as const;
export type KindName = keyof typeof full;

const { ttl: _, ...a } = full.ARecord;

/** Nothing that can be left out. */
export const least: Readonly<Record<KindName, object>> = {
  ...full,
  Bind9GlobalCluster: {},
  Bind9Cluster: {},
  Bind9Instance: { clusterRef: "", role: "primary" },
  DNSZone: { zoneName: "example.com", soaRecord, clusterRef: "production" },
  ARecord: a,
};
