// What is told of an instance as Kubernetes Events (appendix C). Pure.
import { flipsOf, type Told } from "../announce.ts";
import type { Bind9InstanceStatus } from "../kinds/index.ts";
import { REASON_MINIMUM_REPLICAS_AVAILABLE } from "../reasons.ts";
import type { World } from "./world.ts";

export function eventsOf(
  { deployment, made }: World,
  before: Bind9InstanceStatus,
  after: Bind9InstanceStatus,
): readonly Told[] {
  const told: Told[] = [...flipsOf(before, after)];
  const { readyReplicas = 0, replicas = 0 } = after;
  const isAvailable = deployment?.status?.conditions?.some((it) => it.type === "Available" && it.status === "True");
  if ((before.readyReplicas ?? 0) === 0 && readyReplicas > 0 && readyReplicas < replicas && isAvailable === true) {
    const message = `${readyReplicas}/${replicas} pods are ready, enough to serve`;
    told.push({ type: "Normal", reason: REASON_MINIMUM_REPLICAS_AVAILABLE, message });
  }
  if (made.isRotated === true) {
    told.push({
      type: "Normal",
      reason: "KeyRotated",
      message: "The key was replaced; pods follow one after the other",
    });
  }
  if (made.waitsFor !== undefined) {
    const message = `The change waits: Bind9Instance ${made.waitsFor} is not known to be ready`;
    told.push({ type: "Normal", reason: "RolloutWaiting", message });
  }
  for (const taken of made.taken) {
    told.push({ type: "Warning", reason: "NameConflict", message: `${taken} belongs to somebody else` });
  }
  return told;
}
