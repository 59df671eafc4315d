// P30: children are deleted, changed, or have their name taken by somebody else's.
import type { KubeObject } from "@telltale/kinds";
import type { Fault } from "../fault.ts";
import { type Change, isNoise } from "../history.ts";
import { numberIn, type Perturbation, textIn } from "../perturbation.ts";
import type { Reference } from "../reference.ts";
import { escaped, valueAt, withValue } from "../schema-values.ts";
import { edit, type Loose, make, remove, there } from "../stranger.ts";
import type { World } from "../world.ts";
import { after, kindOf, ownerOf, type Place, placesOf, spread } from "./places.ts";

const most = 24;
/** How long somebody else's has the name. */
const stays = 60_000;
const monkey = { manager: "monkey" } as const;
const mark = "example.net/stranger";

export const children: readonly Perturbation[] = [
  {
    id: "P30",
    what: "a child is deleted, changed by somebody else, or replaced by a stranger of the same name",
    expects: ({ how, kind }, { leaves = [] }) =>
      how === "replaced" || leaves.some((it) => it === kind) ? "own" : "same",
    *plans(reference) {
      const places = placesOf(reference).flatMap((place) =>
        childrenAt(reference, place).map(({ key, after: { kind = "" } }) => ({ write: place.write, on: key, kind })),
      );
      for (const it of spread(places, most)) yield { p: "P30", how: "deleted", ...it };
      const fields = places.flatMap((it) => fieldsOf(reference, it.on).map((at) => ({ ...it, at })));
      for (const it of spread(fields, most)) yield { p: "P30", how: "changed", ...it };
      for (const it of spread(fields, most / 2)) yield { p: "P30", how: "replaced", ...it };
    },
    arm(fault, world) {
      const [on, how] = [textIn(fault, "on"), textIn(fault, "how")];
      const act = () => {
        if (how === "deleted") return remove(world, on, "Background");
        return how === "replaced" ? replaces(fault, world, on) : changes(fault, world, on);
      };
      after(world, numberIn(fault, "write"), () => world.do(`${on} is ${how}`, act, "monkey"));
    },
  },
];

/** Those of the same owner as what was written, that are there by then. */
function childrenAt(reference: Reference, { change }: Place): Change[] {
  const owner = ownerOf(reference, change);
  const last = new Map<string, Change>();
  for (const it of reference.changes) {
    if (it.revision > change.revision) break;
    if (isNoise(it.key) || !isChild(reference, it.after)) continue;
    if (ownerOf(reference, it) === owner) last.set(it.key, it);
  }
  return [...last.values()].filter(({ type }) => type !== "DELETED");
}

const isChild = ({ scenario: { kinds } }: Reference, { metadata }: KubeObject): boolean =>
  metadata?.ownerReferences?.some((it) => it.controller === true && kindOf(kinds, it) !== undefined) === true;

/** The fields that the operator asked for when it last wrote a child. */
function fieldsOf({ changes }: Reference, key: string): string[] {
  const body = changes.findLast((it) => it.key === key && typeof it.sent?.request.body === "string")?.sent?.request
    .body;
  const said: unknown = typeof body === "string" ? JSON.parse(body) : undefined;
  if (typeof said !== "object" || said === null || Array.isArray(said)) return [];
  const { apiVersion: _a, kind: _k, metadata: _m, status: _s, ...fields } = said as Loose;
  return [...leaves(fields)];
}

/** By which items of lists are told apart: with another one it is another item, and the old one is not there any more. */
const keys: ReadonlySet<string> = new Set([
  "name",
  "key",
  "port",
  "containerPort",
  "protocol",
  "ip",
  "type",
  "mountPath",
]);

function* leaves(value: unknown, at = "", isItem = false): Iterable<string> {
  if (typeof value !== "object" || value === null) yield at;
  else
    for (const [name, inner] of Object.entries(value))
      if (!isItem || !keys.has(name)) yield* leaves(inner, `${at}/${escaped(name)}`, Array.isArray(value));
}

const changes = (fault: Fault, world: World, on: string): Promise<void> =>
  edit(world, on, monkey, (object) =>
    valueAt(object, textIn(fault, "at")) === undefined ? undefined : other(fault, object),
  );

function other(fault: Fault, object: KubeObject): KubeObject {
  const at = textIn(fault, "at");
  return withValue(object, at, another(valueAt(object, at))) as KubeObject;
}

const another = (value: unknown): unknown =>
  typeof value === "number" ? value + 1 : typeof value === "boolean" ? !value : `${String(value)}x`;

/** Somebody else's object under its name: to be left alone, whoever looks for a child there. */
async function replaces(fault: Fault, world: World, on: string): Promise<void> {
  const object = there(world, on);
  if (object === undefined) return;
  await remove(world, on, "Background");
  const { status: _status, metadata, ...rest } = object;
  const { name = "", namespace } = metadata ?? {};
  const place = { name, ...(namespace === undefined ? {} : { namespace }), labels: { [mark]: "yes" } };
  await make(world, on, other(fault, { ...rest, metadata: place } as KubeObject));
  const { uid } = there(world, on)?.metadata ?? {};
  const since = world.history.length;
  world.busyFor(stays);
  world.clock.after(stays, () => {
    const touched = world.history.changes
      .slice(since)
      .find((it) => it.key === on && it.author !== undefined && it.after.metadata?.uid === uid);
    if (touched !== undefined) world.violate("I13", `${touched.says}, which is somebody else's`);
    if (there(world, on)?.metadata?.uid === uid)
      world.do(`takes ${on} away again`, () => remove(world, on, "Background"), "monkey");
  });
}
