// Claims that live and die with one pod: made from the template in the pod's own volume.
import { PersistentVolumeClaim, Pod } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands } from "@telltale/runtime";
import { unlessEnding } from "../objects/ending.ts";
import { isTerminating, nameOf } from "../pods/facts.ts";

export function ephemeralClaims(): Controller {
  return controller(Pod, "ephemeral-volume-controller")
    .on("deletion") // the volumes of a pod never change: to see it once is enough
    .owns(PersistentVolumeClaim, { verbs: ["create"] })
    .gate((pod) => (isTerminating(pod) || claimsOf(pod).length === 0 ? "ignore" : "go"))
    .reconcile<Pod>({
      observe: (pod) => pod,
      async act(_plan, hands, pod) {
        for (const claim of claimsOf(pod)) await unlessEnding(() => make(claim, pod, hands));
        return pod;
      },
      status: () => ({ status: undefined }),
    });
}

async function make(claim: PersistentVolumeClaim, pod: Pod, hands: Hands<typeof Pod>): Promise<void> {
  const { as } = await hands.ensure(PersistentVolumeClaim, claim, { mode: "createOnly" });
  if (as !== "foreign") return;
  const namespace = pod.metadata?.namespace ?? "";
  const message = `PVC ${namespace}/${nameOf(claim)} was not created for pod ${namespace}/${nameOf(pod)} (pod is not owner)`;
  hands.event("Warning", "FailedMount", message);
}

export function claimsOf(pod: Pod): readonly PersistentVolumeClaim[] {
  return (pod.spec?.volumes ?? []).flatMap(({ name, ephemeral }): PersistentVolumeClaim[] => {
    const template = ephemeral?.volumeClaimTemplate;
    if (template === undefined) return [];
    const { labels, annotations } = template.metadata ?? {};
    return [
      {
        metadata: {
          name: `${nameOf(pod)}-${name}`,
          ...(labels === undefined ? {} : { labels }),
          ...(annotations === undefined ? {} : { annotations }),
        },
        spec: template.spec,
      },
    ];
  });
}
