// PodDisruptionBudgets: how many of the pods that they select may be evicted. `status.ts` counts.
import { formatSelector, type KubeObject } from "@telltale/kinds";
import { Deployment, type Pod, PodDisruptionBudget, ReplicaSet, StatefulSet } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands, type Look, type MapLook, type Name } from "@telltale/runtime";
import { change } from "../objects/change.ts";
import { type ReadScale, scaleReader } from "../objects/scale.ts";
import { controllerOf, isReady, isTerminating } from "../pods/facts.ts";
import { selectedPods, selecting, whoSelects } from "../pods/selected.ts";
import { expectedOf } from "./expected.ts";
import { nextLook, type Status, statusOf, type World } from "./status.ts";

export function budgets(): Controller {
  const readScale = scaleReader();
  const declared = controller(PodDisruptionBudget, "disruption-controller")
    .watches(Deployment, ({ old, new: next }, look) => overseen([old, next], look), { changed: rescaled })
    .watches(ReplicaSet, ({ old, new: next }, look) => overseen([old, next], look), { changed: rescaled })
    .watches(StatefulSet, ({ old, new: next }, look) => overseen([old, next], look), { changed: rescaled })
    .writes(PodDisruptionBudget, "patch status");
  return selecting(declared, PodDisruptionBudget, selectorOf, concerns).reconcile<World, Status>({
    observe: (budget, look) => observe(budget, look, readScale),
    plan: statusOf,
    act,
    status(world, _budget, now) {
      const wakeAt = nextLook(world, now);
      return { status: undefined, ...(wakeAt === undefined ? {} : { wakeAt }) };
    },
  });
}

const selectorOf = ({ spec }: PodDisruptionBudget) => spec?.selector;

function concerns(old: Pod, next: Pod): boolean {
  return (
    isReady(old) !== isReady(next) ||
    isTerminating(old) !== isTerminating(next) ||
    controllerOf(old)?.uid !== controllerOf(next)?.uid
  );
}

type Scaled = Deployment | ReplicaSet | StatefulSet;

const rescaled = (old: Scaled, next: Scaled): boolean =>
  old.spec?.replicas !== next.spec?.replicas || controllerOf(old)?.uid !== controllerOf(next)?.uid;

/** The budgets over the pods that a controller makes. */
function* overseen(scaled: readonly (Scaled | undefined)[], look: MapLook): Iterable<Name> {
  for (const it of scaled) {
    const labels = it?.spec?.template?.metadata?.labels;
    const namespace = it?.metadata?.namespace;
    if (labels === undefined || namespace === undefined) continue;
    const pod: KubeObject = { metadata: { namespace, labels } };
    yield* whoSelects(PodDisruptionBudget, selectorOf, pod, look);
  }
}

async function observe(budget: PodDisruptionBudget, look: Look, readScale: ReadScale): Promise<World> {
  const selector = selectorOf(budget);
  const pods = selector === undefined ? [] : selectedPods(look, budget.metadata?.namespace ?? "", selector);
  return { budget, pods, expected: await expectedOf(budget, pods, look, readScale) };
}

/**
 * Written only over the very state that was read: the server counts evictions down in the same status, and none may be
 * forgotten.
 */
async function act(status: Status, hands: Hands<typeof PodDisruptionBudget>, world: World): Promise<World> {
  const { budget, pods, expected } = world;
  if (pods.length === 0) hands.event("Normal", "NoPods", "No matching pods found");
  if (expected.is === "unknown") {
    const message = `Failed to calculate the number of expected pods: ${expected.why}`;
    hands.event("Warning", "CalculateExpectedPodCountFailed", message);
  } else if (expected.unmanaged.length > 0) {
    const selector = formatSelector(selectorOf(budget) ?? {});
    hands.event("Warning", "UnmanagedPods", unmanaged(selector));
  }
  const operations = change(budget, { "/status": status });
  if (operations.length > 0) await hands.patchStatus(PodDisruptionBudget, budget, operations);
  return world;
}

const unmanaged = (selector: string): string =>
  `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
