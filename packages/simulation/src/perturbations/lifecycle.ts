// P26-P28: what an object lives by goes away: its definition, its namespace, its owner.
import { formatTime, type Kind, type KubeObject, toCrd } from "@telltale/kinds";
import type { Fault } from "../fault.ts";
import { numberIn, type Perturbation, textIn } from "../perturbation.ts";
import type { Reference } from "../reference.ts";
import type { Scenario } from "../scenario.ts";
import { edit, type Loose, make, type Propagation, remove, there, until } from "../stranger.ts";
import type { World } from "../world.ts";
import { after, each, kindOf, ownerOf, type Place, placesOf, spread } from "./places.ts";

const most = 12;
const minute = 60_000;

export const lifecycle: readonly Perturbation[] = [
  {
    id: "P26",
    what: "a definition is deleted and comes back, another version is stored, or conversion fails",
    free: ({ kind }) => [`CustomResourceDefinition *`, `${kind} *.apiVersion`],
    *plans(reference) {
      const quiet = reference.scenario.kinds.map(({ kind }) => ({ write: 0, kind }));
      const all = placesOf(reference).flatMap((place) => {
        const kind = declaredFor(reference, place);
        return kind === undefined ? [] : [{ write: place.write, kind: kind.kind }];
      });
      const places = [...quiet, ...spread(all, most)];
      for (const [{ write, kind }, how] of each(places, ["recreated", "stored", "unconvertible"]))
        yield { p: "P26", write, kind, how };
    },
    arm(fault, world) {
      const [write, how] = [numberIn(fault, "write"), textIn(fault, "how")];
      const kind = world.scenario.kinds.find((it) => it.kind === textIn(fault, "kind"));
      if (kind === undefined) throw new TypeError(`fault P26: the scenario declares no ${fault["kind"]}`);
      const act = () => (how === "recreated" ? recreates(world, kind) : migrates(world, kind, how === "unconvertible"));
      if (write === 0) world.whenQuiet(`the definition of ${kind.kind} is ${how}`, act);
      else after(world, write, () => world.do(`the definition of ${kind.kind} is ${how}`, act));
    },
  },
  {
    id: "P27",
    what: "a namespace is terminating: nothing new is taken, everything in it goes",
    expects: ({ namespace }, scenario) => (isWhole(scenario, namespace) ? "gone" : "own"),
    *plans(reference) {
      const found = placesOf(reference).flatMap(({ write, change }) => {
        const { namespace } = change.after.metadata ?? {};
        return namespace === undefined || isGiven(reference.scenario, namespace) ? [] : [{ write, namespace }];
      });
      for (const it of spread(found, 2 * most)) yield { p: "P27", ...it };
    },
    arm(fault, world) {
      const namespace = textIn(fault, "namespace");
      after(world, numberIn(fault, "write"), () => world.do(`ends ${namespace}`, () => terminates(world, namespace)));
    },
  },
  {
    id: "P28",
    what: "an owner is deleted, its children orphaned or collected, and perhaps another one comes under its name",
    expects: ({ policy, then }) => (policy === "Orphan" ? "own" : then === "again" ? "same" : "gone"),
    *plans(reference) {
      const found = placesOf(reference).flatMap((place) => {
        const on = ownerOf(reference, place.change);
        return on === undefined ? [] : [{ write: place.write, on }];
      });
      for (const [{ write, on }, policy] of each(spread(found, most), policies)) {
        yield { p: "P28", write, on, policy, then: "gone" };
        yield { p: "P28", write, on, policy, then: "again" };
      }
    },
    arm(fault, world) {
      after(world, numberIn(fault, "write"), () => deletes(fault, world));
    },
  },
];

const policies: readonly Propagation[] = ["Background", "Foreground", "Orphan"];

function declaredFor(reference: Reference, { change }: Place): Kind | undefined {
  const on = ownerOf(reference, change);
  return reference.scenario.kinds.find((it) => on?.startsWith(`/${it.group}/${it.plural}/`));
}

/** A namespace that is there before the operator is where the operator itself lives, and ends with it. */
const isGiven = ({ given = [] }: Scenario, namespace: string): boolean =>
  given.some(({ kind, metadata }) => kind === "Namespace" && metadata?.name === namespace);

/** Where the whole scenario lives in the namespace, all of it goes. */
function isWhole({ apply }: Scenario, namespace: unknown): boolean {
  return apply.every(({ metadata }) => metadata?.namespace === namespace);
}

function deletes(fault: Fault, world: World): void {
  const on = textIn(fault, "on");
  const policy = policies.find((it) => it === fault["policy"]) ?? "Background";
  const object = there(world, on);
  if (object === undefined || object.metadata?.deletionTimestamp !== undefined) return;
  const { uid } = object.metadata ?? {};
  world.do(`deletes ${on}, ${policy}`, () => remove(world, on, policy, uid));
  if (fault["then"] !== "again" || isOperators(world, on, uid)) return;
  const isGone = () => there(world, on)?.metadata?.uid !== uid;
  const again = () =>
    world.do(`makes ${on} again`, async () => {
      if (!world.wishes.isUnwanted(on)) await make(world, on, manifestOf(world, last(world, on, uid) ?? object));
    });
  world.busyFor(0);
  world.clock.after(0, () => until(world, isGone, again));
}

