// All built-in kinds that the server serves, by group and resource, and by group, version and kind.
import type { KindRef } from "@telltale/kinds";
import { appsStrategies } from "./apps.ts";
import { autoscalingStrategies } from "./autoscaling.ts";
import { batchStrategies } from "./batch.ts";
import { coreStrategies } from "./core.ts";
import { eventStrategy } from "./events.ts";
import { networkingStrategies } from "./networking.ts";
import { otherStrategies } from "./other.ts";
import { plainStrategies } from "./plain.ts";
import { rbacStrategies } from "./rbac.ts";
import { storageStrategies } from "./storage.ts";
import type { Strategy } from "./strategy.ts";
import { admissionStrategies } from "./webhooks.ts";

/** Every strategy; a resource that is served in two versions is here twice, the preferred version first. */
export const allStrategies: readonly Strategy[] = [
  ...coreStrategies,
  ...storageStrategies,
  ...appsStrategies,
  eventStrategy,
  ...autoscalingStrategies,
  ...batchStrategies,
  ...networkingStrategies,
  ...rbacStrategies,
  ...admissionStrategies,
  ...otherStrategies,
  ...plainStrategies,
];

/** `apps/deployments`, `/pods`: the preferred version of each resource. */
export const builtinStrategies: ReadonlyMap<string, Strategy> = new Map(
  [...allStrategies].reverse().map((one) => [`${one.kind.group}/${one.kind.plural}`, one]),
);

const byKind: ReadonlyMap<string, Strategy> = new Map(allStrategies.map((one) => [kindKey(one.kind), one]));

function kindKey(kind: Pick<KindRef, "group" | "version" | "kind">): string {
  return `${kind.group}/${kind.version}/${kind.kind}`;
}

/** The strategy of a kind in one version, or undefined when the server does not serve it. */
export function strategyOf(kind: Pick<KindRef, "group" | "version" | "kind">): Strategy | undefined {
  return byKind.get(kindKey(kind));
}
