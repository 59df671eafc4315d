// Caches seen from outside: by kind, since namespaces are no label and no check of their own.
import type { KindRef } from "@telltale/kinds";
import type { CacheGauge } from "../samples.ts";

/** Caches of one kind in several namespaces are told of as one. */
export function perKind(caches: readonly CacheGauge[]): Map<KindRef, CacheGauge[]> {
  const kinds = new Map<string, KindRef>();
  const found = new Map<KindRef, CacheGauge[]>();
  for (const cache of caches) {
    const name = `${cache.kind.group}/${cache.kind.kind}`;
    const kind = kinds.get(name) ?? cache.kind;
    kinds.set(name, kind);
    found.set(kind, [...(found.get(kind) ?? []), cache]);
  }
  return found;
}
