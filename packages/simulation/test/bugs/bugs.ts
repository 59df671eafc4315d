// Ten mistakes that operators are known for, each a small change to the sound bakery. What our runtime does not let anybody do
// is done past it, with a client of the author's own.
import { type Client, createClient } from "@telltale/client";
import { formatTime, type Instant, plus } from "@telltale/kinds";
import { ConfigMap } from "@telltale/kinds/builtin";
import { done, type Hands } from "@telltale/runtime";
import type { Around } from "../../src/index.ts";
import { Loaf, type Otherwise, type Seen, sound, staleAt, ticketOf, uidOf } from "./bakery.ts";
import type { Oven } from "./oven.ts";

const ownClient = ({ transport, clock, random }: Around<Oven>): Client =>
  createClient({ transport, clock, random, fieldManager: "bakery" });

const refOf = ({ metadata: { name = "", namespace = "" } }: Loaf) => ({ name, namespace });

const ownerOf = (loaf: Loaf) => ({
  apiVersion: Loaf.apiVersion,
  kind: Loaf.kind,
  name: loaf.metadata.name ?? "",
  uid: uidOf(loaf),
  controller: true,
});

/** The ticket as the author makes it: forced onto whatever has the name. */
function forced(loaf: Loaf) {
  const { metadata, data } = ticketOf(loaf);
  const place = { ...metadata, namespace: loaf.metadata.namespace ?? "", ownerReferences: [ownerOf(loaf)] };
  return { metadata: place, data };
}

const isAsWanted = ({ loaf, map }: Seen): boolean => map?.data?.["recipe"] === ticketOf(loaf).data.recipe;

const childWithoutOwnerCheck: Otherwise = (around) => ({
  async act(seen, hands) {
    const { loaf } = seen;
    const { metadata, data } = forced(loaf);
    const ticket = await hands.ensure(ConfigMap, ticketOf(loaf));
    if (ticket.as === "foreign")
      await hands.patch(ConfigMap, ticket.live, [
        { op: "add", path: "/metadata/ownerReferences", value: metadata.ownerReferences },
        { op: "add", path: "/data", value: data },
      ]);
    return sound.act(seen, withoutTickets(hands), around);
  },
});

/** Hands that believe that the ticket is taken care of. */
const withoutTickets = (hands: Hands<typeof Loaf>): Hands<typeof Loaf> => ({
  ...hands,
  ensure: async (kind, object, options) =>
    kind.kind === ConfigMap.kind ? ({ as: "unchanged", live: object } as never) : hands.ensure(kind, object, options),
});

const restampedTransition: Otherwise = (around) => ({
  async act(seen, hands) {
    const next = await sound.act(seen, hands, around);
    const { loaf, batch } = next;
    const now = typeof batch === "object" ? batch.baked : 0;
    const isNews = loaf.status?.baked !== undefined && now > loaf.status.baked;
    const at = loaf.status?.conditions?.findIndex(({ type }) => type === "Ready") ?? -1;
    const path = `/status/conditions/${at}/lastTransitionTime`;
    if (isNews && at >= 0) await hands.patchStatus(Loaf, loaf, [{ op: "replace", path, value: formatTime(hands.now) }]);
    return next;
  },
});

const finalizerRemovedOnFailure: Otherwise = ({ backend }) => ({
  async finalize(loaf) {
    await backend.take(uidOf(loaf)).catch(() => undefined);
    return done;
  },
});

const leaseIgnored: Otherwise = (around) => ({
  async act(seen, hands) {
    const { loaf, map } = seen;
    const { ensure } = hands;
    const client = ownClient(around);
    const quick: typeof ensure = async (kind, object, options) => {
      if (kind.kind !== ConfigMap.kind || map !== undefined) return ensure(kind, object, options);
      return { as: "created", live: await client.create(ConfigMap, forced(loaf)) } as never;
    };
    return sound.act(seen, { ...hands, ensure: quick }, around);
  },
});

