// What the operator may do at most (section 18.1).
import type { PolicyRule } from "@telltale/runtime";

/** What the operator is deployed with that needs rights of its own. */
interface Extras {
  /** The master is read through the API server, with `TELEMETRY_MODE=api-proxy`. Powerful: off by default. */
  readonly apiProxy?: boolean;
  /** The metrics endpoint asks the server who calls. */
  readonly protectedMetrics?: boolean;
}

/** Rights in the namespaces of tests: all of them, or those of `WATCH_NAMESPACES`. No Secret, no ConfigMap, no log, no node. */
export function operatorRights({ apiProxy = false, protectedMetrics = false }: Extras = {}): readonly PolicyRule[] {
  return [
    rule("locust.io", "locusttests", "get", "list", "watch", "patch"),
    rule("locust.io", "locusttests/status", "get", "patch"),
    // The server asks for it where a child holds back its owner.
    rule("locust.io", "locusttests/finalizers", "update"),
    // A final phase suspends the Jobs that are left.
    rule("batch", "jobs", "get", "list", "watch", "create", "delete", "patch"),
    rule("", "services", "get", "list", "watch", "create", "delete"),
    rule("", "pods", "get", "list", "watch"),
    // Why a pod cannot mount something is told in its events only.
    rule("", "events", "create", "patch", "list"),
    ...(apiProxy ? [rule("", "pods/proxy", "get")] : []),
    ...(protectedMetrics
      ? [
          rule("authentication.k8s.io", "tokenreviews", "create"),
          rule("authorization.k8s.io", "subjectaccessreviews", "create"),
        ]
      : []),
  ];
}

/** Rights in the operator's own namespace: leader election. */
export const leaseRights: readonly PolicyRule[] = [
  rule("coordination.k8s.io", "leases", "get", "list", "watch", "create", "update", "patch"),
];

function rule(group: string, resource: string, ...verbs: string[]): PolicyRule {
  return { apiGroups: [group], resources: [resource], verbs };
}
