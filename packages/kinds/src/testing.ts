// For tests: values that fit a schema, and the proof that the versions of a kind convert without loss.
// fast-check is handed in, so that a program which only uses kinds does not have to install it.
import { applyDefaults } from "./defaults.ts";
import type { Kind } from "./kind.ts";
import { misfit } from "./misfit.ts";
import { deepFreeze } from "./object.ts";
import { Duration, Quantity } from "./schema.ts";
import type { Structural } from "./structural.ts";
import { canonicalJson, deepEqual } from "./values/canonical.ts";
import { formatTime, instant } from "./values/time.ts";
import { convert, schemaIn, type VersionedObject } from "./versions.ts";

/** The module `fast-check`; `A` is its `Arbitrary<unknown>`. */
export interface FastCheck<A> {
  anything(): A;
}

/** Values that fit a structural schema. CEL rules are not read: filter by them where they matter. */
export function arbitraryOf<A>(fc: FastCheck<A>, schema: Structural): A {
  return valuesOf(fc as unknown as Generators, schema) as A;
}

export interface RoundTripOptions {
  /** How many objects are tried in each direction. */
  readonly runs?: number;
  readonly seed?: number;
}

/**
 * Throws with the smallest object that does not survive the way to a version and back, or from that version to the hub and
 * back. Between the steps an object goes through what the API server does to it: unknown fields are dropped and defaults
 * are filled in. Labels and annotations may be added on the way; none may be lost.
 */
export function checkRoundTrip<A>(fc: FastCheck<A>, kind: Kind, version: string, options: RoundTripOptions = {}): void {
  const gen = fc as unknown as Generators;
  for (const [from, to] of [
    [kind.version, version],
    [version, kind.version],
  ] as const) {
    const found = gen.check(
      gen.property(objectsOf(gen, kind, from), (object) => lost(kind, object, to).length === 0),
      { numRuns: options.runs ?? 200, seed: options.seed ?? 1 },
    );
    const object = found.counterexample?.[0];
    if (object === undefined) continue;
    const ways = lost(kind, object, to).join("; ");
    const seen = JSON.stringify(object);
    throw new Error(`${kind.kind}: ${from} -> ${to} -> ${from} does not give back the object: ${ways}; with ${seen}`);
  }
}

// --- The round trip

function lost(kind: Kind, object: VersionedObject, to: string): string[] {
  const from = object.apiVersion.slice(kind.group.length + 1);
  try {
    const before = stored(kind, object);
    const after = stored(kind, convert(kind, stored(kind, convert(kind, before, to)), from));
    const { labels, annotations, ...metadata } = before.metadata;
    const { labels: newLabels, annotations: newAnnotations, ...newMetadata } = after.metadata;
    return [
      ...differences({ ...before, metadata }, { ...after, metadata: newMetadata }, ""),
      ...differences(labels ?? {}, only(labels, newLabels), "metadata.labels"),
      ...differences(annotations ?? {}, only(annotations, newAnnotations), "metadata.annotations"),
    ];
  } catch (error) {
    return [`the conversion throws ${error}`];
  }
}

/** As the server keeps it in its version. Frozen: a conversion that changes its argument is not pure. */
function stored(kind: Kind, object: VersionedObject): VersionedObject {
  const { spec, status } = schemaIn(kind, object.apiVersion.slice(kind.group.length + 1));
  const properties = { spec, ...(status === undefined ? {} : { status }) };
  const body = { ...(object.spec === undefined ? {} : { spec: object.spec }), status: object.status };
  const settled = applyDefaults({ type: "object", properties }, prune({ type: "object", properties }, body)) as object;
  const { apiVersion, kind: name, metadata } = object;
  return deepFreeze(structuredClone({ apiVersion, kind: name, metadata, ...settled }));
}

function prune(schema: Structural, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => (schema.items === undefined ? item : prune(schema.items, item)));
  if (typeof value !== "object" || value === null) return value;
  const keep = schema["x-kubernetes-preserve-unknown-fields"] === true;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const named = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
      const child = named ?? schema.additionalProperties;
      if (child === undefined) return keep ? [[name, member]] : [];
      return [[name, prune(child, member)]];
    }),
  );
}

type Words = Readonly<Record<string, string>> | undefined;

function only(names: Words, words: Words): Words {
  return Object.fromEntries(Object.entries(words ?? {}).filter(([name]) => Object.hasOwn(names ?? {}, name)));
}

