// Where the Bindcar of a pod is, and whether it is worth asking. Pure.
import type { Pod } from "@telltale/kinds/builtin";
import { annotations, containers } from "../names.ts";

export interface Target {
  readonly uid: string;
  /** `ip:port`. Undefined: there is nobody to ask yet. */
  readonly endpoint?: string;
  /** Another one after each start of `named`. */
  readonly run: string;
  /** What the kubelet says. */
  readonly isReady: boolean;
}

export function targetOf(pod: Pod): Target {
  const endpoint = isRunning(pod, containers.api) ? endpointOf(pod) : undefined;
  const named = statusOf(pod, containers.bind9);
  return {
    uid: pod.metadata?.uid ?? "",
    ...(endpoint === undefined ? {} : { endpoint }),
    run: `${named?.containerID ?? ""} ${named?.restartCount ?? 0}`,
    isReady: pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false,
  };
}

/** Where a pod is not in the cluster's network, an annotation says where it is. */
export function endpointOf({ metadata, spec, status }: Pod): string | undefined {
  const elsewhere = metadata?.annotations?.[annotations.endpointHttp];
  if (elsewhere !== undefined) return elsewhere;
  const { podIP = "" } = status ?? {};
  if (podIP === "") return undefined;
  const api = spec?.containers.find(({ name }) => name === containers.api);
  const port = api?.ports?.find(({ name }) => name === "http")?.containerPort ?? 8080;
  return podIP.includes(":") ? `[${podIP}]:${port}` : `${podIP}:${port}`;
}

const statusOf = ({ status }: Pod, container: string) =>
  status?.containerStatuses?.find(({ name }) => name === container);

const isRunning = (pod: Pod, container: string): boolean => statusOf(pod, container)?.state?.running !== undefined;
