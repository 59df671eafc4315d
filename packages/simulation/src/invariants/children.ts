// I5, I7: no owner has more children at a time than without faults, and no child is left without an owner.
import type { KubeObject } from "@telltale/kinds";
import { kindOf, nameOf, resourceIn } from "../facts.ts";
import { type Change, isNoise } from "../history.ts";
import type { Invariant } from "../invariant.ts";
import type { Reference } from "../reference.ts";
import { isAlike, tally, tallyOf } from "../tally.ts";
import { Unheard } from "../unheard.ts";

export const children: readonly Invariant[] = [
  {
    id: "I5",
    what: "no owner has more living children of a kind at a time than without faults",
    watch(world, say) {
      const census = new Census();
      const unheard = new Unheard(world);
      return {
        applied: (sent, changes) => unheard.applied(sent, changes),
        heard: (sent, heard) => unheard.heard(sent, heard),
        change: (change) => census.count(change),
        end(reference) {
          if (reference === undefined || world.expects === "own" || world.history.isRewound) return;
          const declared = world.scenario.kinds.map(({ group, plural }) => `${group}/${plural}`);
          if (!isAlike(tallyOf(reference), tally(world.history.changes), declared)) return;
          const then = censusOf(reference);
          for (const [family, { most, kinds, resource }] of census.families) {
            const usual = then.most(family, kinds);
            const allowed = usual + unheard.creates(resource);
            if (most > allowed) say(`${family}: ${most} at a time; without faults there are never more than ${usual}`);
          }
        },
      };
    },
  },
  {
    id: "I7",
    what: "no child is left without an owner",
    watch(world, say) {
      const made = new Map<string, KubeObject>();
      return {
        applied({ pass }, changes) {
          if (pass === undefined) return;
          for (const { type, after, key } of changes) {
            const isPart = kindOf(world.scenario.kinds, after) === undefined;
            if (type === "ADDED" && !isNoise(key) && isPart) made.set(after.metadata?.uid ?? "", pass.object);
          }
        },
        end() {
          const { records } = world.server.store.scan("/");
          const uids = new Set(records.map(({ uid }) => uid));
          for (const record of records) {
            if (isNoise(record.key)) continue;
            const object = record.object() as KubeObject;
            const { ownerReferences: owners = [], deletionTimestamp, uid = "" } = object.metadata ?? {};
            if (deletionTimestamp !== undefined) continue;
            if (owners.length > 0 && !owners.some((it) => uids.has(it.uid)))
              say(`${nameOf(object)} is owned by ${owners.map(({ kind, name }) => `${kind} ${name}`)}, which is gone`);
            const maker = made.get(uid);
            const isBare = owners.length === 0 && maker !== undefined && !uids.has(maker.metadata?.uid ?? "");
            if (isBare && !orphaned(world.history.changes, record.key) && world.scenario.outlives?.(object) !== true)
              say(`${nameOf(object)} was made for ${nameOf(maker)}, which is gone; nothing says that it outlives it`);
          }
        },
      };
    },
  },
];

/** Whether it had an owner, and others took that away. */
const orphaned = (changes: readonly Change[], key: string): boolean =>
  changes.some(({ key: other, before }) => other === key && (before?.metadata?.ownerReferences ?? []).length > 0);

/** Who has how many living children that the operator made, and had at most. */
class Census {
  /** By `Shop default/corner has ConfigMap`. */
  readonly families = new Map<string, Family>();
  readonly #ours = new Set<string>();
  /** The uids of children, by their owner's and their family. */
  readonly #living = new Map<string, Set<string>>();

  count({ type, key, before, after, author }: Change): void {
    const { uid = "" } = after.metadata ?? {};
    if (type === "ADDED" && author !== undefined && !isNoise(key)) this.#ours.add(uid);
    if (!this.#ours.has(uid)) return;
    const [was, is] = [placeOf(before), type === "DELETED" ? undefined : placeOf(after)];
    if (was?.id === is?.id) return;
    if (was !== undefined) this.#living.get(was.id)?.delete(uid);
    if (is === undefined) return;
    const living = (this.#living.get(is.id) ?? new Set()).add(uid);
    this.#living.set(is.id, living);
    const most = Math.max(living.size, this.families.get(is.family)?.most ?? 0);
    this.families.set(is.family, { most, kinds: is.kinds, resource: resourceIn(key) });
  }

  /** In a family; of an owner that is not there, in any of the same kinds. */
  most(family: string, kinds: string): number {
    const same = [...this.families.values()].filter((it) => it.kinds === kinds);
    return this.families.get(family)?.most ?? Math.max(1, ...same.map(({ most }) => most));
  }
}

interface Family {
  readonly most: number;
  readonly kinds: string;
  readonly resource: string;
}

/** Whose child it is while it lives. */
function placeOf(child: KubeObject | undefined): { id: string; family: string; kinds: string } | undefined {
  const { deletionTimestamp, ownerReferences, namespace } = child?.metadata ?? {};
  const owner = ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined || deletionTimestamp !== undefined) return undefined;
  const family = `${owner.kind} ${namespace === undefined ? "" : `${namespace}/`}${owner.name} has ${child?.kind}`;
  return { id: `${owner.uid} ${family}`, family, kinds: `${owner.kind} ${child?.kind}` };
}

const known = new WeakMap<Reference, Census>();

function censusOf(reference: Reference): Census {
  const there = known.get(reference);
  if (there !== undefined) return there;
  const census = new Census();
  for (const change of reference.changes) census.count(change);
  known.set(reference, census);
  return census;
}
