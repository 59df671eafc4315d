// The account of the pods of a namespace is everybody's, and has no owner with whom it would go (8.4, step 5). The last instance takes
// it along; one that was asked for before and came after that is taken away here.
import { type Instant, type Ms, parseTime, plus } from "@telltale/kinds";
import { ServiceAccount } from "@telltale/kinds/builtin";
import { type Controller, controller, type Name } from "@telltale/runtime";
import { Bind9Instance } from "../kinds/index.ts";
import { podServiceAccount, serviceAccountLabels } from "../names.ts";

/** Somebody may bring an account first, and then the instances. */
const grace: Ms = 60_000;

interface World {
  readonly account: ServiceAccount;
  readonly isNeeded: boolean;
}

export function accounts(): Controller {
  return controller(ServiceAccount, "serviceaccount")
    .select({ field: `metadata.name=${podServiceAccount}` })
    .gate((account) => (isOurs(account) ? "go" : "ignore"))
    .watches(Bind9Instance, ({ old, new: next }) => (next === undefined ? besides(old) : []), { changed: () => false })
    .writes(ServiceAccount, "delete")
    .events("none")
    .workers(1)
    .backoff({ first: 1_000, longest: 30_000, jitter: 0.1 })
    .reconcile<World>({
      observe: (account, look) => ({ account, isNeeded: look.list(Bind9Instance, placeOf(account)).length > 0 }),
      async act(_none, hands, world) {
        const { account, isNeeded } = world;
        if (!isNeeded && endOfGrace(account, hands.now) <= hands.now)
          await hands.remove(ServiceAccount, account, "Background");
        return world;
      },
      status: ({ account, isNeeded }, _it, now) => ({
        status: undefined,
        ...(isNeeded ? {} : { wakeAt: endOfGrace(account, now) }),
      }),
    });
}

/** One that a person has made is that person's. */
const isOurs = ({ metadata }: ServiceAccount): boolean =>
  Object.entries(serviceAccountLabels).every(([name, value]) => metadata?.labels?.[name] === value);

const placeOf = ({ metadata }: ServiceAccount) => ({ namespace: metadata?.namespace ?? "" });

const endOfGrace = ({ metadata }: ServiceAccount, now: Instant): Instant =>
  plus(parseTime(metadata?.creationTimestamp) ?? now, grace);

function* besides(instance: Bind9Instance | undefined): Iterable<Name> {
  if (instance !== undefined) yield { namespace: instance.metadata.namespace ?? "", name: podServiceAccount };
}