/** What it read a while ago is good enough for it, and it speaks of the newest generation all the same. */
const statusFromStaleCache: Otherwise = () => {
  const read = new Map<string, { readonly spec: Loaf["spec"]; readonly at: Instant }>();
  return {
    observe(loaf, look, around) {
      const last = read.get(uidOf(loaf));
      const isYoung = last !== undefined && look.now < plus(last.at, 60_000);
      if (!isYoung) read.set(uidOf(loaf), { spec: loaf.spec, at: look.now });
      return sound.observe(isYoung ? { ...loaf, spec: last.spec } : loaf, look, around);
    },
  };
};

const deadlineInMemory: Otherwise = () => {
  const firstSeen = new Map<string, Instant>();
  return {
    status(seen, draft, now) {
      const { metadata, status } = seen.loaf;
      if (status?.phase === "Stale") return sound.status(seen, draft, now);
      const since = firstSeen.get(uidOf(seen.loaf)) ?? now;
      firstSeen.set(uidOf(seen.loaf), since);
      const loaf = { ...seen.loaf, metadata: { ...metadata, creationTimestamp: formatTime(since) } };
      sound.status({ ...seen, loaf }, draft, now);
    },
  };
};

const duplicateCreate: Otherwise = (around) => ({
  async act(seen, hands) {
    const { loaf, map } = seen;
    const { data } = ticketOf(loaf);
    if (map === undefined) await hands.create(ConfigMap, { metadata: { generateName: "ticket-" }, data });
    else if (!isAsWanted(seen)) await hands.patch(ConfigMap, map, [{ op: "add", path: "/data", value: data }]);
    return sound.act(seen, withoutTickets(hands), around);
  },
});

const foreignConditionDropped: Otherwise = (around) => ({
  async act(seen, hands) {
    const next = await sound.act(seen, hands, around);
    const { conditions = [] } = seen.loaf.status ?? {};
    const value = conditions.filter(({ type }) => type === "Ready");
    if (value.length < conditions.length)
      await hands.patchStatus(Loaf, seen.loaf, [{ op: "replace", path: "/status/conditions", value }]);
    return next;
  },
});

const progressGoesBack: Otherwise = () => ({
  status(seen, draft, now) {
    sound.status(seen, draft, now);
    const baked = typeof seen.batch === "object" ? seen.batch.baked : 0;
    if (now < staleAt(seen.loaf, now)) draft.set({ baked });
  },
});

const noopWrite: Otherwise = (around) => ({
  async act(seen, hands) {
    const next = await sound.act(seen, hands, around);
    const merge = { metadata: { annotations: { "example.com/seen": "yes" } } };
    await ownClient(around).patch(Loaf, refOf(seen.loaf), { merge });
    return next;
  },
});

export interface Bug {
  readonly what: string;
  /** What it breaks: one of them, where it shows in several ways. */
  readonly breaks: readonly string[];
  /** What brings it to light. Left out: it shows where nothing goes wrong. */
  readonly by?: string;
  readonly bug: Otherwise;
}

export const bugs: readonly Bug[] = [
  { what: "a child created without owner check", breaks: ["I13"], by: "P30", bug: childWithoutOwnerCheck },
  { what: "a transition time restamped", breaks: ["I10"], bug: restampedTransition },
  { what: "a finalizer removed on failure", breaks: ["I6"], by: "P29", bug: finalizerRemovedOnFailure },
  { what: "a lease ignored", breaks: ["I15"], by: "P23", bug: leaseIgnored },
  { what: "a status written from a stale cache", breaks: ["I9"], by: "P22", bug: statusFromStaleCache },
  { what: "a deadline kept in memory", breaks: ["I18"], by: "P1", bug: deadlineInMemory },
  { what: "a duplicate create on a stale list", breaks: ["I2", "I5"], by: "P8", bug: duplicateCreate },
  { what: "a foreign condition dropped", breaks: ["I13"], bug: foreignConditionDropped },
  { what: "a progress going back", breaks: ["I19"], by: "P29", bug: progressGoesBack },
  { what: "a no-op write", breaks: ["I11"], bug: noopWrite },
];
