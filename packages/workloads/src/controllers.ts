// Everything that a controller manager does, as a list.
import type { Controller } from "@telltale/runtime";
import { rootCertificates } from "./account/root-certificate.ts";
import { serviceAccounts } from "./account/service-accounts.ts";
import { autoscalers } from "./autoscale/autoscalers.ts";
import { budgets } from "./budget/budgets.ts";
import { cronJobs } from "./cronjob/cronjob.ts";
import { daemonSets } from "./daemonset/daemonset.ts";
import { deployments } from "./deployment/deployment.ts";
import { jobs } from "./job/job.ts";
import { orphanedPods } from "./job/orphans.ts";
import { expiredJobs } from "./job/ttl.ts";
import { resourceQuotas } from "./quota/quota.ts";
import { replicaSets } from "./replicaset/replicaset.ts";
import { aggregatedRoles } from "./roles/aggregate.ts";
import { endpointSlices } from "./service/endpoint-slices.ts";
import { endpoints } from "./service/endpoints.ts";
import { leftoverEndpoints } from "./service/leftovers.ts";
import { loadBalancers } from "./service/load-balancer.ts";
import { mirroredSlices } from "./service/mirror.ts";
import { statefulSets } from "./statefulset/statefulset.ts";
import { type VolumeOptions, volumeControllers } from "./volume/controllers.ts";

export interface ControllerOptions {
  /** Where Services of type LoadBalancer are reached: at the loopback address, or nowhere. Default: `loopback`. */
  readonly loadBalancers?: "loopback" | "none";
  /** PEM: what pods know the server by, in `kube-root-ca.crt` of every namespace. Default: empty. */
  readonly rootCertificate?: string;
  readonly volumes?: VolumeOptions;
}

export function controllers(options: ControllerOptions = {}): readonly Controller[] {
  return [
    aggregatedRoles(),
    autoscalers(),
    budgets(),
    cronJobs(),
    daemonSets(),
    deployments(),
    endpoints(),
    endpointSlices(),
    expiredJobs(),
    jobs(),
    leftoverEndpoints(),
    ...(options.loadBalancers === "none" ? [] : [loadBalancers()]),
    mirroredSlices(),
    orphanedPods(),
    replicaSets(),
    resourceQuotas(),
    rootCertificates(options.rootCertificate ?? ""),
    serviceAccounts(),
    statefulSets(),
    ...volumeControllers(options.volumes),
  ];
}
