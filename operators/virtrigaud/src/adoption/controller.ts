// The controller that makes objects of machines which exist already: by an annotation of their Provider (3.11).

import type { Clock } from "@telltale/clock";
import { Secret } from "@telltale/kinds/builtin";
import { type Controller, controller, pausedBy } from "@telltale/runtime";
import type { Answer } from "../contract/contract.ts";
import { vmsByProvider } from "../indexes.ts";
import { Provider, VirtualMachine, VMClass, VMClone } from "../kinds/index.ts";
import type { KnownSecrets } from "../known-secrets.ts";
import type { Links } from "../link/links.ts";
import { annotations, fieldManager } from "../names.ts";
import { act } from "./act.ts";
import { isAdopting, observe } from "./observe.ts";
import { status } from "./status.ts";
import type { Outcome, World } from "./world.ts";

interface AdoptionTools {
  readonly links: Links;
  readonly tls: KnownSecrets;
  readonly clock: Clock;
}

export function adoption({ links, tls, clock }: AdoptionTools): Controller {
  const worked = new WeakMap<Answer<"listVMs">, Outcome>();
  return (
    controller(Provider, "adoption")
      .on("generation", "annotations", "deletion")
      .gate(pausedBy(annotations.paused, { value: "true" }))
      .gate((it) => {
        if (!isAdopting(it) && it.status?.adoption === undefined) return "ignore";
        // Its own controller speaks first.
        return it.status?.conditions === undefined ? { again: 5_000 } : "go";
      })
      .gets(Secret)
      .reads(VirtualMachine, VMClass, VMClone)
      .index(VirtualMachine, vmsByProvider.name, vmsByProvider.values)
      .writes(VMClass, "create")
      .writes(VirtualMachine, "create", "patch status")
      .events("none")
      // A discovery is told at once: until it is, it counts as not made.
      .status({ as: "patch", fieldManager, spacing: { detail: 0, volatile: 0 } })
      .workers(1)
      .backoff({ first: 1_000, longest: 300_000, jitter: 0.1 })
      .reconcile<World>({
        observe: (it, look) => observe(it, look, tls),
        act: (_actions, hands, world) => act(world, hands, { links, clock, worked }),
        status,
      })
  );
}