/** An object as it was before it went: until then somebody may have changed it. */
const last = ({ history }: World, key: string, uid: string | undefined): Loose | undefined =>
  history.changes.findLast((it) => it.key === key && it.after.metadata?.uid === uid)?.after as Loose | undefined;

/** The object as a person would write it down, to make it once more. */
function manifestOf({ scenario }: World, object: Loose): KubeObject {
  const { kind, metadata, spec } = object;
  const { name, namespace, labels } = metadata ?? {};
  const applied = [...(scenario.given ?? []), ...scenario.apply].find(
    (it) => it.kind === kind && it.metadata?.name === name && it.metadata?.namespace === namespace,
  );
  const { annotations } = applied?.metadata ?? {};
  // It may have been stored in another version.
  const { apiVersion = object.apiVersion } = kindOf(scenario.kinds, object) ?? {};
  return {
    apiVersion,
    kind,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    ...(spec === undefined ? {} : { spec }),
  } as KubeObject;
}

const definition = ({ plural, group }: Kind): string =>
  `/apiextensions.k8s.io/customresourcedefinitions/${plural}.${group}`;

/** What the operator made is its own to make again, also where it has no owner. */
const isOperators = ({ history }: World, key: string, uid: string | undefined): boolean =>
  history.changes.some(
    (it) => it.key === key && it.type === "ADDED" && it.after.metadata?.uid === uid && it.author !== undefined,
  );

/** All objects go with their definition. Once it is gone it is made again, and so are those of people. */
async function recreates(world: World, kind: Kind): Promise<void> {
  const place = `/${kind.group}/${kind.plural}/`;
  const isPeoples = ({ key, object }: { readonly key: string; readonly object: Loose }) =>
    !object.metadata?.deletionTimestamp &&
    !object.metadata?.ownerReferences &&
    !isOperators(world, key, object.metadata?.uid);
  const before = world.server.store
    .scan(place)
    .records.map((record) => ({ key: record.key, object: record.object() as Loose }))
    .filter(isPeoples);
  const from = world.history.length;
  const { uid } = there(world, definition(kind))?.metadata ?? {};
  await remove(world, definition(kind), "Background");
  const again = async () => {
    if (there(world, definition(kind)) === undefined) await make(world, definition(kind), toCrd(kind) as KubeObject);
    // Until it was gone somebody may have come with another one.
    const since = world.history.changes
      .slice(from)
      .filter(({ type, key }) => type === "ADDED" && key.startsWith(place))
      .map(({ key, after }) => ({ key, object: after as Loose }))
      .filter(isPeoples);
    for (const { key, object } of [...before, ...since]) {
      const was = last(world, key, object.metadata?.uid) ?? object;
      const isWanted = there(world, key) === undefined && !world.wishes.isUnwanted(key);
      if (isWanted) await make(world, key, manifestOf(world, was));
    }
  };
  // Somebody else may have been faster in making it again.
  const isGone = () => there(world, definition(kind))?.metadata?.uid !== uid;
  until(world, isGone, () => world.do(`the definition of ${kind.kind} is back`, again));
}

interface Versions {
  readonly versions: readonly { readonly name: string; readonly storage: boolean }[];
  readonly conversion?: unknown;
}

const next = "v99";

/** For a while another version is the one that is stored; perhaps nobody is there who could convert to it. */
async function migrates(world: World, kind: Kind, cannotConvert: boolean): Promise<void> {
  const set = (change: (spec: Versions) => Versions) =>
    edit(world, definition(kind), { manager: "person" }, (crd) => ({ ...crd, spec: change(crd["spec"] as Versions) }));
  await set((spec) => {
    const [first] = spec.versions.filter(({ storage }) => storage);
    const others = spec.versions.filter(({ name }) => name !== next).map((it) => ({ ...it, storage: false }));
    return {
      ...spec,
      versions: [...others, ...(first === undefined ? [] : [{ ...first, name: next, storage: true }])],
      ...(cannotConvert ? { conversion: nobody } : {}),
    };
  });
  world.busyFor(minute);
  const back = () =>
    set((spec) => ({
      ...spec,
      versions: spec.versions.map((it) => ({ ...it, storage: it.name === kind.version })),
      conversion: toCrd(kind).spec.conversion ?? { strategy: "None" },
    }));
  world.clock.after(minute, () => world.do(`the definition of ${kind.kind} is as it was`, back));
}

const nobody = {
  strategy: "Webhook",
  webhook: {
    conversionReviewVersions: ["v1"],
    clientConfig: { service: { namespace: "default", name: "nobody", path: "/convert" } },
  },
};

/** Also one that the server would not let go: what happens then is the same for all. */
function terminates({ server, clock }: World, namespace: string): void {
  const record = server.store.get(`//namespaces/${namespace}`);
  if (record === undefined) return;
  const { metadata, ...rest } = record.object();
  const { resourceVersion: _version, ...kept } = (metadata ?? {}) as Readonly<Record<string, never>>;
  const object = {
    ...rest,
    metadata: { ...kept, deletionTimestamp: formatTime(clock.now()) },
    status: { phase: "Terminating" },
  };
  server.store.commit(record.key, { expect: record.revision, object });
}