function differences(a: unknown, b: unknown, path: string): string[] {
  if (deepEqual(a, b)) return [];
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b))
    return [`${path}: ${show(a)} became ${show(b)}`];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((name) =>
    differences(a[name], b[name], path === "" ? name : `${path}.${name}`),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function show(value: unknown): string {
  return value === undefined ? "absent" : canonicalJson(value);
}

// --- Generating

/** As much of fast-check as is used here. */
interface Arbitrary<T = unknown> {
  map<U>(to: (value: T) => U): Arbitrary<U>;
  filter(keep: (value: T) => boolean): Arbitrary<T>;
}
interface Generators {
  constant<T>(value: T): Arbitrary<T>;
  constantFrom<T>(...values: readonly T[]): Arbitrary<T>;
  oneof<T>(...of: readonly Arbitrary<T>[]): Arbitrary<T>;
  boolean(): Arbitrary<boolean>;
  integer(bounds: { min: number; max: number }): Arbitrary<number>;
  maxSafeInteger(): Arbitrary<number>;
  double(bounds: object): Arbitrary<number>;
  string(bounds: { minLength: number; maxLength: number }): Arbitrary<string>;
  stringMatching(pattern: RegExp): Arbitrary<string>;
  array(item: Arbitrary, bounds: object): Arbitrary<unknown[]>;
  uniqueArray(item: Arbitrary, bounds: object): Arbitrary<unknown[]>;
  dictionary(key: Arbitrary<string>, value: Arbitrary, bounds: object): Arbitrary<object>;
  record(members: Record<string, Arbitrary>, bounds: { requiredKeys: string[] }): Arbitrary<object>;
  jsonValue(bounds: object): Arbitrary;
  property<T>(of: Arbitrary<T>, holds: (value: T) => boolean): { readonly "~of"?: T };
  check<T>(
    property: { readonly "~of"?: T },
    options: { numRuns: number; seed: number },
  ): { readonly counterexample: readonly [T] | null };
}

/** Below this depth only what is required is made, or the types of a pod would never end. */
const maxDepth = 5;

function valuesOf(gen: Generators, s: Structural, depth = 0): Arbitrary {
  const made = anyOf(gen, s, depth);
  return s.nullable === true ? gen.oneof(gen.constant(null), made) : made;
}

function anyOf(gen: Generators, s: Structural, depth: number): Arbitrary {
  if (s.enum !== undefined) return gen.constantFrom(...s.enum.filter((value) => value !== null));
  if (s["x-kubernetes-int-or-string"] === true) {
    return gen.oneof<unknown>(gen.integer({ min: s.minimum ?? 0, max: s.maximum ?? 1000 }), texts(gen, s));
  }
  switch (s.type) {
    case "boolean":
      return gen.boolean();
    case "integer":
      return integers(gen, s);
    case "number":
      return numbers(gen, s);
    case "string":
      return texts(gen, s);
    case "array":
      return lists(gen, s, depth);
    case "object":
      return objects(gen, s, depth);
    default:
      return gen.jsonValue({ maxDepth: 1 }).filter((value) => value !== null);
  }
}

function integers(gen: Generators, s: Structural): Arbitrary<number> {
  const reach = s.format === "int32" ? 2 ** 31 : Number.MAX_SAFE_INTEGER;
  const unit = s.multipleOf ?? 1;
  const low = s.minimum === undefined ? -reach : s.minimum + (s.exclusiveMinimum === true ? unit : 0);
  const high = s.maximum === undefined ? reach - 1 : s.maximum - (s.exclusiveMaximum === true ? unit : 0);
  const [min, max] = [Math.ceil(low / unit), Math.floor(high / unit)];
  return (
    max - min > 2 ** 32 ? gen.maxSafeInteger().filter((n) => n >= min && n <= max) : gen.integer({ min, max })
  ).map((n) => n * unit);
}

function numbers(gen: Generators, s: Structural): Arbitrary<number> {
  if (s.multipleOf !== undefined) return integers(gen, { ...s, format: "int32" });
  return gen.double({
    noNaN: true,
    noDefaultInfinity: true,
    ...(s.minimum === undefined ? {} : { min: s.minimum, minExcluded: s.exclusiveMinimum === true }),
    ...(s.maximum === undefined ? {} : { max: s.maximum, maxExcluded: s.exclusiveMaximum === true }),
  });
}

/** What the formats that CRDs use look like. */
const shapes: Readonly<Record<string, RegExp>> = {
  date: /^20[0-9]{2}-0[1-9]-1[0-9]$/,
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
  ipv4: /^10(\.[1-9][0-9]){3}$/,
  ipv6: /^fd00(:[1-9a-f][0-9a-f]{3}){7}$/,
  cidr: /^10(\.[1-9][0-9]){3}\/2[0-9]$/,
  byte: /^([A-Za-z0-9+/]{4}){0,3}$/,
  duration: /^[1-9][0-9]?(s|m|h)$/,
  email: /^[a-z]{1,8}@example\.com$/,
  hostname: /^[a-z]{1,8}\.example\.com$/,
  uri: /^https:\/\/[a-z]{1,8}\.example\.com\/$/,
};

/** Patterns that take more than can be read: the server's own for quantities allows `1e.5`, ours for durations a million years. */
const narrower: ReadonlyMap<unknown, RegExp> = new Map([
  [patternOf(Quantity()), /^[1-9][0-9]{0,3}(\.[0-9]{1,2})?(m|k|M|G|Ki|Mi|Gi|e[1-6])?$/],
  [patternOf(Duration()), /^-?([1-9][0-9]{0,2}h)?([1-9][0-9]?m)?[1-9][0-9]?(\.[0-9]{1,3})?s$/],
]);

function patternOf(schema: object): unknown {
  return "pattern" in schema ? schema.pattern : undefined;
}

function texts(gen: Generators, s: Structural): Arbitrary<string> {
  if (s.format === "date-time") {
    return gen.integer({ min: 0, max: 4_000_000_000 }).map((second) => formatTime(instant(second * 1000)));
  }
  const pattern =
    s.pattern === undefined ? shapes[s.format ?? ""] : (narrower.get(s.pattern) ?? new RegExp(s.pattern, "u"));
  const min = s.minLength ?? 0;
  if (pattern === undefined)
    return gen.string({ minLength: min, maxLength: Math.min(s.maxLength ?? min + 10, min + 10) });
  return gen.stringMatching(pattern).filter((text) => misfit(s, text, "") === undefined);
}

function lists(gen: Generators, s: Structural, depth: number): Arbitrary {
  const { items = {} } = s;
  const min = s.minItems ?? 0;
  const bounds = { minLength: min, maxLength: Math.min(s.maxItems ?? min + 3, min + 3) };
  const item = valuesOf(gen, items, depth + 1);
  if (s["x-kubernetes-list-type"] === "set") return gen.uniqueArray(item, { ...bounds, selector: canonicalJson });
  if (s["x-kubernetes-list-type"] !== "map") return gen.array(item, bounds);
  const keys = s["x-kubernetes-list-map-keys"] ?? [];
  const selector = (value: Record<string, unknown>) =>
    canonicalJson(keys.map((key) => value[key] ?? items.properties?.[key]?.default));
  return gen.uniqueArray(item, { ...bounds, selector });
}

const word = /^[a-z]{1,6}$/;

function objects(gen: Generators, s: Structural, depth: number): Arbitrary<object> {
  const keys = { minKeys: s.minProperties ?? 0, maxKeys: Math.min(s.maxProperties ?? 3, (s.minProperties ?? 0) + 3) };
  if (s.additionalProperties !== undefined) {
    return gen.dictionary(gen.stringMatching(word), valuesOf(gen, s.additionalProperties, depth + 1), keys);
  }
  if (s["x-kubernetes-embedded-resource"] === true) {
    const name = gen.stringMatching(word);
    const metadata = gen.record({ name }, { requiredKeys: ["name"] });
    const members = { apiVersion: gen.constant("v1"), kind: gen.constant("ConfigMap"), metadata };
    return gen.record(members, { requiredKeys: Object.keys(members) });
  }
  if (s.properties === undefined) {
    const free = s["x-kubernetes-preserve-unknown-fields"] === true;
    return free ? gen.dictionary(gen.stringMatching(word), gen.jsonValue({ maxDepth: 1 }), keys) : gen.constant({});
  }
  const requiredKeys = s.required ?? [];
  const names = Object.entries(s.properties).filter(([name]) => depth < maxDepth || requiredKeys.includes(name));
  const members = Object.fromEntries(names.map(([name, child]) => [name, valuesOf(gen, child, depth + 1)]));
  return gen.record(members, { requiredKeys }).filter((value) => misfit(s, value, "") === undefined);
}

function objectsOf(gen: Generators, kind: Kind, version: string): Arbitrary<VersionedObject> {
  const { spec, status } = schemaIn(kind, version);
  const name = gen.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/);
  const words = gen.dictionary(
    gen.stringMatching(/^example\.com\/[a-z]{1,4}$/),
    gen.string({ minLength: 0, maxLength: 6 }),
    {
      maxKeys: 2,
    },
  );
  const metadata = gen.record(
    {
      name,
      ...(kind.scope === "Namespaced" ? { namespace: name } : {}),
      uid: gen.stringMatching(shapes["uuid"] ?? word),
      resourceVersion: gen.integer({ min: 1, max: 100_000 }).map(String),
      generation: gen.integer({ min: 1, max: 100 }),
      creationTimestamp: texts(gen, { type: "string", format: "date-time" }),
      finalizers: gen.array(gen.stringMatching(/^example\.com\/[a-z]{1,4}$/), { maxLength: 2 }),
      labels: words,
      annotations: words,
    },
    { requiredKeys: ["name", "uid", "resourceVersion", "generation", "creationTimestamp"] },
  );
  const members = {
    apiVersion: gen.constant(`${kind.group}/${version}`),
    kind: gen.constant(kind.kind),
    metadata,
    spec: valuesOf(gen, spec),
    ...(status === undefined ? {} : { status: valuesOf(gen, status) }),
  };
  // What the record was made of is what the type says.
  return gen.record(members, {
    requiredKeys: ["apiVersion", "kind", "metadata", "spec"],
  }) as Arbitrary<VersionedObject>;
}
