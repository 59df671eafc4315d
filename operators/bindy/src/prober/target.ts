// Where the Bindcar of a pod is, and whether it is worth asking. Pure.
import type { Condition } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { lagTold } from "../aggregate/pod.ts";
import type { Finding } from "../aggregate/pod-view.ts";
import { faultTold } from "../http-errors.ts";
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
  readonly told?: Finding;
  /** Whether its instance calls it well, in so many words. */
  readonly isToldWell?: boolean;
}

/** `said`: the conditions of its instance. `zones`: those that it has, by name. */
export function targetOf(pod: Pod, said: readonly Condition[] = [], zones: readonly string[] = []): Target {
  const endpoint = isRunning(pod, containers.api) ? endpointOf(pod) : undefined;
  const named = statusOf(pod, containers.bind9);
  const start = `Pod ${pod.metadata?.name ?? ""} `;
  const about = said.find(({ message }) => message.startsWith(start));
  const told = about === undefined ? undefined : toldIn(about.reason, about.message.slice(start.length), zones);
  return {
    uid: pod.metadata?.uid ?? "",
    ...(endpoint === undefined ? {} : { endpoint }),
    run: `${named?.containerID ?? ""} ${named?.restartCount ?? 0}`,
    isReady: pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false,
    ...(told === undefined ? {} : { told }),
    isToldWell: about?.status === "True",
  };
}

function toldIn(reason: string, phrase: string, zones: readonly string[]): Finding | undefined {
  const fault = faultTold(reason, phrase);
  if (fault !== undefined) return { fault };
  const lag = lagTold(phrase);
  return lag === undefined || !zones.includes(lag.zone) ? undefined : { lag };
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
