// What a cache withstands, whatever the server: run by `cache.test.ts` on the embedded one in virtual time, and by
// `cache.real.test.ts` on a real kube-apiserver.
import { builtin, type KindRef, type KubeObject, type Ms } from "@telltale/kinds";
import { ConfigMap, CustomResourceDefinition } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, it } from "vitest";
import type { CacheOptions, Selection } from "../src/index.ts";
import { type Fault, faults } from "./cache/faults.ts";
import { type Followed, follow, type Ground, namespaces } from "./cache/ground.ts";
import { History } from "./cache/history.ts";
import { type Asked, refusal, type Trouble } from "./cache/troubled.ts";

export interface CacheSuite {
  readonly open: (seed: number) => Promise<Ground>;
  /** Each fault is had with each of them. */
  readonly seeds: readonly number[];
  readonly steps: number;
  /** How many objects are many. */
  readonly many: number;
}

export function caches({ open, seeds, steps, many }: CacheSuite): void {
  let ground: Ground;
  const followed: Followed[] = [];
  const begin = async (seed = 1) => {
    ground = await open(seed);
  };
  const following = (options: Partial<CacheOptions> = {}, select: Selection = {}, trouble: Trouble = {}) => {
    const it = follow(ground, options, select);
    followed.push(it);
    it.way.trouble = trouble;
    it.cache.start();
    return it;
  };
  afterEach(async () => {
    for (const it of followed.splice(0)) await it.stop();
    await ground.end();
  });

  const synced = (it: Followed) => ground.until(() => it.cached.isSynced(), "the first list");
  const same = (it: Followed, history: History, select: Parameters<History["truth"]>[0] = {}) =>
    ground.until(async () => (await history.truth(select)).join() === it.seen.shown.join(), "the server's state");
  const live = async (history: History, count: number, it?: Followed) => {
    for (let i = 0; i < count; i += 1) {
      await history.step(it?.seen);
      await ground.pass(ground.random.next() ** 3 * 4_000);
    }
  };
  const lists = ({ happened }: Followed) => happened.filter((what) => what === "listed").length;

  describe.each(seeds)("with seed %i, a cache survives", (seed) => {
    it.each(faults)("$name", async (fault: Fault) => {
      await begin(seed);
      const history = new History({ ...ground, namespaces: await namespaces(ground, 3) });
      const trouble = fault.trouble(ground.random, ground.clock);
      const it = following(fault.lists === undefined ? {} : { lists: fault.lists }, {}, trouble);
      await synced(it);
      await ground.pass(fault.calm ?? 0);
      await live(history, steps, it);
      it.way.trouble = {};
      await same(it, history);
      history.check(it.seen, { all: fault.resumes });
      // It did go wrong, and was read anew only where that was the only way.
      if (fault.told !== undefined) expect(it.happened).toContain(fault.told);
      if (fault.resumes) expect(lists(it), it.happened.join(" ")).toBe(1);
      else expect(lists(it), it.happened.join(" ")).toBeGreaterThan(1);
      expect(it.cached.trouble()).toBeUndefined();
      await live(history, 3);
      await same(it, history);
      history.check(it.seen);
    });

    it.each(["stream", "pages"] as const)("a server that goes back in time, with lists by %s", async (how) => {
      await begin(seed);
      const history = new History({ ...ground, namespaces: await namespaces(ground, 3) });
      const it = following({ lists: how });
      await synced(it);
      await live(history, steps / 2, it);
      await same(it, history);
      history.check(it.seen, { all: true });

      await ground.back();
      const after = new History({ ...ground, namespaces: await namespaces(ground, 2) });
      await live(after, 5);
      await same(it, after);
      expect(it.happened).toContain("rewound");
      await live(after, steps / 2);
      await same(it, after);
    });
  });

  describe("a kind that is missing", () => {
    const thing = (version: string, group: string) =>
      builtin<KubeObject>()({ group, version, kind: "Thing", plural: "things", scope: "Namespaced" });

    it("is waited for, and read once it is there; and again when it was deleted and made anew, of another scope or version", async () => {
      await begin();
      const [namespace = ""] = await namespaces(ground, 1);
      const group = `${namespace}.example.com`;
      const [v1, v2] = [thing("v1", group), thing("v2", group)];
      const it = following();
      const things = it.cache.of(v1);
      const shown = () =>
        [...things.store.values()].map(({ metadata }) => `${metadata?.namespace ?? ""}/${metadata?.name}`);
      await ground.until(() => it.happened.includes("missing"), "word of the missing kind");
      expect(things.trouble()).toBe(`things.${group}: the server does not know this kind; install its CRD`);
      expect(things.isSynced()).toBe(false);

      await define(ground, v1, "Namespaced");
      await make(ground, v1, { name: "a", namespace });
      await ground.until(() => shown().join() === `${namespace}/a`, "the object of the new kind");
      expect([things.isSynced(), things.trouble()]).toEqual([true, undefined]);

      await undefine(ground, v1);
      await ground.until(() => things.store.size === 0 && things.trouble() !== undefined, "the end of the kind");
      await define(ground, v2, "Namespaced");
      await make(ground, v2, { name: "b", namespace });
      await ground.pass(3_000);
      expect([shown(), things.trouble()?.includes("install its CRD")]).toEqual([[], true]);

      await undefine(ground, v2);
      await define(ground, v1, "Cluster");
      await make(ground, { ...v1, scope: "Cluster" }, { name: "c" });
      await ground.until(() => shown().join() === "/c", "the object without a namespace");
      expect(things.trouble()).toBeUndefined();
    });
  });

  describe("a selection", () => {
    it.each(["stream", "pages"] as const)("by label follows objects in and out, with lists by %s", async (how) => {
      await begin();
      const history = new History({ ...ground, namespaces: await namespaces(ground, 2) });
      await live(history, 10);
      const cuts = faults[0]?.trouble(ground.random, ground.clock);
      const it = following({ lists: how }, { label: "is=in" }, cuts);
      await synced(it);
      await live(history, steps, it);
      await same(it, history, { labelSelector: "is=in" });
      expect(lists(it)).toBe(1);
      expect([...it.cached.store.values()].every(({ metadata }) => metadata?.labels?.["is"] === "in")).toBe(true);
    });

    it.each([
      { by: "label", selectOf: (own: string) => ({ label: `app=${own}` }) },
      { by: "field", selectOf: (own: string) => ({ field: `metadata.name=${own}` }) },
      { by: "namespace", selectOf: () => ({}) },
    ])("by $by that holds nothing takes no other object for the past when its watch ends", async ({ by, selectOf }) => {
      await begin();
      const [own = "", other = ""] = await namespaces(ground, 2);
      // A real server keeps what other tests made.
      const inSelection = { name: own, namespace: own, labels: { app: own } };
      const outside = { name: "theirs", namespace: other, labels: { app: "theirs" } };
      await ground.client.create(ConfigMap, { metadata: outside });
      const it = following(by === "namespace" ? { namespaces: [own] } : {}, selectOf(own), { stream: endingAfterList });
      await synced(it);
      await ground.until(() => it.happened.includes("resumed"), "the second watch");
      it.way.trouble = {};
      await ground.client.create(ConfigMap, { metadata: inSelection });
      await ground.until(() => it.seen.shown.length === 1, "the object of the selection");
      expect(it.happened.filter((what) => what === "listed" || what === "rewound")).toEqual(["listed"]);
    });

    it("by label notices that the server was restored to the past while it held nothing else", async () => {
      await begin();
      const [namespace = ""] = await namespaces(ground, 1);
      const labels = { app: namespace };
      await ground.client.create(ConfigMap, { metadata: { name: "lost", namespace, labels } });
      const it = following({}, { label: `app=${namespace}` });
      await synced(it);
      expect(it.seen.shown).toHaveLength(1);
      await ground.back();
      await ground.until(() => it.seen.shown.length === 0, "the end of what the restored server does not have");
      expect(it.happened).toContain("rewound");
    });

    it("of namespaces follows those and no other, each by a watch of its own; and our own writes elsewhere are not kept", async () => {
      await begin();
      const [a = "", b = "", other = ""] = await namespaces(ground, 3);
      const history = new History({ ...ground, namespaces: [a, b, other] });
      const trouble = faults[7]?.trouble(ground.random, ground.clock);
      const it = following({ namespaces: [a, b, a] }, {}, trouble);
      await synced(it);
      await live(history, steps, it);
      it.way.trouble = {};
      await ground.until(async () => {
        const truth = [...(await history.truth({ namespace: a })), ...(await history.truth({ namespace: b }))].sort();
        return truth.join() === it.seen.shown.join();
      }, "the state of two namespaces");
      expect(it.cache.gauges()).toHaveLength(2);
      expect(it.cache.gauges().reduce((sum, { objects }) => sum + objects, 0)).toBe(it.cached.store.size);
    });

    it("of metadata only keeps nothing else, also of our own writes", async () => {
      await begin();
      const [namespace = ""] = await namespaces(ground, 1);
      const made = await ground.client.create(ConfigMap, { metadata: { name: "a", namespace }, data: { big: "x" } });
      const it = following({}, { metadataOnly: true });
      await synced(it);
      const changed = await ground.client.patch(
        ConfigMap,
        { name: "a", namespace },
        { merge: { data: { more: "y" } } },
      );
      const second = await ground.client.create(ConfigMap, { metadata: { name: "b", namespace }, data: { big: "x" } });
      it.cache.wrote(ConfigMap, second);
      const uids = () =>
        [...it.cached.store.values()].map(({ metadata }) => `${metadata?.uid}@${metadata?.resourceVersion}`);
      const wanted = [made.metadata?.uid, second.metadata?.uid];
      const versions = [changed.metadata?.resourceVersion, second.metadata?.resourceVersion];
      await ground.until(() => wanted.every((uid, i) => uids().includes(`${uid}@${versions[i]}`)), "both objects");
      expect([...it.cached.store.values()].filter((object) => "data" in object)).toEqual([]);
    });
  });

  describe("readers", () => {
    it("of one kind share one watch, come late, and the last one ends it", async () => {
      await begin();
      const [namespace = ""] = await namespaces(ground, 1);
      const it = following();
      await synced(it);
      const second = it.cache.of(ConfigMap);
      const other = it.cache.of(ConfigMap, { namespace });
      expect([second.store === it.cached.store, second.isSynced(), other.isSynced()]).toEqual([true, true, false]);
      await ground.until(() => other.isSynced(), "the late list");
      await ground.client.create(ConfigMap, { metadata: { name: "x", namespace } });
      const sees = (cached: typeof second) => cached.store.get({ name: "x", namespace }) !== undefined;
      await ground.until(() => sees(second) && sees(other), "the new object");
      expect(it.way.asked).toEqual(["watch all", "watch all"]);

      it.cached.release();
      it.cached.release(); // once more is once
      await ground.client.delete(ConfigMap, { name: "x", namespace }, { propagation: "Background" });
      await ground.until(() => !sees(second) && !sees(other), "the end of the object");
      second.release();
      await ground.client.create(ConfigMap, { metadata: { name: "x", namespace } });
      await ground.until(() => sees(other), "the object made anew");
      expect(sees(second)).toBe(false);
      const again = it.cache.of(ConfigMap);
      expect(again.store).not.toBe(second.store);
      await ground.until(() => sees(again), "the object, read anew");
    });
  });

  it(
    `reads, follows and reads anew ${many} objects`,
    async () => {
      await begin();
      const [namespace = ""] = await namespaces(ground, 1);
      const name = (i: number) => ({ name: `m${i}`, namespace });
      for (let i = 0; i < many; i += 100) {
        const some = Array.from({ length: Math.min(100, many - i) }, (_, k) => name(i + k));
        await Promise.all(some.map((metadata) => ground.client.create(ConfigMap, { metadata })));
      }
      for (const [i, how] of (["stream", "pages"] as const).entries()) {
        const it = following({ lists: how }, { namespace }, expiring);
        await synced(it);
        expect(it.cached.store.size).toBe(many - i);
        await ground.client.delete(ConfigMap, name(i), { propagation: "Background" });
        await ground.client.patch(ConfigMap, name(many - 1), { merge: { data: { [how]: "seen" } } });
        await ground.until(() => it.happened.includes("expired"), "the end of the history");
        it.way.trouble = {};
        await ground.until(() => lists(it) > 1, "the second list");
        const changed = () => it.cached.store.get(name(many - 1))?.data?.[how] === "seen";
        await ground.until(() => changed() && it.cached.store.size === many - i - 1, "both changes");
      }
    },
    longer,
  );
}

