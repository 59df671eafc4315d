// Makes sure that the present template has its ControllerRevision, which is then the newest (3.4).
import type { KubeObject } from "@telltale/kinds";
import { ControllerRevision } from "@telltale/kinds/builtin";
import type { Hands } from "@telltale/runtime";
import { type Draft, Failed, findCondition, text } from "@telltale/status";
import { VMSet } from "../kinds/index.ts";
import { labels } from "../names.ts";
import { choose, dataOf, type Hash, hashOf, tells } from "./revisions.ts";
import type { World } from "./world.ts";

export type SetHands = Hands<typeof VMSet>;

/** So many names taken by others is no accident. */
const mostCollisions = 20;

export async function revise(
  { set, revisions, told }: World,
  hands: SetHands,
  hash: Hash,
): Promise<ControllerRevision> {
  const { template } = set.spec;
  const choice = choose(revisions, template);
  if (choice.is === "newest") return choice.revision;
  if (choice.is === "older") {
    return hands.patch(ControllerRevision, choice.revision, [
      { op: "test", path: "/revision", value: choice.revision.revision },
      { op: "replace", path: "/revision", value: choice.to },
    ]);
  }
  let { collisions } = told;
  for (let tried = 0; tried < mostCollisions; tried += 1) {
    const wanted = named(set, hashOf(template, collisions, hash), choice.number);
    const { as, live } = await hands.ensure(ControllerRevision, wanted, { mode: "createOnly" });
    // Ours, and not seen before: an earlier pass made it, and heard no answer.
    if (as === "created" || (as === "unchanged" && tells(live, template))) return live;
    if (as === "foreign" && tells(live, template) && isLeft(live, set)) return take(live, set, choice.number, hands);
    collisions = (collisions ?? 0) + 1;
    const next = collisions;
    await hands.checkpoint("collision", (draft) => {
      meanwhile(set, draft).set({ collisionCount: next });
      draft
        .condition("Progressing", true, "UpdatingReplicas", taken)
        .condition("Ready", false, "UpdatingReplicas", taken);
    });
  }
  const message = text`${mostCollisions} names for the ControllerRevision of the template are taken`;
  throw new Failed({ class: "transient", reason: "ReconcileFailed", message });
}

const taken = text`somebody else has the name of the template's revision: another one is tried`;

/** A set of the same name that is gone has left it behind: it has its label, and nobody has it. */
const isLeft = ({ metadata }: ControllerRevision, set: VMSet): boolean =>
  metadata?.labels?.[labels.vmSet] === set.metadata.name &&
  metadata?.ownerReferences?.some(({ controller }) => controller === true) !== true;

function take(live: ControllerRevision, set: VMSet, number: number, hands: SetHands): Promise<ControllerRevision> {
  const { ownerReferences } = live.metadata ?? {};
  return hands.patch(ControllerRevision, live, [
    { op: "test", path: "/metadata/ownerReferences", value: ownerReferences ?? null },
    { op: "add", path: "/metadata/ownerReferences", value: [...(ownerReferences ?? []), referenceTo(set)] },
    { op: "replace", path: "/revision", value: number },
  ]);
}

export const referenceTo = ({ metadata }: VMSet) => ({
  apiVersion: VMSet.apiVersion,
  kind: VMSet.kind,
  name: metadata.name ?? "",
  uid: metadata.uid ?? "",
  controller: true,
  blockOwnerDeletion: true,
});

/** A status in the middle of a pass says nothing new of the machines, but what must always be said. */
export const meanwhile = ({ status }: VMSet, draft: Draft<typeof VMSet>): Draft<typeof VMSet> =>
  findCondition(status?.conditions, "Ready") === undefined
    ? draft.condition("Ready", false, "CreatingReplicas", "nobody has looked at the machines yet")
    : draft.aside();

function named(set: VMSet, hash: string, revision: number): ControllerRevision {
  const { name = "", namespace = "" } = set.metadata;
  const metadata: KubeObject["metadata"] = {
    name: `${name}-${hash}`,
    namespace,
    labels: { ...set.spec.selector.matchLabels, [labels.vmSet]: name, [labels.revision]: hash },
  };
  return { metadata, data: dataOf(set.spec.template), revision };
}
