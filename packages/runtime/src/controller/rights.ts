// What a controller may do with which objects, read off its declaration. Hands ask here before they write, and roles are made
// of it (`rbac.ts`), so that what works with one works with the other.
import type { KindRef } from "@telltale/kinds";
import type { Selection } from "../cache/cache.ts";
import type { Name } from "../key.ts";
import type { Controller, OwnVerb, Within, WriteVerb } from "./declare.ts";
import { kindId } from "./surroundings.ts";

export interface Right {
  readonly kind: KindRef;
  /** Empty: the object itself. */
  readonly subresource: string;
  readonly verbs: readonly Verb[];
  /** Which objects. */
  readonly of: Selection;
}

export type Verb = "get" | "list" | "watch" | "create" | "patch" | "delete" | "update";

export function rightsOf(controller: Controller): readonly Right[] {
  return [...ofItself(controller), ...ofInputs(controller), ...ofOthers(controller)];
}

/** Whether a write of an object is declared: its kind and verb, and its namespace and name where the declaration names them. */
export function declaresWrite(
  controller: Controller,
  kind: KindRef,
  verb: WriteVerb,
  ref: Partial<Name> = {},
): boolean {
  let known = declared.get(controller);
  if (known === undefined) {
    const found = new Map<string, Selection[]>();
    for (const { kind: of, subresource, verbs, of: select } of rightsOf(controller)) {
      for (const it of verbs) {
        const id = `${kindId(of)} ${it}${subresource === "" ? "" : ` ${subresource}`}`;
        found.set(id, [...(found.get(id) ?? []), select]);
      }
    }
    declared.set(controller, found);
    known = found;
  }
  // As in a role, the name of what is created decides nothing.
  const { name: _name, ...unnamed } = ref;
  const asked = verb === "create" ? unnamed : ref;
  return (known.get(`${kindId(kind)} ${verb}`) ?? []).some((select) => isWithin(select, kind, asked));
}

/** Whether a selection may hold such an object. What is not known of the object decides nothing. */
export function isWithin({ namespace, field }: Within, { scope }: KindRef, ref: Partial<Name>): boolean {
  const isThere = namespace === undefined || scope === "Cluster" || (ref.namespace ?? namespace) === namespace;
  return isThere && (ref.name === undefined || ["", ref.name].includes(nameIn(field)));
}

/** Asked at every write. */
const declared = new WeakMap<Controller, ReadonlyMap<string, readonly Selection[]>>();

/** A list where no stream of one is to be had, a get after a conflict and for `look.live`. */
const reading = ["get", "list", "watch"] as const;
const owning = ["create", "patch", "delete"] as const;

function* ofItself({ kind, select: of, finalizer, record, inputs }: Controller): Iterable<Right> {
  yield { kind, subresource: "", verbs: reading, of };
  if (kind.subresources.status) yield { kind, subresource: "status", verbs: ["patch"], of };
  if (finalizer !== undefined || record !== undefined) yield { kind, subresource: "", verbs: ["patch"], of };
  // A child holds its owner back (blockOwnerDeletion). Clusters that enforce the rights of owners take that for a change
  // of the owner's finalizers.
  const hasChildren = inputs.some(({ as, summed, verbs = owning }) => {
    return as === "owns" && summed !== true && verbs.includes("create");
  });
  if (hasChildren) yield { kind, subresource: "finalizers", verbs: ["update"], of };
}

function* ofInputs({ inputs }: Controller): Iterable<Right> {
  for (const { kind, as, select: of, summed, verbs = owning } of inputs) {
    yield { kind, subresource: "", verbs: reading, of };
    if (as === "owns" && summed !== true) yield { kind, subresource: "", verbs, of };
  }
}

function* ofOthers({ gets, writes, requires }: Controller): Iterable<Right> {
  for (const { kind, select: of } of gets) yield { kind, subresource: "", verbs: ["get"], of };
  for (const { kind, select: of, permission } of requires) {
    const [verb, subresource = ""] = permission.split(" ");
    // The type of a permission allows these three only.
    yield { kind, subresource, verbs: [verb as "get" | "create" | "patch"], of };
  }
  for (const { kind, select: of, verbs } of writes) {
    yield { kind, subresource: "", verbs: verbs.filter(isPlain), of };
    // Before an object is created, it is looked up.
    if (verbs.includes("create")) yield { kind, subresource: "", verbs: ["get"], of };
    for (const it of verbs) {
      const [verb, subresource] = it.split(" ");
      // The type of a verb allows two words for these two only.
      if (subresource !== undefined) yield { kind, subresource, verbs: [verb as "patch" | "create"], of };
    }
  }
}

const isPlain = (verb: WriteVerb): verb is OwnVerb => !verb.includes(" ");

/** The one name that a selection asks for; empty: any. What is about one object is so for a server too. */
export function nameIn(field = ""): string {
  for (const term of field.split(",")) {
    const name = /^metadata\.name==?([^=!]+)$/.exec(term)?.[1];
    if (name !== undefined) return name;
  }
  return "";
}
