// The recorder: proxies around specs and settings that note which fields are read, and what is told of statuses and metrics.
//
// A field that is got by name counts as read. One that is got because all fields of its object are listed (a spread, a comparison,
// JSON) does not: that alone uses none of them. Whether an object was listed is noted, as that is how a part is passed on whole.
import type { UsageRecorder } from "@telltale/kinds/usage";

/** What is known of one field: whether it was read by its name, its own fields were listed, it had a value, and the same of each of them. */
export interface Reads {
  read?: true;
  listed?: true;
  /** It had a value. */
  set?: true;
  fields?: Record<string, Reads>;
}

export interface Usage {
  /** By `group/Kind`. */
  specs: Record<string, Reads>;
  /** By operator. */
  settings: Record<string, Reads>;
  /** Fields of a status that were written with a value, by `group/Kind`: `a.b[].c`. */
  statuses: Record<string, string[]>;
  /** `Type=Status/Reason`, by `group/Kind`. */
  conditions: Record<string, string[]>;
  metrics: Record<string, "declared" | "sampled">;
}

export interface Recording {
  readonly recorder: UsageRecorder;
  usage(): Usage;
}

/** Which parts of the program count as readers: a test that looks at a setting does not use it. */
export function recording(isReader: () => boolean = () => true): Recording {
  const specs: Record<string, Reads> = {};
  const settings: Record<string, Reads> = {};
  const statuses = new Map<string, Set<string>>();
  const conditions = new Map<string, Set<string>>();
  const metrics: Usage["metrics"] = {};
  const roots = new WeakMap<object, object>();
  /** Those that are recorded already. */
  const configs = new WeakSet<object>();

  const object: UsageRecorder["object"] = (kind, value) => {
    if (value === undefined) return value;
    const known = roots.get(value);
    if (known !== undefined) return known as typeof value;
    specs[kindName(kind)] ??= {};
    const root = reader(
      value,
      (key) => (key === "spec" ? specs[kindName(kind)] : undefined),
      () => true,
    );
    roots.set(value, root);
    return root as typeof value;
  };

  return {
    recorder: {
      object,
      objects: (kind, objects) => objects.map((one) => object(kind, one)),
      spec(kind, copy) {
        const name = kindName(kind);
        specs[name] ??= {};
        return watched(copy, specs[name], false, () => true) as typeof copy;
      },
      settings(operator, config) {
        if (typeof config !== "object" || config === null || configs.has(config)) return config;
        settings[operator] ??= {};
        shapeOf(config, settings[operator]);
        const seen = watched(config, settings[operator], false, isReader) as typeof config & object;
        configs.add(seen);
        return seen;
      },
      status(kind, status) {
        const name = kindName(kind);
        writes(status, "", setIn(statuses, name));
        for (const { type, status: value, reason } of conditionsOf(status)) {
          setIn(conditions, name).add(`${type}=${value}/${reason}`);
        }
      },
      metric(name, state) {
        if (metrics[name] !== "sampled") metrics[name] = state;
      },
    },
    usage: () => ({ specs, settings, statuses: sorted(statuses), conditions: sorted(conditions), metrics }),
  };
}

const kindName = ({ apiVersion, kind }: { apiVersion: string; kind: string }): string =>
  `${apiVersion.split("/")[0]}/${kind}`;

/** A proxy that hands on everything, and watches the fields for which there is a place to note their reads. */
function reader(target: object, notesOf: (key: string) => Reads | undefined, counts: () => boolean): object {
  const shell = Array.isArray(target) ? [] : {};
  return new Proxy(shell, {
    ...passedOn(target),
    get(_shell, key) {
      const value = Reflect.get(target, key) as unknown;
      const notes = typeof key === "string" ? notesOf(key) : undefined;
      return notes === undefined ? value : watched(value, notes, false, counts);
    },
  });
}

/** What JSON and promises look for in every object. */
const asked: ReadonlySet<string> = new Set(["toJSON", "then"]);

const proxies = new WeakMap<object, Map<Reads, [plain?: object, listed?: object]>>();

