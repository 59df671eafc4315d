// A bakery: the sound operator that each seeded bug is a small variant of. Two children, an oven outside with a finalizer, a
// deadline, a progress, and an inspector whose condition is not ours.
import {
  conditions,
  defineKind,
  Fields,
  type Instant,
  Int32,
  type KubeObject,
  type Ms,
  no,
  parseTime,
  phases,
  plus,
  positive,
  type Resource,
  Text,
  yes,
} from "@telltale/kinds";
import { ConfigMap, Service } from "@telltale/kinds/builtin";
import {
  type Controller,
  controller,
  done,
  type Ensured,
  type Finalized,
  type Hands,
  type Look,
} from "@telltale/runtime";
import { type Draft, progress, text } from "@telltale/status";
import type { Around, Scenario } from "../../src/index.ts";
import { type Batch, Oven } from "./oven.ts";

export const Loaf = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Loaf",
  plural: "loaves",
  spec: Fields({ flour: Text({ maxLength: 100 }), grams: Int32({ minimum: 1, maximum: 5000 }) }),
  status: Fields({ recipe: Text(), baked: Int32({ minimum: 0, maximum: 100 }) }),
  memory: ["recipe", "baked"],
  phases: phases({ Baking: ["Fresh", "Stale"], Fresh: ["Baking", "Stale"], Stale: ["Baking", "Fresh"] }),
  conditions: conditions({
    Ready: positive({
      means: "There is bread",
      reasons: {
        Fresh: yes("It is baked"),
        Baking: no("It is in the oven, or something is missing", "wait"),
        NameTaken: no("Somebody else has the name of something that it needs", "remove that, or choose another name"),
        OvenSilent: no("The oven does not answer", "look at the oven"),
        Stale: no("It is too old", "bake another one"),
      },
    }),
  }),
  finalizer: "example.com/oven",
});
export type Loaf = Resource<typeof Loaf>;

/** From its creation until it is stale. */
export const keeps: Ms = 240_000;
const asks: Ms = 15_000;

export interface Seen {
  readonly loaf: Loaf;
  readonly map: ConfigMap | undefined;
  readonly service: Service | undefined;
  readonly batch: Batch | "silent" | undefined;
  /** Whether somebody else has the name of something that it needs. */
  readonly isTaken: boolean;
}

/** What a careless author may get wrong. */
export interface Parts {
  observe(loaf: Loaf, look: Look, around: Around<Oven>): Promise<Seen>;
  act(seen: Seen, hands: Hands<typeof Loaf>, around: Around<Oven>): Promise<Seen>;
  status(seen: Seen, draft: Draft<typeof Loaf>, now: Instant): void;
  finalize(loaf: Loaf, around: Around<Oven>): Promise<Finalized>;
}

export const uidOf = ({ metadata }: KubeObject): string => metadata?.uid ?? "";
export const recipeOf = ({ spec }: Loaf): string => `${spec.grams} g of ${spec.flour}`;
export const staleAt = ({ metadata }: KubeObject, now: Instant): Instant =>
  plus(parseTime(metadata?.creationTimestamp) ?? now, keeps);

export const ticketOf = (loaf: Loaf) => ({
  metadata: { name: loaf.metadata.name ?? "" },
  data: { recipe: recipeOf(loaf) },
});

const shelfOf = ({ metadata: { name = "" } }: Loaf) => ({
  metadata: { name },
  spec: { ports: [{ port: 80 }], selector: { loaf: name } },
});

