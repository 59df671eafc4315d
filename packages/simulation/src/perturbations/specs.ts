// P33, P34: specs at the edges of their schema, from the beginning or later, and back to what they were.
import { deepEqual, type Kind, type KubeObject } from "@telltale/kinds";
import type { Fault } from "../fault.ts";
import { type Perturbation, textIn } from "../perturbation.ts";
import type { Reference } from "../reference.ts";
import { type Edge, edges, valueAt, withValue } from "../schema-values.ts";
import { edit, type Loose, there } from "../stranger.ts";
import type { World } from "../world.ts";
import { kindOf, spread } from "./places.ts";

const mostAtBirth = 80;
const mostLater = 240;

export const specs: readonly Perturbation[] = [
  {
    id: "P33",
    what: "an object is made with a value at the edge of its schema, which is put right later",
    *plans(reference) {
      const found = applied(reference).flatMap(({ key, kind, manifest }) => {
        const lives = reference.changes.filter((it) => it.key === key).map(({ after }) => (after as Loose)["spec"]);
        const isKept = ({ at }: Edge) => lives.every((it) => deepEqual(valueAt(it, at), valueAt(lives[0], at)));
        // What people change later on is not ours to put right.
        return [...edges(kind.schema.spec, manifest["spec"])].filter(isKept).map(({ at, as }) => ({ on: key, at, as }));
      });
      for (const it of spread(found, mostAtBirth)) yield { p: "P33", ...it };
    },
    arm(fault, world) {
      const [on, at] = [textIn(fault, "on"), textIn(fault, "at")];
      const kind = kindAt(world.scenario.kinds, on);
      world.edits.push((manifest) => {
        const found = kind !== undefined && keyOf(kind, manifest) === on ? edgeOf(fault, kind, manifest) : undefined;
        return found === undefined ? manifest : withSpec(manifest as Loose, at, found.value);
      });
      const manifest = world.scenario.apply.find((it) => kind !== undefined && keyOf(kind, it) === on) as
        | Loose
        | undefined;
      const right = valueAt(manifest?.["spec"], at);
      world.whenQuiet(`puts ${at} of ${on} right`, () => set(world, on, at, right));
    },
  },
  {
    id: "P34",
    what: "a spec is set to a value at the edge of its schema, and later rolled back",
    *plans(reference) {
      const found = applied(reference).flatMap(({ key, kind }) => {
        const last = reference.changes.findLast((it) => it.key === key);
        if (last === undefined || last.type === "DELETED") return [];
        return [...edges(kind.schema.spec, (last.after as Loose)["spec"])].map(({ at, as }) => ({ on: key, at, as }));
      });
      for (const it of spread(found, mostLater)) yield { p: "P34", ...it };
    },
    arm(fault, world) {
      const [on, at] = [textIn(fault, "on"), textIn(fault, "at")];
      let was: { readonly value: unknown } | undefined;
      world.whenQuiet(`sets ${at} of ${on}: ${fault["as"]}`, () => {
        const object = there(world, on);
        const kind = object === undefined ? undefined : kindOf(world.scenario.kinds, object);
        const found = object === undefined || kind === undefined ? undefined : edgeOf(fault, kind, object);
        if (found === undefined) return undefined;
        was = { value: valueAt(object?.["spec"], at) };
        return set(world, on, at, found.value);
      });
      world.whenQuiet(`rolls ${at} of ${on} back`, () =>
        was === undefined ? undefined : set(world, on, at, was.value),
      );
    },
  },
];

interface Applied {
  readonly key: string;
  readonly kind: Kind;
  readonly manifest: Loose;
}

function applied({ scenario: { apply, kinds } }: Reference): Applied[] {
  return apply.flatMap((manifest) => {
    const kind = kindOf(kinds, manifest);
    return kind === undefined ? [] : [{ key: keyOf(kind, manifest), kind, manifest: manifest as Loose }];
  });
}

function keyOf(kind: Kind, { kind: name, metadata }: KubeObject): string {
  const place = kind.scope === "Cluster" ? "" : `${metadata?.namespace ?? "default"}/`;
  return name === kind.kind ? `/${kind.group}/${kind.plural}/${place}${metadata?.name}` : "";
}

const kindAt = (kinds: readonly Kind[], key: string): Kind | undefined =>
  kinds.find((it) => key.startsWith(`/${it.group}/${it.plural}/`));

/** The edge that a fault names, for an object as it is now. */
function edgeOf(fault: Fault, kind: Kind, object: KubeObject): Edge | undefined {
  const all = edges(kind.schema.spec, (object as Loose)["spec"]);
  return [...all].find(({ at, as }) => at === fault["at"] && as === fault["as"]);
}

const withSpec = (object: Loose, at: string, value: unknown): Loose => ({
  ...object,
  spec: withValue(object["spec"], at, value),
});

const set = (world: World, on: string, at: string, value: unknown): Promise<void> =>
  edit(world, on, { manager: "person" }, (object) =>
    deepEqual(valueAt(object["spec"], at), value) ? undefined : withSpec(object, at, value),
  );
