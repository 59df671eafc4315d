// Fields that may be left out, or be null, which says the same: manifests of older installations do that (2.1). Code reads
// specs through `specOf`, where there is no null any more.
import {
  applyDefaults,
  type Kind,
  Nullable,
  Optional,
  type Resource,
  type SpecOf,
  type TSchema,
} from "@telltale/kinds";
import { usage } from "@telltale/kinds/usage";

/** May be absent or null. */
export const Maybe = <T extends TSchema>(schema: T) => Optional(Nullable(schema));

/** A type without null, at any depth. */
export type Settled<T> = T extends object ? { [K in keyof T]: Settled<Exclude<T[K], null>> } : T;

/** The spec of an object as the code wants it: what is null is absent, and what is absent has its default. */
export function specOf<K extends Kind>(kind: K, object: Resource<K>): Settled<SpecOf<K>> {
  const seen = known.get(object) as { readonly spec: unknown; readonly is: Settled<SpecOf<K>> } | undefined;
  if (seen !== undefined && seen.spec === object.spec) return seen.is;
  const is = settled(kind, object.spec);
  known.set(object, { spec: object.spec, is });
  return is;
}

/** Every record is held against every zone, and every zone against every instance: with thousands of them this is most of the work. */
const known = new WeakMap<object, { readonly spec: unknown; readonly is: unknown }>();

/** The same for a spec that is at hand without its object. */
export function settled<K extends Kind>(kind: K, spec: unknown): Settled<SpecOf<K>> {
  // The schema of the kind is what the type is made from.
  return usage().spec(kind, applyDefaults(kind.schema.spec, withoutNulls(spec)) as Settled<SpecOf<K>>);
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}
