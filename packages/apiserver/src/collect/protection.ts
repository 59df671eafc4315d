// Volumes and claims that are being deleted: the finalizer that protects them goes when nothing uses them any more.
import { at, isObject, type JsonObject, text } from "../json.ts";
import { finalizersOf, isTerminating, nameOf } from "../registry/metadata.ts";
import type { StoreEvent } from "../store/store.ts";
import { asking, type Environment, following, pathOf, placeOf } from "./environment.ts";
import { type Controller, done, type Outcome, work } from "./work.ts";

const claims = "//persistentvolumeclaims/";
const volumes = "//persistentvolumes/";
const pods = "//pods/";
const protections: ReadonlySet<string> = new Set(["kubernetes.io/pvc-protection", "kubernetes.io/pv-protection"]);

export function startProtectionController(env: Environment): Controller {
  const { store, catalogue } = env;
  const ask = asking(env, "storage-protection-controller");
  const queue = work(env, release);
  const leave = following(store, begin, told);

  function begin(): void {
    for (const prefix of [claims, volumes]) for (const { key } of store.scan(prefix).records) queue.add(key);
  }

  function told({ key, record }: StoreEvent): void {
    if (key.startsWith(claims) || key.startsWith(volumes)) queue.add(key);
    if (key.startsWith(pods)) for (const claim of claimsOf(record.object())) queue.add(`${claims}${claim}`);
  }

  async function release(key: string): Promise<Outcome> {
    const object = store.get(key)?.object();
    const place = placeOf(catalogue, key);
    if (object === undefined || place === undefined || !isTerminating(object)) return done;
    const kept = finalizersOf(object).filter((f) => !protections.has(f));
    if (kept.length === finalizersOf(object).length || inUse(object, place.namespace)) return done;
    const metadata = { resourceVersion: text(at(object, "metadata", "resourceVersion")), finalizers: kept };
    const path = pathOf(place.resource, place.namespace, place.name);
    return ask("PATCH", path, { metadata }, "application/merge-patch+json");
  }

  /** A claim by a pod that has not ended; a volume by the claim that it is bound to. */
  function inUse(object: JsonObject, namespace: string): boolean {
    if (namespace === "") return text(at(object, "status", "phase")) === "Bound";
    const own = `${namespace}/${nameOf(object)}`;
    return store
      .scan(`${pods}${namespace}/`)
      .records.some((record) => claimsOf(record.object()).includes(own) && !hasEnded(record.object()));
  }

  return {
    idle: () => queue.idle(),
    stop() {
      leave();
      queue.stop();
    },
  };
}

const hasEnded = (pod: JsonObject): boolean => ["Succeeded", "Failed"].includes(text(at(pod, "status", "phase")));

/** `namespace/name` of the claims that a pod mounts. */
function claimsOf(pod: JsonObject): string[] {
  const list = at(pod, "spec", "volumes");
  const namespace = text(at(pod, "metadata", "namespace"));
  return (Array.isArray(list) ? list : []).filter(isObject).flatMap((volume) => {
    const name = text(at(volume, "persistentVolumeClaim", "claimName"));
    return name === "" ? [] : [`${namespace}/${name}`];
  });
}
