// Reads what a pass has to know of one Bind9Cluster.
import type { Look } from "@telltale/runtime";
import { childView } from "../aggregate/child-view.ts";
import type { Config } from "../config.ts";
import type { Grace } from "../grace.ts";
import { type Bind9Cluster, Bind9Instance } from "../kinds/index.ts";
import { checkCluster } from "../validate/index.ts";
import { wantedOf } from "./plan.ts";
import type { World } from "./world.ts";

export interface Senses {
  readonly config: Config;
  readonly grace: Grace;
}

/** Instances by the cluster that they name. */
export const byCluster = "cluster";

export function observe(it: Bind9Cluster, look: Look, { config, grace }: Senses): World {
  const { name = "", namespace = "", uid = "" } = it.metadata;
  const checked = checkCluster(it, config);
  const wanted = checked.at === "valid" ? wantedOf(name, checked.spec) : [];
  const names = new Set(wanted.map((one) => one.name));
  const own = look.children(Bind9Instance);
  const naming = look.where(Bind9Instance, byCluster, `${namespace}/${name}`);
  const all = [...new Map([...own, ...naming].map((one) => [one.metadata.uid, one])).values()];
  const isManaged = (one: Bind9Instance) =>
    one.metadata.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid) ?? false;
  const taken = [...names].filter((one) => {
    const found = look.get(Bind9Instance, { namespace, name: one });
    return found !== undefined && !isManaged(found);
  });
  const children = all.filter((one) => !taken.includes(one.metadata.name ?? ""));
  const { freshness, wakeAt } = grace.of(uid, children, look.now);
  return {
    it,
    checked,
    children: children.map((instance) => ({
      instance,
      view: childView(instance, freshness(instance), instance.spec.replicas ?? 1),
      isManaged: isManaged(instance),
    })),
    taken,
    ...(wakeAt === undefined ? {} : { graceEnds: wakeAt }),
    made: { hasActed: false },
  };
}
