// Makes sure that the present template has its revision, which is then the newest.

import type { KubeObject } from "@telltale/kinds";
import { ControllerRevision } from "@telltale/kinds/builtin";
import type { Hands } from "@telltale/runtime";
import { nameOf } from "../pods/facts.ts";
import type { PodTemplate } from "../pods/template.ts";
import { choose, revisionOf, tells } from "./history.ts";

export interface Revised {
  readonly revision: ControllerRevision;
  /** How often a name turned out to be taken. */
  readonly collisions: number;
}

/** So many names taken by others is no accident. */
const mostCollisions = 20;

/** `revisions` are those of the owner, in their order; `collisions` what it remembers of them. */
export async function revise(
  hands: Hands,
  owner: KubeObject,
  template: PodTemplate,
  known: {
    readonly revisions: readonly ControllerRevision[];
    readonly collisions: number | undefined;
    readonly hashLabel: string;
  },
): Promise<Revised> {
  const { revisions, hashLabel } = known;
  const choice = choose(revisions, template);
  const before = known.collisions ?? 0;
  if (choice.is === "newest") return { revision: choice.revision, collisions: before };
  if (choice.is === "older") {
    const { revision, to } = choice;
    const operations = [
      { op: "test", path: "/revision", value: revision.revision },
      { op: "replace", path: "/revision", value: to },
    ] as const;
    return { revision: await hands.patch(ControllerRevision, revision, operations), collisions: before };
  }
  for (let collisions = before; collisions < before + mostCollisions; collisions += 1) {
    const wanted = revisionOf(owner, template, { number: choice.number, collisions, hashLabel });
    const { as, live } = await hands.ensure(ControllerRevision, wanted, { mode: "createOnly" });
    // Ours, and not seen before: an earlier pass made it, and heard no answer.
    const isOurs = as === "created" || (as === "unchanged" && tells(live, template));
    if (isOurs) return { revision: live, collisions };
  }
  const taken = `${mostCollisions} names for the template's ControllerRevision are taken by others`;
  throw new Error(`${nameOf(owner)}: ${taken}; remove the ControllerRevisions that begin with its name`);
}
