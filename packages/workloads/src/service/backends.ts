// The pods behind a Service, as it sees them: under which address, on which ports, in which condition. Pure.
import { deepEqual, type LabelSelector, type Ms } from "@telltale/kinds";
import type { Pod, Service } from "@telltale/kinds/builtin";
import type { StatusValue } from "@telltale/runtime";
import { conditionOf, isFinished, isReady, isTerminating, nameOf, uidOf } from "../pods/facts.ts";

export interface Backend {
  readonly pod: Pod;
  readonly address: string;
  readonly ports: readonly Port[];
  readonly isServing: boolean;
  readonly isLeaving: boolean;
}

export interface Port {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

export type Family = "IPv4" | "IPv6";

/** The first change is shown at once; those that follow within so long are shown together. */
export const together: Ms = 100;

/** What both controllers of a Service's backends say of the Service itself: nothing. */
export const silence: StatusValue<typeof Service> = { status: undefined };

/** Undefined: it selects nothing, and its backends are somebody else's to say. */
export function selectorOf({ spec }: Service): LabelSelector | undefined {
  const labels = spec?.selector;
  const isSelecting = labels !== undefined && labels !== null && Object.keys(labels).length > 0;
  return isSelecting && spec?.type !== "ExternalName" ? { matchLabels: labels } : undefined;
}

/** The first one is the one that counts where there can be only one. */
export function familiesOf({ spec }: Service): readonly [Family, ...Family[]] {
  const [first = "IPv4", ...others] = (spec?.ipFamilies ?? []).filter(isFamily);
  return [first, ...others];
}

const isFamily = (it: string): it is Family => it === "IPv4" || it === "IPv6";

/** Pods with an address that have not ended. */
export function backendsOf(service: Service, pods: readonly Pod[], family: Family): readonly Backend[] {
  return pods.flatMap((pod): Backend[] => {
    const address = addressOf(pod, family);
    if (address === undefined || isFinished(pod)) return [];
    const ports = portsOf(service, pod);
    return [{ pod, address, ports, isServing: isReady(pod), isLeaving: isTerminating(pod) }];
  });
}

function addressOf({ status }: Pod, family: Family): string | undefined {
  const all = [...(status?.podIPs ?? []).map(({ ip }) => ip), status?.podIP];
  return all.find((ip) => ip !== undefined && ip !== "" && ip.includes(":") === (family === "IPv6"));
}

/** A port that a pod does not have is left out. */
function portsOf({ spec }: Service, pod: Pod): readonly Port[] {
  return (spec?.ports ?? []).flatMap(
    ({ name = "", port, targetPort = port, protocol = "TCP", appProtocol }): Port[] => {
      const number = typeof targetPort === "number" ? targetPort : namedPort(pod, targetPort, protocol);
      if (number === undefined) return [];
      return [{ name, port: number, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
    },
  );
}

function namedPort({ spec }: Pod, name: string, protocol: string): number | undefined {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const ports = [...(spec?.containers ?? []), ...sidecars].flatMap((container) => container.ports ?? []);
  return ports.find((it) => it.name === name && (it.protocol ?? "TCP") === protocol)?.containerPort;
}

export const isHeadless = ({ spec }: Service): boolean => spec?.clusterIP === "None" || (spec?.clusterIP ?? "") === "";

/** The name of a pod in the DNS of a Service, where it has one. */
export function hostnameOf({ spec }: Pod, service: Service): { readonly hostname?: string } {
  const { hostname, subdomain } = spec ?? {};
  return hostname !== undefined && hostname !== "" && subdomain === nameOf(service) ? { hostname } : {};
}

export const referenceTo = (pod: Pod) => ({
  kind: "Pod",
  namespace: pod.metadata?.namespace ?? "",
  name: nameOf(pod),
  uid: uidOf(pod),
});

/** Since when a pod is in its condition, ready or not: what made others take notice of it. */
export const turnedAt = (pod: Pod): string | undefined => conditionOf(pod, "Ready")?.lastTransitionTime;

/** Whether a Service has to look at a pod again. What cannot change in a pod is left out. */
export function concerns(old: Pod, next: Pod): boolean {
  return (
    isTerminating(old) !== isTerminating(next) ||
    isFinished(old) !== isFinished(next) ||
    isReady(old) !== isReady(next) ||
    old.spec?.nodeName !== next.spec?.nodeName ||
    old.status?.podIP !== next.status?.podIP ||
    !deepEqual(old.status?.podIPs, next.status?.podIPs)
  );
}
