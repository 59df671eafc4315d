// The templates that a set has had, each kept as a ControllerRevision: which one is the present one's, which may go. Pure.

import type { KubeObject } from "@telltale/kinds";
import { deepEqual } from "@telltale/kinds";
import type { ControllerRevision } from "@telltale/kinds/builtin";
import { byAge, nameOf } from "../pods/facts.ts";
import { hashOf, type PodTemplate } from "../pods/template.ts";

/** Which revision stands for the present template. */
export type Choice =
  | { readonly is: "newest"; readonly revision: ControllerRevision } // nothing has changed
  | { readonly is: "older"; readonly revision: ControllerRevision; readonly to: number } // back to it: it gets a higher number
  | { readonly is: "new"; readonly number: number }; // there was none like it

/** `revisions` in their order. */
export function choose(revisions: readonly ControllerRevision[], template: PodTemplate): Choice {
  const newest = revisions.at(-1);
  const number = (newest?.revision ?? 0) + 1;
  const same = revisions.findLast((it) => tells(it, template));
  if (same === undefined) return { is: "new", number };
  return same === newest ? { is: "newest", revision: same } : { is: "older", revision: same, to: number };
}

/** The newest last. */
export function inOrder(revisions: readonly ControllerRevision[]): readonly ControllerRevision[] {
  return [...revisions].sort((a, b) => a.revision - b.revision || byAge(a, b));
}

/** Whether a revision was made of this template, or of one that says the same. */
export const tells = ({ data }: ControllerRevision, template: PodTemplate): boolean =>
  deepEqual(data, dataOf(template));

/** A template as a patch that would bring it back. */
const dataOf = (template: PodTemplate): object => ({ spec: { template: { ...template, $patch: "replace" } } });

/** The template that a revision brings back; of one whose data somebody else wrote, nothing. */
export function templateOf({ data }: ControllerRevision): PodTemplate | undefined {
  // What is in there is what `dataOf` put in, or a stranger's: then it has no template.
  const { template } = (data as { spec?: { template?: PodTemplate & { $patch?: string } } } | undefined)?.spec ?? {};
  if (template === undefined) return undefined;
  const { $patch: _patch, ...plain } = template;
  return plain;
}

/** The revision of a template that had none. `hashLabel`: where its hash is found again. */
export function revisionOf(
  owner: KubeObject,
  template: PodTemplate,
  made: { readonly number: number; readonly collisions: number; readonly hashLabel: string },
): ControllerRevision {
  const hash = hashOf(template, made.collisions);
  const { annotations } = owner.metadata ?? {};
  return {
    metadata: {
      name: `${nameOf(owner)}-${hash}`,
      labels: { ...template.metadata?.labels, [made.hashLabel]: hash },
      ...(annotations === undefined ? {} : { annotations }),
    },
    data: dataOf(template),
    revision: made.number,
  };
}

/** Of those that nobody uses, oldest first, as many as `kept` is too long. */
export function superfluous(
  unused: readonly ControllerRevision[],
  kept: number,
  limit: number | undefined,
): readonly ControllerRevision[] {
  const most = limit ?? standardLimit;
  return most < 0 ? [] : unused.slice(0, Math.max(0, kept - most)); // less than none: all are kept
}

const standardLimit = 10;
