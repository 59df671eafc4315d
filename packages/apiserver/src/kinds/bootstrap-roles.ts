// The roles and bindings that every cluster starts with.
import type { JsonObject } from "../json.ts";

const group = "rbac.authorization.k8s.io";
const read = "get list watch";
const write = "create delete deletecollection patch update";
const everything = "create delete deletecollection get list patch update watch";

let made: readonly JsonObject[] | undefined;

/** ClusterRoles and ClusterRoleBindings, made once: a process may start many servers. */
export const bootstrapRoles = (): readonly JsonObject[] => (made ??= roles());

function roles(): readonly JsonObject[] {
  return [
    role("cluster-admin", {}, [
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["*"], nonResourceURLs: ["*"] },
    ]),
    aggregated("admin"),
    aggregated("edit", "admin"),
    aggregated("view", "edit"),
    role("system:aggregate-to-admin", into("admin"), rules(adminRules)),
    role("system:aggregate-to-edit", into("edit"), rules(editRules)),
    role("system:aggregate-to-view", into("view"), rules(viewRules)),
    role("system:basic-user", {}, rules(basicRules)),
    role("system:discovery", {}, [
      {
        verbs: ["get"],
        nonResourceURLs: [
          "/api",
          "/api/*",
          "/apis",
          "/apis/*",
          "/healthz",
          "/livez",
          "/openapi",
          "/openapi/*",
          "/readyz",
          "/version",
          "/version/",
        ],
      },
    ]),
    role("system:public-info-viewer", {}, [
      { verbs: ["get"], nonResourceURLs: ["/healthz", "/livez", "/readyz", "/version", "/version/"] },
    ]),
    binding("cluster-admin", "system:masters"),
    binding("system:basic-user", "system:authenticated"),
    binding("system:discovery", "system:authenticated"),
    binding("system:public-info-viewer", "system:authenticated", "system:unauthenticated"),
  ];
}

const basicRules = [
  "create | authorization.k8s.io | selfsubjectaccessreviews selfsubjectrulesreviews",
  "create | authentication.k8s.io | selfsubjectreviews",
];

const adminRules = [
  "create | authorization.k8s.io | localsubjectaccessreviews",
  `${everything} | rbac.authorization.k8s.io | rolebindings roles`,
];

const editRules = [
  `${read} | - | pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy`,
  "impersonate | - | serviceaccounts",
  `${write} | - | pods pods/attach pods/exec pods/portforward pods/proxy`,
  "create | - | pods/eviction",
  `${write} | - | configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy`,
  "create | - | serviceaccounts/token",
  `${write} | - events.k8s.io | events`,
  `${write} | apps | daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale`,
  `${write} | autoscaling | horizontalpodautoscalers`,
  `${write} | batch | cronjobs jobs`,
  `${write} | extensions | daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale`,
  `${write} | policy | poddisruptionbudgets`,
  `${write} | networking.k8s.io | ingresses networkpolicies`,
  `${everything} | coordination.k8s.io | leases`,
  `${write} | resource.k8s.io | resourceclaims resourceclaimtemplates`,
];

const viewRules = [
  `${read} | - | configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status`,
  `${read} | - | bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status`,
  `${read} | - | namespaces`,
  `${read} | - events.k8s.io | events`,
  `${read} | discovery.k8s.io | endpointslices`,
  `${read} | apps | controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status`,
  `${read} | autoscaling | horizontalpodautoscalers horizontalpodautoscalers/status`,
  `${read} | batch | cronjobs cronjobs/status jobs jobs/status`,
  `${read} | extensions | daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale`,
  `${read} | policy | poddisruptionbudgets poddisruptionbudgets/status`,
  `${read} | networking.k8s.io | ingresses ingresses/status networkpolicies`,
  `${read} | resource.k8s.io | resourceclaims resourceclaims/status resourceclaimtemplates`,
];

/** `verbs | groups | resources`; `-` is the core group. */
function rules(lines: readonly string[]): JsonObject[] {
  return lines.map((line) => {
    const [verbs = [], groups = [], resources = []] = line.split(" | ").map((part) => part.split(" "));
    return { verbs, apiGroups: groups.map((g) => (g === "-" ? "" : g)), resources };
  });
}

const into = (name: string): JsonObject => ({ [`${group}/aggregate-to-${name}`]: "true" });

const metadata = (name: string, labels: JsonObject = {}): JsonObject => ({
  name,
  labels: { "kubernetes.io/bootstrapping": "rbac-defaults", ...labels },
  annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
});

function role(name: string, labels: JsonObject, own: JsonObject[]): JsonObject {
  return { apiVersion: `${group}/v1`, kind: "ClusterRole", metadata: metadata(name, labels), rules: own };
}

/** A role that a controller fills from those that carry its label. */
function aggregated(name: string, to?: string): JsonObject {
  return {
    apiVersion: `${group}/v1`,
    kind: "ClusterRole",
    metadata: metadata(name, to === undefined ? {} : into(to)),
    rules: null,
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: into(name) }] },
  };
}

function binding(name: string, ...groups: string[]): JsonObject {
  return {
    apiVersion: `${group}/v1`,
    kind: "ClusterRoleBinding",
    metadata: metadata(name),
    subjects: groups.map((subject) => ({ kind: "Group", apiGroup: group, name: subject })),
    roleRef: { apiGroup: group, kind: "ClusterRole", name },
  };
}
