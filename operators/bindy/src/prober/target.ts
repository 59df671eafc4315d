// Where the Bindcar of a pod is, and whether it is worth asking. Pure.
import type { Condition } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { type Fault, faultTold } from "../http-errors.ts";
import { annotations, containers } from "../names.ts";

export interface Target {
  readonly uid: string;
  /** `ip:port`. Undefined: there is nobody to ask yet. */
  readonly endpoint?: string;
  /** Another one after each start of `named`. */
  readonly run: string;
  /** What the kubelet says. */
  readonly isReady: boolean;
  /** What its instance says of its Bindcar, for who has not asked yet: whoever begins anew takes nothing back. */
  readonly told?: Fault;
}

/** `said`: the conditions of its instance. */
export function targetOf(pod: Pod, said: readonly Condition[] = []): Target {
  const endpoint = isRunning(pod, containers.api) ? endpointOf(pod) : undefined;
  const named = statusOf(pod, containers.bind9);
  const told = toldOf(pod, said);
  return {
    uid: pod.metadata?.uid ?? "",
    ...(endpoint === undefined ? {} : { endpoint }),
    run: `${named?.containerID ?? ""} ${named?.restartCount ?? 0}`,
    isReady: pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false,
    ...(told === undefined ? {} : { told }),
  };
}

function toldOf({ metadata }: Pod, said: readonly Condition[]): Fault | undefined {
  const start = `Pod ${metadata?.name ?? ""} `;
  const found = said.find(({ message }) => message.startsWith(start));
  return found === undefined ? undefined : faultTold(found.reason, found.message.slice(start.length));
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
