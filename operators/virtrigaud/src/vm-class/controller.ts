// The controller of VMClasses: what it watches, and its steps in a row. It does nothing but look, and keeps a class that is in use.

import {
  type Controller,
  controller,
  done,
  type Finalized,
  type Hands,
  type MapLook,
  waiting,
} from "@telltale/runtime";
import { text } from "@telltale/status";
import { classKeyOf, vmsByClass } from "../indexes.ts";
import { Provider, VirtualMachine, VMClass } from "../kinds/index.ts";
import { annotations, fieldManager } from "../names.ts";
import { answering } from "../reachable.ts";
import type { Crossing } from "../references.ts";
import { byType, observe, usedBy } from "./observe.ts";
import { type ClassDraft, status } from "./status.ts";
import type { World } from "./world.ts";

export interface VMClassOptions {
  readonly crossing: Crossing;
  readonly workers: number;
}

/** Machines come by the hundred: a class is counted once for all that came within a second. */
const spacing = 1_000;

export function vmClasses({ crossing, workers }: VMClassOptions): Controller {
  return controller(VMClass, "vmclass")
    .on("generation", "deletion", "labels", "annotations", "finalizers", "status")
    .gate((vmClass, look) => {
      const { annotations: notes, deletionTimestamp } = vmClass.metadata;
      if (notes?.[annotations.paused] !== "true" || deletionTimestamp !== undefined) return "go";
      return { only: (it, draft, now) => status(observe(it, look, crossing), draft, now) };
    })
    .watches(VirtualMachine, ({ old, new: next }) => [old, next].flatMap(classesOf), {
      changed: (a, b) => classKeyOf(a) !== classKeyOf(b),
    })
    .index(VirtualMachine, vmsByClass.name, vmsByClass.values)
    .watches(Provider, ({ old, new: next }, look) => (isNews(old, next, look) ? everyClass(look) : []), {
      changed: (a, b) => a.spec.type !== b.spec.type || answering(a) !== answering(b),
    })
    .index(Provider, byType, ({ spec }) => [spec.type])
    .finalize((vmClass, hands, draft) => finalize(vmClass, hands, draft, crossing))
    .events("none")
    .status({ as: "patch", fieldManager })
    .workers(workers)
    .spacing(spacing)
    .backoff({ first: 1_000, longest: 300_000, jitter: 0.1 })
    .resync(36_000_000)
    .reconcile<World>({ observe: (vmClass, look) => observe(vmClass, look, crossing), status });
}

function classesOf(vm: VirtualMachine | undefined) {
  if (vm === undefined) return [];
  const [namespace = "", name = ""] = classKeyOf(vm).split("/");
  return [{ namespace, name }];
}

/** Whether a provider began to answer or ceased to, the first one of a type came, or the last one went. */
function isNews(old: Provider | undefined, next: Provider | undefined, look: MapLook): boolean {
  const count = (type: string) => look.where(Provider, byType, type).length;
  const answers = (it: Provider | undefined) => it !== undefined && answering(it) === "yes";
  if (answers(old) !== answers(next)) return true;
  return (next !== undefined && count(next.spec.type) === 1) || (old !== undefined && count(old.spec.type) === 0);
}

const everyClass = (look: MapLook) =>
  look.list(VMClass).map(({ metadata: { namespace = "", name = "" } }) => ({ namespace, name }));

async function finalize(
  vmClass: VMClass,
  hands: Hands<typeof VMClass>,
  draft: ClassDraft,
  crossing: Crossing,
): Promise<Finalized> {
  const used = usedBy(vmClass, hands, crossing);
  if (used === 0) return done;
  if (vmClass.metadata.annotations?.[annotations.forceDelete] === "true") {
    hands.event("Warning", "ForceDeleted", `deleted while ${used} VirtualMachines use it`);
    return done;
  }
  draft.set({ usedByVMs: used });
  draft.condition("Ready", false, "InUse", text`${used} VirtualMachines still use this class`);
  return waiting(60_000);
}