/** `isListed`: it was got with all other fields of its object, so that listing its own fields passes nothing on. */
function watched(value: unknown, notes: Reads, isListed: boolean, counts: () => boolean): unknown {
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  const known = proxies.get(value) ?? new Map<Reads, [object?, object?]>();
  proxies.set(value, known);
  const pair = known.get(notes) ?? [];
  known.set(notes, pair);
  const index = isListed ? 1 : 0;
  pair[index] ??= watch(value, notes, isListed, counts);
  return pair[index];
}

function watch(target: object, notes: Reads, isListed: boolean, counts: () => boolean): object {
  const isList = Array.isArray(target);
  /** Of fields that were listed, those that were not got since. */
  let pending = new Set<PropertyKey>();
  const noteOf = (key: string): Reads => {
    notes.fields ??= {};
    notes.fields[key] ??= {};
    return notes.fields[key];
  };
  return new Proxy(isList ? [] : {}, {
    ...passedOn(target),
    ownKeys() {
      const keys = Reflect.ownKeys(target);
      pending = new Set(keys);
      if (!isListed && !isList && counts()) notes.listed = true;
      return keys;
    },
    get(_shell, key) {
      const value = Reflect.get(target, key) as unknown;
      if (typeof key !== "string" || typeof value === "function" || asked.has(key)) return value;
      if (isList && key === "length") return value;
      if (isList) {
        if (value !== undefined) noteOf("[]").set = true;
        return watched(value, noteOf("[]"), isListed, counts);
      }
      const wasListed = pending.delete(key);
      if (!counts()) return value;
      const field = noteOf(key);
      if (value !== undefined && value !== null) field.set = true;
      if (!wasListed) field.read = true;
      return watched(value, field, isListed || wasListed, counts);
    },
    has(_shell, key) {
      if (typeof key === "string" && !isList && counts()) noteOf(key).read = true;
      return Reflect.has(target, key);
    },
  });
}

/** Notes which fields there are. */
function shapeOf(value: unknown, notes: Reads): void {
  if (typeof value !== "object" || value === null || Array.isArray(value) || !isPlain(value)) return;
  for (const [key, child] of Object.entries(value)) {
    notes.fields ??= {};
    notes.fields[key] ??= {};
    shapeOf(child, notes.fields[key]);
  }
}

/** What a proxy needs so that its shell is taken for the target, which may be frozen. */
function passedOn(target: object): ProxyHandler<object> {
  return {
    has: (_shell, key) => Reflect.has(target, key),
    ownKeys: () => Reflect.ownKeys(target),
    getPrototypeOf: () => Reflect.getPrototypeOf(target),
    getOwnPropertyDescriptor(shell, key) {
      const found = Reflect.getOwnPropertyDescriptor(target, key);
      if (found === undefined) return undefined;
      if (Array.isArray(shell) && key === "length") return { ...found, writable: true };
      return { ...found, configurable: true };
    },
    set: (_shell, key, value) => Reflect.set(target, key, value),
    deleteProperty: (_shell, key) => Reflect.deleteProperty(target, key),
    isExtensible: () => true,
  };
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype = Object.getPrototypeOf(value) as unknown;
  return prototype === Object.prototype || prototype === null;
}

/** The paths of all values in a status. */
function writes(value: unknown, path: string, into: Set<string>): void {
  if (value === undefined || value === null) return;
  if (path !== "") into.add(path);
  if (Array.isArray(value)) for (const item of value) writes(item, `${path}[]`, into);
  else if (typeof value === "object") {
    for (const [key, child] of Object.entries(value)) writes(child, path === "" ? key : `${path}.${key}`, into);
  }
}

interface WrittenCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

function conditionsOf(status: unknown): readonly WrittenCondition[] {
  return (status as { conditions?: readonly WrittenCondition[] } | undefined)?.conditions ?? [];
}

function setIn(map: Map<string, Set<string>>, name: string): Set<string> {
  const found = map.get(name) ?? new Set<string>();
  map.set(name, found);
  return found;
}

const sorted = (map: ReadonlyMap<string, ReadonlySet<string>>): Record<string, string[]> =>
  Object.fromEntries([...map].map(([name, values]) => [name, [...values].sort()]));