/** The history of a server that is gone at the first change. */
const expiring: Trouble = {
  answer: ({ query }) => (query.has("resourceVersion") ? refusal(410, "Expired") : undefined),
  stream: async function* only(lines) {
    for await (const line of lines) {
      yield line;
      if (line.includes('"k8s.io/initial-events-end"')) return;
    }
  },
};

/** A stream that ends in good order as soon as its list is complete. */
async function* endingAfterList(lines: AsyncIterable<string>, { query }: Asked): AsyncGenerator<string> {
  for await (const line of lines) {
    yield line;
    if (!query.has("resourceVersion") && line.includes('"k8s.io/initial-events-end"')) return;
  }
}

/** Reading and writing many objects takes a real server its time. */
const longer: Ms = 60_000;

async function define({ client }: Ground, kind: KindRef, scope: "Namespaced" | "Cluster"): Promise<void> {
  const { group, version, plural, singular, listKind } = kind;
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  await client.create(CustomResourceDefinition, {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, singular, kind: kind.kind, listKind },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  });
}

async function undefine(ground: Ground, { plural, group }: KindRef): Promise<void> {
  const name = `${plural}.${group}`;
  await ground.client.delete(CustomResourceDefinition, { name }, { propagation: "Background" });
  await ground.until(async () => {
    const { items } = await ground.client.list(CustomResourceDefinition, { fieldSelector: `metadata.name=${name}` });
    return items.length === 0;
  }, "the end of the definition");
}

/** The server takes a moment until it serves a kind that was just defined. */
async function make(ground: Ground, kind: KindRef, metadata: { name: string; namespace?: string }): Promise<void> {
  await ground.until(
    () =>
      ground.client.create(kind, { metadata }).then(
        () => true,
        () => false,
      ),
    `a place for ${metadata.name}`,
  );
}
