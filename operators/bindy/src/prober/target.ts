// Where the Bindcar of a pod is, and whether it is worth asking. Pure.
import type { Pod } from "@telltale/kinds/builtin";
import type { PodRecord } from "../aggregate/pod-records.ts";
import { type Finding, notProbed } from "../aggregate/pod-view.ts";
import { annotations, containers } from "../names.ts";

export interface Target {
  readonly uid: string;
  /** `ip:port`. Undefined: there is nobody to ask yet. */
  readonly endpoint?: string;
  /** Another one after each start of `named`. */
  readonly run: string;
  /** What the kubelet says. */
  readonly isReady: boolean;
  /** What its instance has stored of it: where a new process starts from. */
  readonly recorded: Finding;
}

/** `records`: what its instance has stored of its pods. `zones`: those that it has, by name. */
export function targetOf(pod: Pod, records: readonly PodRecord[] = [], zones: readonly string[] = []): Target {
  const endpoint = isRunning(pod, containers.api) ? endpointOf(pod) : undefined;
  const named = statusOf(pod, containers.bind9);
  const { uid = "", name = "" } = pod.metadata ?? {};
  const record = records.find((one) => (one.uid === undefined ? one.name === name : one.uid === uid));
  const { probe, lag } = record?.finding ?? { probe: notProbed };
  return {
    uid,
    ...(endpoint === undefined ? {} : { endpoint }),
    run: `${named?.containerID ?? ""} ${named?.restartCount ?? 0}`,
    isReady: pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false,
    recorded: { probe, ...(lag !== undefined && zones.includes(lag.zone) && { lag }) },
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
