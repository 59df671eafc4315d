// What the kubelet is told of a pod after each step. Pure.
import type { Instant } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import type { ContainerReport, PodEvent, PodReport } from "../kubelet/pod-runtime.ts";
import { report, type View } from "./container.ts";
import { hostAddress, type Network } from "./network.ts";
import type { Refusal } from "./refusal.ts";
import type { Part } from "./sequence.ts";
import type { Slot } from "./slot.ts";
import { type Member, membersOf, podText } from "./spec.ts";

/** Where each containerPort can be reached, as JSON: `{"80":"127.9.8.7:80"}`. */
export const portsAnnotation = "telltale.dev/ports";

export type Findings = {
  readonly pod: Pod;
  readonly events: readonly PodEvent[];
  readonly ended?: PodReport["ended"];
  readonly wakeAt?: Instant;
} & (
  | { readonly refusal: Refusal } // the pod as a whole cannot be run
  | {
      readonly ground: { readonly slots: ReadonlyMap<string, Slot>; readonly network: Network };
      readonly parts: readonly Part[];
    }
);

export function podReport(findings: Findings): PodReport {
  const { pod, events, ended, wakeAt } = findings;
  const members = membersOf(pod);
  const all = members.map((member) => ({ member, report: containerReport(findings, member) }));
  const of = (isMain: boolean) =>
    all.filter(({ member }) => (member.role === "main") === isMain).map((it) => it.report);
  const network = "ground" in findings ? findings.ground.network : undefined;
  return {
    hostIP: hostAddress,
    initContainers: of(false),
    containers: of(true),
    ...(network === undefined ? {} : { podIP: network.ip, ...annotated(network) }),
    ...(events.length === 0 ? {} : { events }),
    ...(ended === undefined ? {} : { ended }),
    ...(wakeAt === undefined ? {} : { wakeAt }),
  };
}

function containerReport(findings: Findings, member: Member): ContainerReport {
  const { pod } = findings;
  const { name } = member.container;
  const none = { name, restartCount: 0, isReady: false, isStarted: false };
  if ("refusal" in findings) {
    const { reason, message } = findings.refusal;
    return { ...none, state: { is: "waiting", reason, message } };
  }
  const reason = (pod.spec?.initContainers ?? []).length > 0 ? "PodInitializing" : "ContainerCreating";
  const slot = findings.ground.slots.get(name);
  const part = findings.parts.find((it) => it.name === name);
  if (slot === undefined || part === undefined) return { ...none, state: { is: "waiting", reason } };
  const { refusal, instance, standing } = slot;
  const view: View = {
    waiting: refusal === undefined ? { reason } : { reason: refusal.reason, message: refusal.message },
    next: part.next,
    pod: podText(pod),
    isSettled: instance?.isSettled === true,
    isStarted: instance?.isStarted === true,
    isReady: instance?.isReady === true && member.role !== "init",
    containerID: slot.containerID(standing.restarts),
  };
  return report(member, standing, view);
}

function annotated({ ip, ports }: Network): Pick<PodReport, "annotations"> {
  if (ports.size === 0) return {};
  const places = [...ports].map(([containerPort, port]) => [containerPort, `${ip}:${port}`]);
  return { annotations: { [portsAnnotation]: JSON.stringify(Object.fromEntries(places)) } };
}
