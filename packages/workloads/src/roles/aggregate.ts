// ClusterRoles that are the sum of others, which they select by labels: the sum is written into them. The embedded server
// sums up by itself when it authorizes; this is for whoever reads the role.
import { deepEqual, matchesSelector } from "@telltale/kinds";
import { ClusterRole } from "@telltale/kinds/builtin";
import { type Controller, controller, type MapLook, type Name } from "@telltale/runtime";
import { change } from "../objects/change.ts";
import { isTerminating, nameOf, uidOf } from "../pods/facts.ts";

type Rule = NonNullable<ClusterRole["rules"]>[number];

interface World {
  readonly role: ClusterRole;
  /** By name. */
  readonly others: readonly ClusterRole[];
}

/** Roles that are sums. */
const sums = "sum";

export function aggregatedRoles(): Controller {
  return controller(ClusterRole, "clusterrole-aggregation-controller")
    .index(ClusterRole, sums, ({ aggregationRule }) => (aggregationRule === undefined ? [] : [sums]))
    .watches(ClusterRole, ({ old, new: next }, look) => concernedBy([old, next], look))
    .writes(ClusterRole, "patch")
    .gate((role) => (role.aggregationRule === undefined ? "ignore" : "go"))
    .reconcile<World, readonly Rule[]>({
      observe: (role, look) => ({ role, others: look.list(ClusterRole) }),
      plan: sumOf,
      async act(rules, hands, world) {
        const operations = change(world.role, { "/rules": rules });
        if (operations.length > 0) await hands.patch(ClusterRole, world.role, operations);
        return world;
      },
      status: () => ({ status: undefined }),
    });
}

function* concernedBy(roles: readonly (ClusterRole | undefined)[], look: MapLook): Iterable<Name> {
  for (const sum of look.where(ClusterRole, sums, sums)) {
    if (roles.some((role) => role !== undefined && selects(sum, role))) yield { name: nameOf(sum) };
  }
}

const selects = ({ aggregationRule }: ClusterRole, role: ClusterRole): boolean =>
  (aggregationRule?.clusterRoleSelectors ?? []).some((selector) => matchesSelector(selector, role.metadata?.labels));

/** Selector by selector, role by role; a rule that is there already is not repeated. */
export function sumOf({ role, others }: World): readonly Rule[] {
  const rules: Rule[] = [];
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    for (const other of others) {
      const isPart = uidOf(other) !== uidOf(role) && !isTerminating(other);
      if (!isPart || !matchesSelector(selector, other.metadata?.labels)) continue;
      for (const rule of other.rules ?? []) if (!rules.some((it) => deepEqual(it, rule))) rules.push(rule);
    }
  }
  return rules;
}
