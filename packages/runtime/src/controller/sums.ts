// Conditions that sum up children, kept child by child as the cache changes, for every parent.
import type { KubeObject } from "@telltale/kinds";
import { Aggregate, type Contribution } from "@telltale/status";
import { keyOfObject } from "../key.ts";
import type { Sum } from "./declare.ts";

export class Sums {
  readonly #sums: readonly Sum[];
  /** By parent's uid: one aggregate for each declared sum. */
  readonly #parents = new Map<string, readonly Aggregate[]>();

  constructor(sums: readonly Sum[]) {
    this.#sums = sums;
  }

  /** A child came, changed or went. Says whether any contribution did. */
  changed(kind: Sum["kind"], old: KubeObject | undefined, next: KubeObject | undefined): boolean {
    let news = old === undefined || next === undefined;
    const [before, after] = [ownerOf(old), ownerOf(next)];
    for (const [i, sum] of this.#sums.entries()) {
      if (sum.kind !== kind) continue;
      const contribution = next === undefined ? undefined : sum.of(next);
      if (old !== undefined && contribution !== undefined && !isSame(sum.of(old), contribution)) news = true;
      if (old !== undefined && before !== undefined && (before !== after || contribution === undefined)) {
        this.#parents.get(before)?.[i]?.delete(keyOfObject(old));
        news = true;
      }
      if (next !== undefined && after !== undefined && contribution !== undefined) {
        this.#of(after)[i]?.set(keyOfObject(next), contribution);
      }
    }
    return news;
  }

  /** What is summed up for a parent. */
  for(parent: KubeObject): readonly { readonly condition: string; readonly aggregate: Aggregate }[] {
    if (this.#sums.length === 0) return [];
    const own = this.#of(parent.metadata?.uid ?? "");
    return this.#sums.flatMap(({ condition }, i) => {
      const aggregate = own[i];
      return aggregate === undefined ? [] : [{ condition, aggregate }];
    });
  }

  drop(parent: KubeObject): void {
    this.#parents.delete(parent.metadata?.uid ?? "");
  }

  #of(uid: string): readonly Aggregate[] {
    const known = this.#parents.get(uid);
    if (known !== undefined) return known;
    const fresh = this.#sums.map(({ options }) => new Aggregate(options));
    this.#parents.set(uid, fresh);
    return fresh;
  }
}

const ownerOf = (object: KubeObject | undefined): string | undefined =>
  object?.metadata?.ownerReferences?.find(({ controller }) => controller === true)?.uid;

const isSame = (a: Contribution, b: Contribution): boolean =>
  a.status === b.status && a.reason === b.reason && a.message === b.message;
