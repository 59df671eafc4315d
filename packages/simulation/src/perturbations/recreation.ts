// P13: an object goes and comes back under its name while the operator does not look, and the list that tells of it has
// another order.
import { uuid } from "@telltale/clock";
import type { KubeObject, Ms } from "@telltale/kinds";
import type { Fault } from "../fault.ts";
import { isNoise } from "../history.ts";
import { numberIn, type Perturbation, textIn } from "../perturbation.ts";
import type { Scenario } from "../scenario.ts";
import { backwards } from "../servers/skewed.ts";
import { remove, there } from "../stranger.ts";
import type { World } from "../world.ts";
import { kindOfTarget, onChange, onRequest } from "./moments.ts";
import { kindOf, spread } from "./places.ts";

const most = 16;
/** How long the operator does not look. */
const unseen: Ms = 2_000;

/**
 * Whose object it is decides what comes of it: one that a person made runs through its life anew, and ends as that life does;
 * any other is put back as it was, by a backup for example.
 */
export const recreations: readonly Perturbation[] = [
  {
    id: "P13",
    what: "relist in another order, of objects that were made again under the same name",
    expects: (fault, { leaves = [] }) => (fault["of"] === "person" || leaves.length > 0 ? "own" : "same"),
    *plans({ changes, watched, scenario }): Iterable<Fault> {
      const places = changes
        .filter(({ key }) => !isNoise(key))
        .map(({ key, type, after }, i) => ({ key, type, after, change: i + 1 }))
        .filter(({ key, type }) => type !== "DELETED" && watched.some((kind) => key.startsWith(`/${kind}/`)));
      for (const { change, after } of spread(places, most)) {
        yield { p: "P13", change, of: isPersonal(scenario, after) ? "person" : "others" };
      }
    },
    arm(fault, world) {
      const isPersons = textIn(fault, "of") === "person";
      onChange(world, numberIn(fault, "change"), ({ key, after }) => {
        // Beside other faults it may be another object's turn.
        if (isPersons !== isPersonal(world.scenario, after)) return;
        world.clock.after(0, () => (isPersons ? startAnew(world, key) : putBack(world, key)));
      });
    },
  },
];

const isPersonal = ({ apply, kinds }: Scenario, object: KubeObject): boolean =>
  kindOf(kinds, object) !== undefined &&
  apply.some(({ kind, metadata }) => kind === object.kind && metadata?.name === object.metadata?.name);

function putBack(world: World, key: string): void {
  const { store } = world.server;
  const object = store.get(key)?.object();
  if (object === undefined || there(world, key)?.metadata?.deletionTimestamp !== undefined) return;
  world.trace.note(world.clock.now(), "fault", `${key} is deleted`);
  lookAway(world, key);
  const { metadata } = object;
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) return;
  const { resourceVersion: _old, uid, ...kept } = metadata;
  // A Job names itself in its selector: whoever makes one again lets it choose anew.
  const text = JSON.stringify({ ...object, metadata: { ...kept, uid } });
  const again = JSON.parse(text.replaceAll(String(uid), uuid(world.random))) as typeof object;
  store.commit(key, { object: undefined });
  // Whoever restores the server to this very moment has to make it again.
  world.do(`makes ${key} again`, () => {
    if (store.get(key) === undefined) store.commit(key, { object: again });
  });
}

/** A person deletes it, and applies it again as soon as it is gone. */
function startAnew(world: World, key: string): void {
  const before = there(world, key);
  const applied = world.scenario.apply.find(
    ({ kind, metadata }) => kind === before?.kind && metadata?.name === before?.metadata?.name,
  );
  if (before === undefined || applied === undefined) return;
  const again = { ...applied, ...("spec" in before ? { spec: before["spec"] } : {}) };
  const stop = world.history.listen(({ key: of, type }) => {
    if (of !== key || type !== "DELETED") return;
    stop();
    lookAway(world, key);
    world.clock.after(0, () => world.do(`makes ${key} again`, () => world.apply(again)));
  });
  world.do(`deletes ${key}`, () => remove(world, key, "Background"));
}

/** The kind is not told of what happens next, and is listed anew and backwards after a while. */
function lookAway(world: World, key: string): void {
  world.busyFor(unseen);
  const isOf = (kind: string) => key.startsWith(`/${kind}/`);
  let isOver = false;
  world.clock.after(unseen + 5_000, () => {
    isOver = true;
  });
  const told = new Set<unknown>();
  world.network.rules.unshift({
    line(stream) {
      if (isOver || !isOf(kindOfTarget(stream)) || told.has(stream) || !blind.has(stream)) return undefined;
      told.add(stream);
      return { do: "expire", after: unseen };
    },
  });
  const blind = new Set<unknown>(world.network.streams);
  onRequest(world, (sent) => {
    if (isOver || sent.method !== "GET" || !isOf(kindOfTarget(sent))) return undefined;
    return { do: "elsewhere", server: backwards(world.network.server) };
  });
}
