// One object of each kind that the operators read, made by nobody of us: what it needs besides its name.
const labels = { app: "foreign" };
const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "nowhere/none:1" }] } };
const jobTemplate = { spec: { ...template.spec, restartPolicy: "Never" } };

const builtin = {
  ConfigMap: {},
  ControllerRevision: { revision: 1, data: {} },
  CronJob: { spec: { schedule: "0 0 1 1 *", jobTemplate: { spec: { template: jobTemplate } } } },
  Deployment: { spec: { selector: { matchLabels: labels }, template } },
  EndpointSlice: { addressType: "IPv4", endpoints: [] },
  Job: { spec: { template: jobTemplate } },
  Lease: {},
  Namespace: {},
  NetworkPolicy: { spec: { podSelector: {} } },
  Node: {},
  PersistentVolumeClaim: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
  Pod: { spec: template.spec },
  ReplicaSet: { spec: { selector: { matchLabels: labels }, template } },
  PodDisruptionBudget: { spec: { minAvailable: 1, selector: { matchLabels: labels } } },
  Secret: {},
  Service: { spec: { ports: [{ port: 80 }] } },
  ServiceAccount: {},
  StatefulSet: { spec: { selector: { matchLabels: labels }, serviceName: "none", template } },
};

const bindy = {
  Bind9Cluster: { spec: {} },
  Bind9Instance: { spec: { clusterRef: "none", role: "primary" } },
  DNSZone: {
    spec: {
      zoneName: "foreign.example",
      clusterRef: "none",
      soaRecord: {
        primaryNs: "ns1.foreign.example.",
        adminEmail: "admin.foreign.example.",
        serial: 1,
        refresh: 3600,
        retry: 600,
        expire: 604_800,
        negativeTtl: 86_400,
      },
    },
  },
  ARecord: { spec: { name: "www", ipv4Addresses: ["192.0.2.10"] } },
  AAAARecord: { spec: { name: "www", ipv6Addresses: ["2001:db8::1"] } },
  TXTRecord: { spec: { name: "www", text: ["foreign"] } },
  CNAMERecord: { spec: { name: "www", target: "ns1.foreign.example." } },
  MXRecord: { spec: { name: "www", priority: 10, mailServer: "ns1.foreign.example." } },
  NSRecord: { spec: { name: "www", nameserver: "ns1.foreign.example." } },
  SRVRecord: { spec: { name: "_dns._udp", priority: 10, weight: 10, port: 53, target: "ns1.foreign.example." } },
  CAARecord: { spec: { name: "www", flags: 0, tag: "issue", value: "ca.example" } },
};

const workspaceTemplateRef = { name: "none" };
const machine = { nodeGroupRef: { name: "none", namespace: "none" }, workspaceTemplateRef, instanceType: "m5.large" };
const machines = { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: machine } };

const capt = {
  Cluster: { spec: {} },
  CAPTCluster: { spec: { region: "eu-central-1", existingVpcId: "vpc-0123456789abcdef0" } },
  CAPTControlPlane: { spec: { version: "1.31", workspaceTemplateRef } },
  WorkspaceTemplate: { spec: { template: { spec: { forProvider: { source: "Inline", module: "" } } } } },
  WorkspaceTemplateApply: { spec: { templateRef: { name: "none" } } },
  CaptMachine: { spec: machine },
  CaptMachineSet: { spec: machines },
  CaptMachineDeployment: { spec: machines },
  Workspace: { spec: { forProvider: { source: "Inline", module: "" } } },
};

const locust = {
  LocustTest: {
    spec: {
      image: "nowhere/none:1",
      master: { command: "--locustfile /none.py" },
      worker: { command: "--locustfile /none.py", replicas: 1 },
    },
  },
};

const virtualMachine = { providerRef: { name: "none" }, classRef: { name: "none" }, imageRef: { name: "none" } };

const virtrigaud = {
  Provider: {
    spec: {
      type: "qemu",
      endpoint: "tcp://127.0.0.1:9443",
      credentialSecretRef: { name: "none" },
      runtime: { image: "nowhere/none:1", service: { tls: { enabled: false } } },
    },
  },
  VirtualMachine: { spec: virtualMachine },
  VMClass: { spec: { cpu: 1, memory: "1Gi" } },
  VMClone: { spec: { source: { vmRef: { name: "none" } }, target: { name: "copy" } } },
  VMImage: { spec: { source: { libvirt: { path: "/none" } } } },
  VMMigration: {
    spec: { source: { vmRef: { name: "none" } }, target: { name: "none", providerRef: { name: "next" } } },
  },
  VMNetworkAttachment: { spec: { network: { libvirt: { networkName: "none" } } } },
  VMPlacementPolicy: { spec: {} },
  VMSet: {
    spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: virtualMachine } },
  },
  VMSnapshot: { spec: { vmRef: { name: "none" } } },
};

export const foreignObjects: Readonly<Record<string, object>> = {
  ...builtin,
  ...bindy,
  ...capt,
  ...locust,
  ...virtrigaud,
};
