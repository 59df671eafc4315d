// Brings a child about: made when it is not there, put right when it is not as we say, left alone when it is, and never
// touched when it is somebody else's.
import { ApiError, type Applied, type Client, isAlreadyExists, isConflict, isNotFound } from "@telltale/client";
import { canonicalJson, deepEqual, type KindRef, type KubeObject, type ObjectMeta, sha256Hex } from "@telltale/kinds";
import type { Ensured, EnsureOptions } from "../controller/steps.ts";
import type { Name } from "../key.ts";

export interface EnsureContext {
  readonly client: Client;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
  readonly owner: { readonly kind: KindRef; readonly object: KubeObject };
  /** The child as the cache has it. */
  readonly cached: (kind: KindRef, name: Name) => KubeObject | undefined;
  readonly wrote: (kind: KindRef, object: KubeObject) => void;
  /** It was read from the server, past the cache. */
  readonly found: (kind: KindRef, object: KubeObject) => void;
  /** Throws where nothing is to be made any more. */
  readonly beforeCreate: () => Promise<void>;
  /** Objects that are exactly what came back from our own apply. */
  readonly applied: WeakSet<object>;
}

/** Where the hash of what was applied is kept, unless another place is given. */
export const appliedAnnotation = "telltale.dev/applied";

export async function ensure<T extends KubeObject>(
  cx: EnsureContext,
  kind: KindRef<T>,
  wanted: Applied<T>,
  options: EnsureOptions<T>,
): Promise<Ensured<T>> {
  const { mode = "apply", hashAnnotation = appliedAnnotation } = options;
  const name = nameOf(kind, wanted as KubeObject, cx.owner.object);
  const desired = owned(cx.owner, kind, name, wanted as KubeObject, options.owner ?? "controller");
  const hash = sha256Hex(canonicalJson(desired)).slice(0, 16);
  const marked = mode === "createOnly" ? desired : annotated(desired, hashAnnotation, hash);

  const settle = async (live: T): Promise<Ensured<T>> => {
    if (!isOurs(cx, live, options.owner ?? "controller")) return { as: "foreign", live };
    if (live.metadata?.deletionTimestamp !== undefined) return { as: "terminating", live };
    if (mode === "createOnly") return { as: "unchanged", live };
    const same = live.metadata?.annotations?.[hashAnnotation] === hash;
    if (same && (mode === "hash" || cx.applied.has(live) || contains(live, unowned(desired))))
      return { as: "unchanged", live };
    return update(live);
  };

  /** Under this uid only: whatever has taken the name since is not the one that was looked at. */
  const update = async (live: T): Promise<Ensured<T>> => {
    const { uid } = live.metadata ?? {};
    try {
      return { as: "updated", live: await apply(withUid(asLive(marked, live, options.atCreation), uid), true) };
    } catch (error) {
      if (!isAnother(error)) throw error;
      const now = await find();
      if (now === undefined) return make();
      if (now.metadata?.uid === uid) throw error;
      return settle(now);
    }
  };

  /** Never by force: who was faster with the name and says something else keeps it. */
  const make = async (): Promise<Ensured<T>> => {
    await cx.beforeCreate();
    const fresh = merged(marked, options.atCreation) as KubeObject;
    const { client, fieldManager, signal } = cx;
    try {
      if (mode !== "createOnly") return { as: "created", live: await apply(fresh, false) };
      const made = await client.create(kind, fresh as T, { fieldManager, signal });
      cx.wrote(kind, made);
      return { as: "created", live: made };
    } catch (error) {
      const there = isAlreadyExists(error) || isConflict(error) ? await find() : undefined;
      if (there === undefined) throw error;
      return settle(there);
    }
  };

  const apply = async (object: KubeObject, force: boolean): Promise<T> => {
    const { client, fieldManager, signal } = cx;
    const live = await client.apply(kind, object as Applied<T>, { fieldManager, force, signal });
    cx.applied.add(live);
    cx.wrote(kind, live);
    return live;
  };

  const find = async (): Promise<T | undefined> => {
    const found = await live(cx, kind, name);
    if (found !== undefined) cx.found(kind, found);
    return found;
  };

  const known = () => cx.cached(kind, name) as T | undefined;
  const cached = known();
  if (cached !== undefined) return settle(cached);
  // Not in the cache may also mean: not seen yet. An apply would take over whatever has the name.
  const found = mode === "createOnly" ? undefined : await find();
  // While that took its time it may have come, as by a request of a process that is no more.
  const there = found ?? known();
  return there === undefined ? make() : settle(there);
}

