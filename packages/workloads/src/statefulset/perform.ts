// Does what a StatefulSet has planned, and says so in Events.
import type { JsonPatchOperation } from "@telltale/client";
import { PersistentVolumeClaim, Pod, type StatefulSet } from "@telltale/kinds/builtin";
import type { Hands } from "@telltale/runtime";
import { isEndingError } from "../objects/ending.ts";
import { type Batched, slowStart } from "../pods/batch.ts";
import { nameOf } from "../pods/facts.ts";
import { wordsOf } from "../pods/words.ts";
import { type Action, conflictsOf, type Handover, type Plan, type View } from "./plan.ts";
import { identityOf, knowsItself } from "./pod.ts";

/** Says what went wrong; undefined where nothing did. */
export async function perform({ order, steps }: Plan, hands: Hands, view: View): Promise<string | undefined> {
  const inOrder = order === "in turn" ? inTurn : slowStart;
  for (const actions of steps) {
    const { error } = await inOrder(actions.length, async (i) => {
      const action = actions[i];
      if (action !== undefined) await performOne(action, hands, view);
    });
    if (error === undefined) continue;
    const failure = wordsOf(error);
    hands.log.warn("a member could not be put right", { err: error });
    return failure;
  }
  return undefined;
}

async function inTurn(count: number, run: (index: number) => Promise<void>): Promise<Batched> {
  for (let done = 0; done < count; done += 1) {
    try {
      await run(done);
    } catch (error) {
      return { done, error };
    }
  }
  return { done: count };
}

function performOne(action: Action, hands: Hands, view: View): Promise<void> {
  const { set } = view;
  switch (action.do) {
    case "create":
      return told("Create", action.pod, hands, set, () => create(action, hands, view));
    case "remove":
      return told("Delete", action.pod, hands, set, async () => {
        await hands.remove(Pod, action.pod, "Background");
        return "done";
      });
    case "furnish":
      return furnish(action, hands, set);
    case "correct":
      return told("Update", action.pod, hands, set, async () => {
        if (!knowsItself(action.pod))
          await hands.patch(Pod, action.pod, labelled(action.pod, identityOf(set, action.ordinal)));
        await handOver(action, hands, view);
        return "done";
      });
    case "hand":
      return handOver(action, hands, view);
  }
}

type Verb = "Create" | "Update" | "Delete";

/** `nothing`: there was nothing to do, and nothing is to be said. */
async function told(
  verb: Verb,
  pod: Pod,
  hands: Hands,
  set: StatefulSet,
  run: () => Promise<"done" | "nothing">,
): Promise<void> {
  const what = `${verb} Pod ${nameOf(pod)} in StatefulSet ${nameOf(set)}`;
  try {
    if ((await run()) === "done") hands.event("Normal", `Successful${verb}`, `${what} successful`);
  } catch (error) {
    if (!(error instanceof NameTaken || isEndingError(error)))
      hands.event("Warning", `Failed${verb}`, `${what} failed error: ${wordsOf(error)}`);
    throw error;
  }
}

/** A pod that is not ours has the name. Kubernetes says nothing of it: the pod may be one that was just let go. */
class NameTaken extends Error {}

async function create(
  { pod, claims }: Extract<Action, { do: "create" }>,
  hands: Hands,
  view: View,
): Promise<"done" | "nothing"> {
  await furnish({ pod, claims }, hands, view.set);
  const { as } = await hands.ensure(Pod, pod, { mode: "createOnly" });
  if (as === "foreign")
    throw new NameTaken(`Pod ${nameOf(pod)} is there, and not the StatefulSet's: remove or rename it`);
  for (const claim of conflictsOf(view, pod)) tellConflict(claim, hands);
  return as === "created" ? "done" : "nothing";
}

/** The claims come before the pod. All are tried, so that all that is wrong is said at once. */
async function furnish(
  { pod, claims }: Pick<Extract<Action, { do: "furnish" }>, "pod" | "claims">,
  hands: Hands,
  set: StatefulSet,
): Promise<void> {
  const wrong: string[] = [];
  for (const claim of claims) {
    const name = nameOf(claim);
    try {
      const { as } = await hands.ensure(PersistentVolumeClaim, claim, { mode: "createOnly", owner: "none" });
      const what = `Create Claim ${name} Pod ${nameOf(pod)} in StatefulSet ${nameOf(set)} success`;
      if (as === "created") hands.event("Normal", "SuccessfulCreate", what);
      if (as === "terminating") wrong.push(`pvc ${name} is being deleted`);
    } catch (error) {
      const words = wordsOf(error);
      const what = `Create Claim ${name} for Pod ${nameOf(pod)} in StatefulSet ${nameOf(set)}`;
      hands.event("Warning", "FailedCreate", `${what} failed error: ${words}`);
      wrong.push(`failed to create PVC ${name}: ${words}`);
    }
  }
  if (wrong.length > 0) throw new Error(wrong.length === 1 ? wrong[0] : `[${wrong.join(", ")}]`);
}

async function handOver(
  { pod, claims }: { readonly pod: Pod; readonly claims: readonly Handover[] },
  hands: Hands,
  view: View,
): Promise<void> {
  for (const { claim, to } of claims) {
    if (conflictsOf(view, pod).includes(claim)) tellConflict(claim, hands);
    const path = "/metadata/ownerReferences";
    const operations: JsonPatchOperation[] = [
      { op: "test", path, value: claim.metadata?.ownerReferences ?? null },
      to.length === 0 ? { op: "remove", path } : { op: "add", path, value: to },
    ];
    await hands.patch(PersistentVolumeClaim, claim, operations);
  }
}

function tellConflict(claim: PersistentVolumeClaim, hands: Hands): void {
  const what = "has a conflicting OwnerReference that acts as a manging controller";
  const message = `PersistentVolumeClaim ${nameOf(claim)} ${what}, the retention policy is ignored for this claim`;
  hands.event("Warning", "ConflictingController", message);
}

function labelled({ metadata }: Pod, labels: Readonly<Record<string, string>>): JsonPatchOperation[] {
  const before = metadata?.labels;
  return [
    { op: "test", path: "/metadata/labels", value: before ?? null },
    { op: "add", path: "/metadata/labels", value: { ...before, ...labels } },
  ];
}
