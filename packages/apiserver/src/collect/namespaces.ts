// Namespaces that are being deleted: their pods go first, then everything else, and when nothing is left the namespace itself.
import { deepEqual, formatTime } from "@telltale/kinds";
import { at, isObject, type JsonObject } from "../json.ts";
import { isTerminating, nameOf } from "../registry/metadata.ts";
import { listPrefix, type Resource } from "../registry/resource.ts";
import type { StoreEvent } from "../store/store.ts";
import { asking, type Environment, following, pathOf, placeOf } from "./environment.ts";
import { type Emptying, namespaceConditions } from "./namespace-conditions.ts";
import { type Controller, done, type Outcome, work } from "./work.ts";

export function startNamespaceController(env: Environment): Controller {
  const { store, catalogue, clock } = env;
  const ask = asking(env, "namespace-controller");
  const terminating = new Set<string>();
  const queue = work(env, empty);
  const leave = following(store, begin, told);

  function begin(): void {
    terminating.clear();
    for (const record of store.scan(prefix).records) consider(record.object());
  }

  function told({ type, key, record }: StoreEvent): void {
    if (key.startsWith(prefix)) {
      if (type === "DELETED") terminating.delete(key.slice(prefix.length));
      else consider(record.object());
    } else if (terminating.size > 0) {
      const namespace = placeOf(catalogue, key)?.namespace ?? "";
      if (terminating.has(namespace)) queue.add(namespace);
    }
  }

  function consider(namespace: JsonObject): void {
    if (!isTerminating(namespace)) return;
    terminating.add(nameOf(namespace));
    queue.add(nameOf(namespace));
  }

  async function empty(name: string): Promise<Outcome> {
    const namespace = store.get(prefix + name)?.object();
    if (namespace === undefined || !isTerminating(namespace) || !finalizersIn(namespace).includes(ours)) return done;
    const own = namespaced();
    const pods = own.filter((r) => r.group === "" && r.resource === "pods");
    const failures = await deleteAll(pods, name);
    // While pods run, what they use stays; that they remain is not told.
    if (remaining(pods, name).length > 0) return tell(namespace, { failures, remaining: [] });
    const rest = own.filter((r) => !pods.includes(r));
    const emptying = { failures: [...failures, ...(await deleteAll(rest, name))], remaining: remaining(own, name) };
    const told = await tell(namespace, emptying);
    return told.is !== "done" || emptying.remaining.length > 0 ? told : finalize(name);
  }

  /** Each place where objects of a namespace are kept, once, in order. */
  function namespaced(): Resource[] {
    const places = new Map<string, Resource>();
    for (const r of catalogue.all()) {
      const place = `${r.storage.group}/${r.storage.resource}`;
      const stored = r.group === r.storage.group && r.version === r.storageVersion;
      if (r.namespaced && r.verbs.includes("delete") && (stored || !places.has(place))) places.set(place, r);
    }
    return [...places].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, r]) => r);
  }

  const content = (r: Resource, namespace: string) =>
    store.scan(listPrefix(r, namespace)).records.map((record) => record.object());

  const remaining = (resources: readonly Resource[], namespace: string): Emptying["remaining"] =>
    resources
      .map((resource) => ({ resource, objects: content(resource, namespace) }))
      .filter(({ objects }) => objects.length > 0);

  /** What could not be deleted, in words. */
  async function deleteAll(resources: readonly Resource[], namespace: string): Promise<string[]> {
    const failures: string[] = [];
    for (const r of resources) {
      const open = content(r, namespace).filter((object) => !isTerminating(object));
      if (open.length === 0) continue;
      const whole = r.verbs.includes("deletecollection");
      for (const path of whole ? [pathOf(r, namespace)] : open.map((object) => pathOf(r, namespace, nameOf(object)))) {
        const outcome = await ask("DELETE", path, background);
        if (outcome.is === "failed") failures.push(outcome.why);
      }
    }
    return failures;
  }

  /** Writes what is known of the content, if that is new. What failed is tried again later. */
  async function tell(namespace: JsonObject, emptying: Emptying): Promise<Outcome> {
    const conditions = namespaceConditions(namespace, emptying, formatTime(clock.now()));
    const [why] = emptying.failures;
    const outcome: Outcome = why === undefined ? done : { is: "failed", why };
    if (deepEqual(at(namespace, "status", "conditions") ?? null, conditions)) return outcome;
    const status = namespace["status"];
    const next = { ...namespace, status: { ...(isObject(status) ? status : {}), conditions } };
    const written = await ask("PUT", `/api/v1/namespaces/${nameOf(namespace)}/status`, next);
    return written.is === "done" ? outcome : written;
  }

  async function finalize(name: string): Promise<Outcome> {
    const namespace = store.get(prefix + name)?.object();
    if (namespace === undefined) return done;
    const spec = namespace["spec"];
    const finalizers = finalizersIn(namespace).filter((finalizer) => finalizer !== ours);
    const next = { ...namespace, spec: { ...(isObject(spec) ? spec : {}), finalizers } };
    return ask("PUT", `/api/v1/namespaces/${name}/finalize`, next);
  }

  return {
    idle: () => queue.idle(),
    stop() {
      leave();
      queue.stop();
    },
  };
}

const prefix = "//namespaces/";
const ours = "kubernetes";
const background = { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" };

function finalizersIn(namespace: JsonObject): string[] {
  const list = at(namespace, "spec", "finalizers");
  return Array.isArray(list) ? list.filter((finalizer) => typeof finalizer === "string") : [];
}
