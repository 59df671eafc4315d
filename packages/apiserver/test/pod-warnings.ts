// Requests with pods and templates of pods that are odd, and let in all the same: a server says so.
import type { JsonObject } from "../src/json.ts";

interface Warned {
  readonly title: string;
  readonly method: "POST" | "PATCH";
  readonly path: string;
  readonly body: JsonObject;
  readonly prepares?: true;
}

/** Where no level of PodSecurity forbids anything. */
export const namespace = "own";
const core = `/api/v1/namespaces/${namespace}`;
const apps = `/apis/apps/v1/namespaces/${namespace}`;
const batch = `/apis/batch/v1/namespaces/${namespace}`;
const dry = "?dryRun=All";

const containers = [{ name: "c", image: "i" }];
const pod = (title: string, spec: JsonObject, metadata: JsonObject = {}): Warned => ({
  title,
  method: "POST",
  path: `${core}/pods${dry}`,
  body: { apiVersion: "v1", kind: "Pod", metadata: { name: "p", ...metadata }, spec: { containers, ...spec } },
});
const selected = { a: "b" };
const template = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { labels: selected, ...metadata },
  spec: { containers, ...spec },
});
const workload = (kind: string, path: string, spec: JsonObject, name = "w"): Warned => ({
  title: `a ${kind} called ${name}`,
  method: "POST",
  path: `${path}/${kind.toLowerCase()}s${dry}`,
  body: { apiVersion: path === apps ? "apps/v1" : path === batch ? "batch/v1" : "v1", kind, metadata: { name }, spec },
});

const seccomp = "seccomp.security.alpha.kubernetes.io/pod";
const seccompOf = (container: string) => `container.seccomp.security.alpha.kubernetes.io/${container}`;
const appArmorOf = (container: string) => `container.apparmor.security.beta.kubernetes.io/${container}`;
const annotations = {
  [seccomp]: "runtime/default",
  [seccompOf("c")]: "runtime/default",
  [appArmorOf("c")]: "runtime/default",
  "scheduler.alpha.kubernetes.io/critical-pod": "",
  "security.alpha.kubernetes.io/sysctls": "",
  "security.alpha.kubernetes.io/unsafe-sysctls": "",
};
const oddSpec: JsonObject = { nodeSelector: { "beta.kubernetes.io/os": "linux" }, terminationGracePeriodSeconds: -1 };
const odd = template(oddSpec, { annotations });
const term = { topologyKey: "kubernetes.io/hostname" };
const expressions = (...items: JsonObject[]): JsonObject => ({ matchExpressions: items });
const exists = (key: string): JsonObject => ({ key, operator: "Exists" });
const item = (key: string, path: string): JsonObject => ({ key, path });
const many = { completions: 100_001, parallelism: 10_001 };
const rw = ["ReadWriteOnce"];
const half = { requests: { storage: "1500m" }, limits: { storage: "2500m" } };

