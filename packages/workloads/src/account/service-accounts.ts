// The ServiceAccount `default` of every namespace: pods that name no account run as it.
import { Namespace, ServiceAccount } from "@telltale/kinds/builtin";
import { type Controller, controller } from "@telltale/runtime";
import { isEnding, unlessEnding } from "../objects/ending.ts";
import { nameOf } from "../pods/facts.ts";

const name = "default";

interface World {
  readonly namespace: string;
  readonly account: ServiceAccount | undefined;
}

export function serviceAccounts(): Controller {
  return controller(Namespace, "serviceaccount-controller")
    .watches(ServiceAccount, ({ old, new: next }) => (next === undefined ? [placeOf(old)] : []), {
      field: `metadata.name=${name}`,
    })
    .writes(ServiceAccount, "create")
    .gate((namespace) => (isEnding(namespace) ? "ignore" : "go"))
    .reconcile<World>({
      observe: (it, look) => ({
        namespace: nameOf(it),
        account: look.get(ServiceAccount, { namespace: nameOf(it), name }),
      }),
      async act(_plan, hands, { namespace, account }) {
        if (account !== undefined) return;
        const made = { metadata: { namespace, name } };
        await unlessEnding(() => hands.ensure(ServiceAccount, made, { mode: "createOnly", owner: "none" }));
      },
      status: () => ({ status: undefined }),
    });
}

const placeOf = (account: ServiceAccount | undefined) => ({ name: account?.metadata?.namespace ?? "" });
