// What the flags that belong to the process say to whoever runs the operator. Pure.
import type { ManagerOptions } from "@telltale/runtime";
import type { Config } from "./config.ts";
import { leaseName } from "./names.ts";

/** Options of its manager. `namespace` is the operator's own, where its lease is. */
export function processOptions(
  { process: { metrics, health, leaderElect }, controllers, namespaces }: Config,
  namespace: string,
): Pick<ManagerOptions, "namespaces" | "probes" | "replicas"> {
  const at = health ?? metrics;
  const isTogether = health === undefined || (health.host === metrics?.host && health.port === metrics?.port);
  return {
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(at === undefined
      ? {}
      : { probes: { ...open(at), ...(isTogether ? {} : { metrics: metrics === undefined ? "off" : open(metrics) }) } }),
    replicas: leaderElect ? { as: "lease", namespace, lease: leaseName(controllers) } : { as: "one" },
  };
}

/** The kubelet comes from outside: where no host is named it is all of them. */
const open = ({ host = "0.0.0.0", port }: { readonly host?: string; readonly port: number }) => ({ host, port });