export const warned: readonly Warned[] = [
  pod("a pod of which nothing is odd", {}),
  pod("a pod whose name is no label", {}, { name: "p.q" }),
  pod("annotations in place of fields", {}, { annotations }),
  pod(
    "annotations beside the same fields",
    { securityContext: { seccompProfile: { type: "RuntimeDefault" }, appArmorProfile: { type: "RuntimeDefault" } } },
    { annotations: { [seccomp]: "runtime/default", [appArmorOf("c")]: "runtime/default" } },
  ),
  pod("old labels of nodes", {
    nodeSelector: { "beta.kubernetes.io/arch": "amd64", "node-role.kubernetes.io/master": "", other: "x" },
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [expressions(exists("other"), exists("beta.kubernetes.io/instance-type"))],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 1,
            preference: expressions(exists("app.kubernetes.io/created-by"), {
              key: "zone",
              operator: "In",
              values: ["fine", "not a value"],
            }),
          },
        ],
      },
    },
  }),
  pod("selectors that match nothing", {
    topologySpreadConstraints: [
      { maxSkew: 1, whenUnsatisfiable: "ScheduleAnyway", topologyKey: "failure-domain.beta.kubernetes.io/zone" },
    ],
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [term],
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }],
      },
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ ...term, labelSelector: {} }, term],
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }],
      },
    },
  }),
  pod("volumes that nothing serves", {
    volumes: [
      { name: "v0", photonPersistentDisk: { pdID: "x" } },
      { name: "v1", gitRepo: { repository: "x" } },
      {
        name: "v2",
        scaleIO: {
          gateway: "g",
          system: "s",
          volumeName: "n",
          secretRef: { name: "s" },
          storageMode: "ThinProvisioned",
        },
      },
      { name: "v3", flocker: { datasetName: "x" } },
      { name: "v4", storageos: { volumeName: "x", volumeNamespace: "y" } },
      { name: "v5", quobyte: { registry: "a:1", volume: "x" } },
      { name: "v6", glusterfs: { endpoints: "e", path: "p" } },
      { name: "v7", cephfs: { monitors: ["m"] } },
      { name: "v8", rbd: { monitors: ["m"], image: "i" } },
      {
        name: "v9",
        ephemeral: {
          volumeClaimTemplate: { spec: { accessModes: rw, resources: { requests: { storage: "1500m" } } } },
        },
      },
    ],
  }),
  pod("files of a volume that lie on each other", {
    volumes: [
      { name: "v0", configMap: { name: "m", items: [item("a", "x"), item("b", "x/y/"), item("c", "xy")] } },
      { name: "v1", secret: { secretName: "s", items: [item("a", "x/y"), item("b", "x")] } },
      {
        name: "v2",
        downwardAPI: {
          items: [
            { path: "x", fieldRef: { fieldPath: "metadata.name" } },
            { path: "x", fieldRef: { fieldPath: "metadata.uid" } },
          ],
        },
      },
      {
        name: "v3",
        projected: {
          sources: [
            { configMap: { name: "m", items: [item("a", "x")] } },
            { secret: { name: "s", items: [item("a", "x/y")] } },
            { downwardAPI: { items: [{ path: "x/y/z", fieldRef: { fieldPath: "metadata.name" } }] } },
            { serviceAccountToken: { path: "x" } },
            { clusterTrustBundle: { name: "t", path: "x" } },
          ],
        },
      },
    ],
  }),
  pod("things that are said twice", {
    hostAliases: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }, { ip: "10.0.0.1" }],
    imagePullSecrets: [{ name: "s" }, {}, { name: "s" }, {}],
    containers: [
      {
        name: "c",
        image: "i",
        env: [
          { name: "A", value: "1" },
          { name: "A", value: "$(A)2" },
          { name: "A", value: "$(A)" },
          { name: "A", value: "3" },
          { name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        ],
      },
    ],
  }),
  pod("ports that are in each other's way", {
    containers: [
      {
        name: "c",
        image: "i",
        ports: [
          { name: "http", containerPort: 80 },
          { containerPort: 80, hostPort: 8080 },
          { containerPort: 81, hostPort: 8081 },
          { containerPort: 81, hostPort: 8081, hostIP: "10.0.0.1" },
          { name: "odd", containerPort: 82, hostIP: "10.0.0.1" },
        ],
      },
      { name: "d", image: "i", ports: [{ name: "http", containerPort: 80 }] },
    ],
    initContainers: [
      { name: "s", image: "i", restartPolicy: "Always", ports: [{ name: "http", containerPort: 80, protocol: "UDP" }] },
    ],
  }),
  pod("parts of bytes", {
    containers: [
      {
        name: "c",
        image: "i",
        resources: {
          requests: { memory: "100m", "ephemeral-storage": "0.5" },
          limits: { memory: "1.5Ki", "ephemeral-storage": "1500m", cpu: "100m" },
        },
      },
    ],
  }),
  pod("addresses and times that are not canonical", {
    terminationGracePeriodSeconds: -5,
    hostAliases: [{ ip: "2001:DB8::1" }, { ip: "fe80::1" }],
    dnsPolicy: "None",
    dnsConfig: { nameservers: ["2001:db8:0:0:0:0:0:1", "10.0.0.1"] },
  }),
  pod("an address in the clothes of another one", { hostAliases: [{ ip: "::ffff:10.0.0.1" }] }),
  pod("a container whose name is no label", { containers: [{ name: "c.d", image: "i" }] }),
  workload("Deployment", apps, { selector: { matchLabels: selected }, template: odd }),
  workload("Deployment", apps, { selector: { matchLabels: selected }, template: template() }, "d.d"),
  workload("ReplicaSet", apps, { selector: { matchLabels: selected }, template: odd }, "r.r"),
  workload("DaemonSet", apps, { selector: { matchLabels: selected }, template: odd }, "d.d"),
  workload("StatefulSet", apps, {
    serviceName: "s",
    revisionHistoryLimit: -1,
    selector: { matchLabels: selected },
    template: odd,
    volumeClaimTemplates: [{ metadata: { name: "data" }, spec: { accessModes: rw, resources: half } }],
  }),
  workload("ReplicationController", core, { selector: selected, template: odd }, "r.r"),
  {
    title: "a PodTemplate",
    method: "POST",
    path: `${core}/podtemplates${dry}`,
    body: { apiVersion: "v1", kind: "PodTemplate", metadata: { name: "t" }, template: odd },
  },
  workload("Job", batch, { template: template({ restartPolicy: "Never" }, { annotations }) }, "j.j"),
  workload("Job", batch, { completionMode: "Indexed", ...many, template: template({ restartPolicy: "Never" }) }, "j.j"),
  workload("Job", batch, {
    completionMode: "Indexed",
    ...many,
    template: template({ restartPolicy: "Never", ...oddSpec }),
  }),
  workload(
    "CronJob",
    batch,
    {
      schedule: "* * * * *",
      jobTemplate: { spec: { template: template({ restartPolicy: "Never" }, { annotations }) } },
    },
    "c.c",
  ),
  {
    ...workload("Deployment", apps, { replicas: 0, selector: { matchLabels: selected }, template: odd }),
    path: `${apps}/deployments`,
    prepares: true,
  },
  {
    title: "a change of a Deployment beside its content",
    method: "PATCH",
    path: `${apps}/deployments/w${dry}`,
    body: { metadata: { labels: { a: "c" } } },
  },
  {
    title: "a change of the content of a Deployment",
    method: "PATCH",
    path: `${apps}/deployments/w${dry}`,
    body: { spec: { paused: true } },
  },
  {
    title: "another scale of a Deployment",
    method: "PATCH",
    path: `${apps}/deployments/w/scale${dry}`,
    body: { spec: { replicas: 1 } },
  },
  {
    ...workload("DaemonSet", apps, { selector: { matchLabels: selected }, template: odd }),
    path: `${apps}/daemonsets`,
    prepares: true,
  },
  {
    title: "a change of a DaemonSet beside its template",
    method: "PATCH",
    path: `${apps}/daemonsets/w${dry}`,
    body: { spec: { minReadySeconds: 1 } },
  },
  {
    title: "a change of the template of a DaemonSet",
    method: "PATCH",
    path: `${apps}/daemonsets/w${dry}`,
    body: { spec: { template: { spec: { hostname: "h" } } } },
  },
  {
    ...workload("ReplicationController", core, { replicas: 0, selector: selected, template: odd }),
    path: `${core}/replicationcontrollers`,
    prepares: true,
  },
  {
    title: "a change that puts the template of a ReplicationController right",
    method: "PATCH",
    path: `${core}/replicationcontrollers/w${dry}`,
    body: { spec: { template: { metadata: { annotations: null }, spec: { nodeSelector: null } } } },
  },
  { ...pod("a pod", { imagePullSecrets: [{}], nodeName: "n" }), path: `${core}/pods`, prepares: true },
  {
    title: "a change of a pod",
    method: "PATCH",
    path: `${core}/pods/p${dry}`,
    body: { metadata: { labels: { a: "b" } } },
  },
  {
    title: "addresses in the status of a pod",
    method: "PATCH",
    path: `${core}/pods/p/status${dry}`,
    body: { status: { podIPs: [{ ip: "2001:DB8::1" }], hostIPs: [{ ip: "2001:DB8::2" }], hostIP: "2001:DB8::2" } },
  },
];
