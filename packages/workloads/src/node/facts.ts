// What can be seen of a node. Pure.
import type { Node } from "@telltale/kinds/builtin";

export type NodeCondition = NonNullable<NonNullable<Node["status"]>["conditions"]>[number];

/** On a node of ours: nobody hears of it while this is `true`, and it does nothing for its pods. */
export const offlineAnnotation = "sim.telltale.dev/offline";

export const isOffline = ({ metadata }: Node): boolean => metadata?.annotations?.[offlineAnnotation] === "true";

export function addressOf({ status }: Node): string | undefined {
  return status?.addresses?.find(({ type }) => type === "InternalIP")?.address;
}

export function conditionOf({ status }: Node, type: string): NodeCondition | undefined {
  return status?.conditions?.find((it) => it.type === type);
}

export const isReadyNode = (node: Node): boolean => conditionOf(node, "Ready")?.status === "True";
