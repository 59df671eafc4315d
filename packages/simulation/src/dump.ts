// The server's state as it can be compared between runs: without what time and chance decide.
import type { ApiServer } from "@telltale/apiserver";
import { deepEqual, type KubeObject } from "@telltale/kinds";
import { isNoise } from "./history.ts";

/** Objects by `Kind namespace/name`, with symbols for uids and times. */
export type Dump = ReadonlyMap<string, KubeObject>;

export function dumpOf(server: ApiServer, since: number, given: readonly KubeObject[] = []): Dump {
  // What was there before counts too, changed or not: it may be made anew.
  const before = new Set(given.map(({ metadata }) => placeOf(metadata?.namespace, metadata?.name)));
  const isGiven = (key: string) => before.has(key.split("/").slice(3).join("/"));
  const objects = server.store
    .scan("/")
    .records.filter(({ key, revision }) => (revision > since || isGiven(key)) && !isNoise(key))
    .map((record) => record.object() as KubeObject);
  const names = namesOf(objects);
  const symbols = new Map(objects.map((it) => [it.metadata?.uid ?? "", `<uid of ${names.get(it)}>`] as const));
  const own = new Map(
    objects.map((it) => [it.metadata?.name ?? "", names.get(it)?.split(/[ /]/).at(-1) ?? ""] as const),
  );
  return new Map(objects.map((it) => [names.get(it) ?? "", plain(it, symbols, own) as KubeObject] as const));
}

const placeOf = (namespace: string | undefined, name: string | undefined): string =>
  namespace === undefined ? `${name}` : `${namespace}/${name}`;

/** A name that chance gave is told by what made it: `Pod default/web-<1>`. */
function namesOf(objects: readonly KubeObject[]): ReadonlyMap<KubeObject, string> {
  const counts = new Map<string, number>();
  return new Map(
    objects.map((it) => {
      const { namespace, name = "", generateName } = it.metadata ?? {};
      const place = `${it.kind} ${namespace === undefined ? "" : `${namespace}/`}`;
      if (generateName === undefined || !name.startsWith(generateName)) return [it, place + name] as const;
      const count = (counts.get(place + generateName) ?? 0) + 1;
      counts.set(place + generateName, count);
      return [it, `${place}${generateName}<${count}>`] as const;
    }),
  );
}

/** The hash of what was applied covers the owner's uid, and a Job is labelled with its own. */
const dropped: ReadonlySet<string> = new Set([
  "managedFields",
  "resourceVersion",
  "generation",
  "observedGeneration",
  "telltale.dev/applied",
  "controller-uid",
  "batch.kubernetes.io/controller-uid",
]);
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** What the server picks out of a range. Who asks for none gets none. */
const allocated: ReadonlySet<string> = new Set(["clusterIP", "clusterIPs", "nodePort"]);
const isNone = (value: unknown): boolean => String(value) === "None";

function plain(value: unknown, uids: ReadonlyMap<string, string>, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return time.test(value) ? "<time>" : (uids.get(value) ?? names.get(value) ?? value);
  if (Array.isArray(value)) return value.map((item) => plain(item, uids, names));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !dropped.has(name))
      .map(([name, item]) => [
        name,
        allocated.has(name) && !isNone(item) ? "<any>" : plain(byType(name, item), uids, names),
      ]),
  );
}

/** Conditions are compared one by one. */
function byType(name: string, value: unknown): unknown {
  if (name !== "conditions" || !Array.isArray(value)) return value;
  return Object.fromEntries(value.map((it: { readonly type?: string }) => [it.type ?? "", it]));
}

/** Where two ends differ, in words. `free`: paths that may. */
export function differences(reference: Dump, ours: Dump, free: readonly string[] = []): string[] {
  const found: string[] = [];
  const isFree = (path: string) => free.some((pattern) => matches(pattern, path));
  for (const name of new Set([...reference.keys(), ...ours.keys()])) {
    const [before, after] = [reference.get(name), ours.get(name)];
    if (isFree(name)) continue;
    if (after === undefined) found.push(`${name} is not there`);
    else if (before === undefined) found.push(`${name} is there, and should not be`);
    else compare(name, before, after, isFree, found);
  }
  return found;
}

function compare(path: string, a: unknown, b: unknown, isFree: (path: string) => boolean, found: string[]): void {
  if (deepEqual(a, b) || isFree(path)) return;
  if (isRecord(a) && isRecord(b)) {
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
      compare(`${path}.${name}`, a[name], b[name], isFree, found);
    }
  } else found.push(`${path} is ${JSON.stringify(b)}, not ${JSON.stringify(a)}`);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `*` stands for anything within a name, a pattern for everything below it. */
function matches(pattern: string, path: string): boolean {
  const source = pattern.split("*").map(escaped).join(".*");
  return new RegExp(`^${source}(\\..*)?$`).test(path);
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