/** The name is another object's by now, or nobody's. */
const isAnother = (error: unknown): boolean =>
  isConflict(error) ||
  (error instanceof ApiError && error.code === 422 && error.causes.some(({ field }) => field === "metadata.uid"));

const withUid = (object: KubeObject, uid: string | undefined): KubeObject =>
  uid === undefined ? object : { ...object, metadata: { ...object.metadata, uid } };

async function live<T extends KubeObject>(cx: EnsureContext, kind: KindRef<T>, name: Name): Promise<T | undefined> {
  try {
    const { namespace } = name;
    return await cx.client.get(kind, name.name, {
      signal: cx.signal,
      ...(namespace === undefined ? {} : { namespace }),
    });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function nameOf(kind: KindRef, { metadata }: KubeObject, owner: KubeObject): Name {
  if (metadata?.name === undefined) {
    throw new TypeError(`ensure ${kind.kind}: metadata.name is missing; a child that is looked for again needs a name`);
  }
  if (kind.scope === "Cluster") return { name: metadata.name };
  const namespace = metadata.namespace ?? owner.metadata?.namespace;
  if (namespace === undefined) throw new TypeError(`ensure ${kind.kind}: metadata.namespace is missing`);
  return { namespace, name: metadata.name };
}

type Ownership = "controller" | "plain" | "none";

/** What is wanted, under its name and with its owner. */
export function owned(
  { kind: owner, object }: EnsureContext["owner"],
  kind: KindRef,
  place: Partial<Name>,
  wanted: KubeObject,
  as: Ownership,
): KubeObject {
  const reference = {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: object.metadata?.name ?? "",
    uid: object.metadata?.uid ?? "",
    ...(as === "controller" ? { controller: true, blockOwnerDeletion: true } : {}),
  };
  const references =
    as === "none" ? wanted.metadata?.ownerReferences : [reference, ...(wanted.metadata?.ownerReferences ?? [])];
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    ...wanted,
    metadata: { ...wanted.metadata, ...place, ...(references === undefined ? {} : { ownerReferences: references }) },
  };
}

function isOurs({ owner }: EnsureContext, { metadata }: KubeObject, as: Ownership): boolean {
  if (as === "none") return true;
  const uid = owner.object.metadata?.uid;
  return metadata?.ownerReferences?.some((reference) => reference.uid === uid) ?? false;
}

/** Others may own it as well. That we do was asked before. */
function unowned({ metadata, ...rest }: KubeObject): KubeObject {
  const { ownerReferences: _owners, ...others } = metadata ?? {};
  return { ...rest, metadata: others };
}

function annotated(object: KubeObject, annotation: string, value: string): KubeObject {
  const metadata: ObjectMeta = {
    ...object.metadata,
    annotations: { ...object.metadata?.annotations, [annotation]: value },
  };
  return { ...object, metadata };
}

/** Fields that were ours at creation only are sent as they are now, and only if nobody has changed them meanwhile. */
function asLive(object: KubeObject, live: KubeObject, atCreation: object | undefined): KubeObject {
  if (atCreation === undefined) return object;
  const kept = merged(object, picked(live, atCreation)) as KubeObject;
  const { resourceVersion } = live.metadata ?? {};
  return { ...kept, metadata: { ...kept.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
}

type Loose = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Loose =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The second over the first, member by member. */
function merged(base: unknown, over: unknown): unknown {
  if (over === undefined) return base;
  if (!isRecord(base) || !isRecord(over)) return over;
  const out: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(over)) out[name] = merged(base[name], value);
  return out;
}

/** The values that an object has at the places of another. */
function picked(live: unknown, places: unknown): unknown {
  if (!isRecord(places)) return live;
  if (!isRecord(live)) return undefined;
  return Object.fromEntries(Object.entries(places).map(([name, inner]) => [name, picked(live[name], inner)]));
}

/** Whether everything that is wanted is there. What else is there is somebody else's. */
export function contains(live: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true;
  if (Array.isArray(wanted)) {
    if (!Array.isArray(live) || live.length !== wanted.length) return false;
    return wanted.every((item, i) => contains(live[i], item));
  }
  if (isRecord(wanted))
    return isRecord(live) && Object.entries(wanted).every(([name, value]) => contains(live[name], value));
  return deepEqual(live, wanted);
}
