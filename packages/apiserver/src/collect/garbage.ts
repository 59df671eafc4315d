// The garbage collector: deletes what has lost its owners, lets foreground deletions wait for those they own, and sets free
// what is to be orphaned.
import type { JsonObject } from "../json.ts";
import { finalizersOf, isTerminating, uidOf, versionOf } from "../registry/metadata.ts";
import type { StoredRecord } from "../store/record.ts";
import type { StoreEvent } from "../store/store.ts";
import { Dependents } from "./dependents.ts";
import { asking, type Environment, following, type Place, pathOf, placeOf } from "./environment.ts";
import { foreground, judge, orphan, ownerPlace, ownersOf, waitsForDependents, withoutOwners } from "./owners.ts";
import { again, type Controller, done, type Outcome, work } from "./work.ts";

export function startGarbageCollector(env: Environment): Controller {
  const { store, catalogue } = env;
  const ask = asking(env, "generic-garbage-collector");
  const dependents = new Dependents();
  /** Owners that were seen to end. */
  const gone = new Set<string>();
  /** Those whose owner is of a kind that is not served: when kinds change, look again. */
  const undecided = new Set<string>();
  const queue = work(env, collect);
  const leave = following(store, begin, told);

  function begin(): void {
    dependents.clear();
    gone.clear();
    for (const record of store.scan("/").records) consider(record);
  }

  function told({ type, key, record, previous }: StoreEvent): void {
    if (key.startsWith(definitions)) for (const unsure of undecided) queue.add(unsure);
    const before = previous === undefined ? [] : ownersIn(previous);
    if (type === "DELETED") {
      dependents.delete(key);
      undecided.delete(key);
      const left = dependents.of(record.uid);
      if (left.length > 0) remember(gone, record.uid);
      for (const dependent of left) queue.add(dependent);
    } else consider(record);
    if (before.length === 0) return;
    // An owner may have waited for this.
    const namespace = placeOf(catalogue, key)?.namespace ?? "";
    for (const owner of before) {
      const place = ownerPlace(catalogue, owner, namespace);
      if ("key" in place) queue.add(place.key);
    }
  }

  /** Takes note of an object, and of work that it may mean. */
  function consider(record: StoredRecord): void {
    const owners = ownersIn(record);
    dependents.set(
      record.key,
      owners.map((owner) => owner.uid),
    );
    if (owners.length > 0 || mayWait(record)) queue.add(record.key);
  }

  async function collect(key: string): Promise<Outcome> {
    undecided.delete(key);
    const object = store.get(key)?.object();
    const place = object === undefined ? undefined : placeOf(catalogue, key);
    if (object === undefined || place === undefined || place.resource.defaultPropagation === "unsupported") return done;
    if (!isTerminating(object)) return attempt(key, object, place);
    const own = finalizersOf(object);
    if (own.includes(orphan)) return setFree(object, place);
    return own.includes(foreground) ? waitFor(object, place) : done;
  }

  async function attempt(key: string, object: JsonObject, place: Place): Promise<Outcome> {
    const find = (at: string) => store.get(at)?.object();
    const hasDependents = dependents.of(uidOf(object)).length > 0;
    const verdict = judge(object, place.namespace, catalogue, find, hasDependents, (uid) => gone.has(uid));
    if (verdict.do === "unknown") undecided.add(key);
    if (verdict.do === "release") return release(object, place, verdict.uids);
    if (verdict.do !== "delete") return done;
    if (verdict.policy === "Foreground" && isCircle(object, place)) return unblocking(object, place);
    return ask("DELETE", pathOf(place.resource, place.namespace, place.name), {
      kind: "DeleteOptions",
      apiVersion: "v1",
      preconditions: { uid: uidOf(object), resourceVersion: versionOf(object) },
      propagationPolicy: verdict.policy,
    });
  }

  /** Two that own each other would wait for each other for good. */
  function isCircle(object: JsonObject, place: Place): boolean {
    return (
      ownersOf(object).some((owner) => owner.blocks) && owned(object, place).some(([, d]) => waitsForDependents(d))
    );
  }

  async function unblocking(object: JsonObject, place: Place): Promise<Outcome> {
    const owners = withoutOwners(object, new Set()).map((owner) => ({ ...owner, blockOwnerDeletion: false }));
    const outcome = await change(object, place, "ownerReferences", owners);
    return outcome.is === "done" ? again : outcome;
  }

  /** Foreground: those that it owns go first; those that say so hold it. */
  async function waitFor(object: JsonObject, place: Place): Promise<Outcome> {
    for (const [key, dependent, at] of owned(object, place)) {
      if (isTerminating(dependent)) continue;
      const outcome = await attempt(key, dependent, at);
      if (outcome.is !== "done") return outcome;
    }
    const uid = uidOf(object);
    const held = owned(object, place).some(([, d]) => ownersOf(d).some((owner) => owner.uid === uid && owner.blocks));
    return held ? done : withoutFinalizer(object, place, foreground);
  }

  /** Orphan: those that it owns forget it. */
  async function setFree(object: JsonObject, place: Place): Promise<Outcome> {
    for (const [, dependent, at] of owned(object, place)) {
      const outcome = await release(dependent, at, new Set([uidOf(object)]));
      if (outcome.is !== "done") return outcome;
    }
    return withoutFinalizer(object, place, orphan);
  }

  /** What an object owns: it has its uid, and is where it may own something. */
  function owned(owner: JsonObject, { namespace }: Place): [string, JsonObject, Place][] {
    return dependents.of(uidOf(owner)).flatMap((key) => {
      const object = store.get(key)?.object();
      const place = placeOf(catalogue, key);
      if (object === undefined || place === undefined) return [];
      return namespace === "" || namespace === place.namespace ? [[key, object, place]] : [];
    });
  }

  const release = (object: JsonObject, place: Place, uids: ReadonlySet<string>) =>
    change(object, place, "ownerReferences", withoutOwners(object, uids));

  const withoutFinalizer = (object: JsonObject, place: Place, finalizer: string) =>
    change(
      object,
      place,
      "finalizers",
      finalizersOf(object).filter((one) => one !== finalizer),
    );

  /** Replaces one list in the metadata of exactly this state of the object. */
  function change(
    object: JsonObject,
    { resource, namespace, name }: Place,
    field: string,
    list: (string | JsonObject)[],
  ): Promise<Outcome> {
    const metadata = {
      uid: uidOf(object),
      resourceVersion: versionOf(object),
      [field]: list.length === 0 ? null : list,
    };
    return ask("PATCH", pathOf(resource, namespace, name), { metadata }, "application/merge-patch+json");
  }

  return {
    idle: () => queue.idle(),
    stop() {
      leave();
      queue.stop();
    },
  };
}

const mostGone = 500;

/** The newest of them: what they owned is soon looked at. */
function remember(gone: Set<string>, uid: string): void {
  gone.add(uid);
  const [oldest] = gone;
  if (gone.size > mostGone && oldest !== undefined) gone.delete(oldest);
}

const definitions = "/apiextensions.k8s.io/customresourcedefinitions/";

// Most objects own nothing and are owned by nothing: their text tells, without reading it.
const ownersIn = (record: StoredRecord) => (record.json.includes('"ownerReferences"') ? ownersOf(record.object()) : []);

function mayWait(record: StoredRecord): boolean {
  if (!record.json.includes('"deletionTimestamp"')) return false;
  const object = record.object();
  return waitsForDependents(object) || finalizersOf(object).includes(orphan);
}