export const sound: Parts = {
  async observe(loaf, look, { backend }) {
    const isStale = look.now >= staleAt(loaf, look.now);
    const batch = isStale ? undefined : await backend.look(uidOf(loaf)).catch(silent);
    return { loaf, map: look.children(ConfigMap)[0], service: look.children(Service)[0], batch, isTaken: false };
  },
  async act(seen, hands, { backend }) {
    const { loaf } = seen;
    const ticket = await hands.ensure(ConfigMap, ticketOf(loaf));
    const shelf = await hands.ensure(Service, shelfOf(loaf));
    const isDue =
      hands.now < staleAt(loaf, hands.now) && seen.batch !== "silent" && seen.batch?.recipe !== recipeOf(loaf);
    const answer = isDue ? await backend.put(uidOf(loaf), recipeOf(loaf)).catch(silent) : undefined;
    return {
      ...seen,
      map: hands.children(ConfigMap)[0],
      service: hands.children(Service)[0],
      isTaken: isAway(ticket) || isAway(shelf),
      batch: answer ?? seen.batch,
    };
  },
  status({ loaf, map, service, batch, isTaken }, draft, now) {
    const [recipe, end] = [recipeOf(loaf), staleAt(loaf, now)];
    const before = { epoch: String(draft.memory("recipe")), done: Number(draft.memory("baked")) };
    const found = batch !== "silent" && batch?.recipe === recipe ? batch.baked : 0;
    const baked = progress(before, { epoch: recipe, done: found, total: 100 });
    const isReady = map !== undefined && service !== undefined && baked.done === 100;
    draft.phase("Baking").wake(isTaken ? plus(now, asks) : undefined);
    if (now >= end) {
      draft.unset("recipe", "baked").phase("Stale").condition("Ready", false, "Stale", "It is too old");
      return;
    }
    draft.set({ recipe, baked: baked.done }).wake(end);
    if (isTaken) draft.condition("Ready", false, "NameTaken", text`${loaf.metadata.name ?? ""} is somebody else's`);
    else if (isReady) draft.phase("Fresh").condition("Ready", true, "Fresh", "It is baked");
    else if (batch === "silent") draft.condition("Ready", false, "OvenSilent", "The oven does not answer");
    else draft.condition("Ready", false, "Baking", "It is in the oven");
    if (!isReady) draft.wake(plus(now, asks));
  },
  async finalize(loaf, { backend }) {
    await backend.take(uidOf(loaf));
    return done;
  },
};

const silent = () => "silent" as const;

const isAway = ({ as }: Ensured<KubeObject>): boolean => as === "foreign" || as === "terminating";

/** The operator, with some of its parts done otherwise. */
export function bakery(around: Around<Oven>, otherwise: Partial<Parts> = {}): Controller {
  const parts = { ...sound, ...otherwise };
  return controller(Loaf)
    .owns(ConfigMap, Service)
    .writes(Loaf, "patch status") // what only the careless do
    .finalize((loaf) => parts.finalize(loaf, around))
    .reconcile({
      observe: (loaf, look) => parts.observe(loaf, look, around),
      act: (_plan, hands, seen) => parts.act(seen, hands, around),
      status: (seen, draft, now) => parts.status(seen, draft, now),
    });
}

export const loaf = (name: string, spec: Partial<Loaf["spec"]> = {}): Loaf => ({
  apiVersion: Loaf.apiVersion,
  kind: Loaf.kind,
  metadata: { name, namespace: "default" },
  spec: { flour: "rye", grams: 750, ...spec },
});

export const inspected = "example.net/Inspected";

/** Made anew for each process, as what it keeps in memory is. */
export type Otherwise = (around: Around<Oven>) => Partial<Parts>;

export const bakeryScenario = (otherwise: Otherwise = () => ({})): Scenario<Oven> => ({
  name: "bakery",
  kinds: [Loaf],
  operator: (around) => [bakery(around, otherwise(around))],
  backend: ({ clock }) => new Oven(clock),
  apply: [loaf("dark"), loaf("light", { flour: "wheat" })],
  people: [
    { at: 6_000, what: "inspects dark", act: (client) => client.status.apply(Loaf, inspection, byInspector) },
    {
      at: 12_000,
      what: "does not want light any more",
      act: (client) => client.delete(Loaf, { namespace: "default", name: "light" }, { propagation: "Background" }),
    },
  ],
  // Who wipes a status wipes what others said, too.
  free: [`Loaf *.status.conditions.${inspected}`],
  leftovers: (it, oven) => (oven.has(uidOf(it)) ? "a loaf in the oven" : undefined),
  promise: (it, look) => {
    const mine = ({ metadata }: KubeObject) => metadata?.ownerReferences?.[0]?.uid === uidOf(it);
    const [map, service] = [look.list(ConfigMap).find(mine), look.list(Service).find(mine)];
    return map?.data?.["recipe"] === recipeOf(it as Loaf) && service !== undefined;
  },
  deadlines: (it) => {
    const { metadata, status } = it as Loaf;
    const created = parseTime(metadata.creationTimestamp);
    const isOver =
      metadata.deletionTimestamp !== undefined || status?.conditions?.some(({ reason }) => reason === "Stale");
    return created === undefined || isOver === true ? [] : [{ what: "its end", at: plus(created, keeps) }];
  },
  progress: ({ recipe, baked }) =>
    typeof recipe === "string" && typeof baked === "number" ? { epoch: recipe, done: baked, total: 100 } : undefined,
});

const byInspector = { fieldManager: "inspector", force: true } as const;

const inspection = {
  metadata: { name: "dark", namespace: "default" },
  status: {
    conditions: [
      {
        type: inspected,
        status: "True" as const,
        reason: "Clean",
        message: "No mice",
        lastTransitionTime: "2026-01-01T00:00:06Z",
      },
    ],
  },
};
