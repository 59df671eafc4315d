// The class of claims that name none: made when work begins if it is not there, and left alone from then on. Whoever deletes it
// has no default until the next start.
import { Namespace, StorageClass } from "@telltale/kinds/builtin";
import { type Controller, controller } from "@telltale/runtime";
import { birthOf, nameOf } from "../pods/facts.ts";

/** Who makes volumes of the class: we do. */
export const provisioner = "telltale.dev/local";
const isDefault = "storageclass.kubernetes.io/is-default-class";
/** A namespace that is always there: a class belongs to none, and a pass is about something. */
const home = "kube-system";

export const standardClass: StorageClass = {
  metadata: { name: "standard", annotations: { [isDefault]: "true" } },
  provisioner,
  reclaimPolicy: "Delete",
  volumeBindingMode: "Immediate",
  allowVolumeExpansion: true,
};

export function standardClasses(): Controller {
  return controller(Namespace, "storageclass-publisher")
    .on("deletion")
    .reads(StorageClass)
    .writes(StorageClass, "create")
    .gate((namespace) => (nameOf(namespace) === home ? "go" : "ignore"))
    .reconcile({
      observe: () => undefined,
      async act(_plan, hands) {
        await hands.ensure(StorageClass, standardClass, { mode: "createOnly", owner: "none" });
      },
      status: () => ({ status: undefined }),
    });
}

/** Of several the youngest counts. */
export function defaultClass(classes: readonly StorageClass[]): StorageClass | undefined {
  const marked = classes.filter(({ metadata }) => metadata?.annotations?.[isDefault] === "true");
  return marked.toSorted((a, b) => birthOf(b) - birthOf(a) || (nameOf(a) < nameOf(b) ? -1 : 1))[0];
}
