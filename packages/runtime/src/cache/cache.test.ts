import { ApiError, type Client, ConnectionError, type WatchOptions } from "@telltale/client";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { ConfigMap, Namespace, Secret } from "@telltale/kinds/builtin";
import { afterEach, expect, it } from "vitest";
import type { Log } from "../log.ts";
import { Cache, type CacheOptions } from "./cache.ts";

const map = (name: string, version: number, namespace = "a", labels: Record<string, string> = {}): ConfigMap => ({
  metadata: { name, namespace, uid: `${namespace}-${name}`, resourceVersion: String(version), labels },
  data: { of: name },
});

let ending: (() => Promise<void>) | undefined;
afterEach(() => ending?.());

/** A cache over a server that lists nothing, or answers each request with an error. */
function opened(options: Partial<CacheOptions> = {}) {
  const clock = new VirtualClock();
  const server: { fails: Error | undefined; objects: KubeObject[]; watches: number } = {
    fails: undefined,
    objects: [],
    watches: 0,
  };
  const client = {
    async list() {
      if (server.fails !== undefined) throw server.fails;
      return { items: server.objects, resourceVersion: "10" };
    },
    async *watch(_kind: unknown, { signal }: WatchOptions) {
      if (server.fails !== undefined) throw server.fails;
      server.watches += 1;
      yield* [];
      await new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    },
  };
  const lines: string[] = [];
  const line = (level: string) => (message: string) => lines.push(`${level}: ${message}`);
  const log: Log = {
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    with: () => log,
  };
  const cache = new Cache({
    client: client as unknown as Client,
    clock,
    random: seededRandom(1),
    log,
    sink: () => {},
    lists: "pages",
    ...options,
  });
  ending = () => cache.stop();
  const pass = async (ms = 0) => {
    for (let i = 0; i < 5; i += 1) await turn();
    await clock.settle(ms);
    for (let i = 0; i < 5; i += 1) await turn();
  };
  return { cache, server, lines, pass };
}

const names = (objects: Iterable<KubeObject>) => Array.from(objects, ({ metadata }) => metadata?.name).sort();

it("starts once, however often it is started", async () => {
  const { cache, server, pass } = opened();
  cache.of(ConfigMap);
  cache.start();
  cache.start();
  await pass(1_000);
  expect(server.watches).toBe(1);
});

it("tells all who wait when everything has been read, and those who ask later at once", async () => {
  const { cache, pass } = opened({ namespaces: ["a", "b"] });
  const cached = cache.of(ConfigMap);
  let synced = 0;
  for (let i = 0; i < 2; i += 1) cached.synced().then(() => (synced += 1));
  await pass();
  expect([synced, cached.isSynced(), cached.trouble()]).toEqual([0, false, "configmaps.core in a: not read yet"]);
  cache.start();
  await pass();
  await cached.synced();
  expect([synced, cached.isSynced(), cached.trouble()]).toEqual([2, true, undefined]);
});

it("hands our own writes to every store that they concern, and to no other", () => {
  const { cache } = opened({ namespaces: ["a"] });
  const whole = cache.of(ConfigMap).store;
  const labelled = cache.of(ConfigMap, { label: "is=in" }).store;
  const other = cache.of(ConfigMap, { namespace: "b" }).store;
  const secrets = cache.of(Secret).store;
  cache.wrote(ConfigMap, map("x", 1));
  cache.wrote(ConfigMap, map("y", 2, "a", { is: "in" }));
  cache.wrote(ConfigMap, map("z", 3, "b"));
  cache.wrote(ConfigMap, map("nowhere", 4, "c"));
  const shown = [whole, labelled, other, secrets].map((store) => names(store.values()));
  expect(shown).toEqual([["x", "y"], ["y"], ["z"], []]);
  cache.deleted(ConfigMap, map("y", 2));
  expect([names(whole.values()), names(labelled.values())]).toEqual([["x"], []]);
});

it("knows of a selection by name what belongs to it, and of one by other fields leaves that to the server", () => {
  const { cache } = opened();
  const fields = [
    "metadata.name=x",
    "metadata.name==x",
    "metadata.name!=x",
    "type=Opaque",
    "metadata.name=x,type=Opaque",
  ];
  const stores = fields.map((field) => cache.of(ConfigMap, { field }).store);
  cache.wrote(ConfigMap, map("x", 1));
  cache.wrote(ConfigMap, map("y", 2));
  expect(stores.map((store) => names(store.values()))).toEqual([["x"], ["x"], [], [], []]);
});

it("keeps our own writes of a kind without namespaces, whatever namespaces are watched", () => {
  const { cache } = opened({ namespaces: ["a"] });
  const { store } = cache.of(Namespace, { namespace: "a" });
  cache.wrote(Namespace, { metadata: { name: "n", uid: "n", resourceVersion: "1" } });
  expect(names(store.values())).toEqual(["n"]);
});

it("keeps of our own writes what it would keep of the server's", () => {
  const { cache } = opened();
  const { store } = cache.of(ConfigMap, { metadataOnly: true });
  cache.wrote(ConfigMap, map("x", 1));
  expect([...store.values()]).toEqual([{ metadata: map("x", 1).metadata }]);
});

it("does not bring back what was gone when the answer to our own write came", async () => {
  const { cache, pass } = opened();
  const { store } = cache.of(ConfigMap);
  cache.start();
  await pass();
  cache.wrote(ConfigMap, map("gone", 9)); // everything up to 10 is known
  cache.wrote(ConfigMap, map("new", 11));
  expect(names(store.values())).toEqual(["new"]);
});

it("shows everything that it holds, and up to which version", async () => {
  const { cache, server, pass } = opened({ namespaces: ["a", "b"] });
  server.objects = [map("x", 1)];
  cache.of(ConfigMap);
  cache.of(Secret, { label: "is=in" });
  const before = cache.held();
  cache.start();
  await pass();
  const told = before.map(({ kind, select, version, store }) => [kind.kind, select, version(), names(store.values())]);
  expect(told).toEqual([
    ["ConfigMap", {}, "10", ["x"]],
    ["Secret", { label: "is=in" }, "10", ["x"]],
  ]);
  expect(opened().cache.held()).toEqual([]);
});

it("holds nothing up to any version before the server has told everything", () => {
  const { cache } = opened({ namespaces: ["a", "b"] });
  cache.of(ConfigMap);
  expect(cache.held().map(({ version }) => version())).toEqual([""]);
});

it("refuses a list of no namespaces, of which it could tell nothing", () => {
  expect(() => opened({ namespaces: [] })).toThrow("cache: namespaces is empty; leave it out to watch all");
});

it("refuses a label selector that nobody can read", () => {
  const { cache } = opened();
  expect(() => cache.of(ConfigMap, { label: "a in (" })).toThrow('the label selector "a in (" cannot be read');
});

it("tells in words what keeps it from being current", async () => {
  const { cache, server, pass, lines } = opened();
  const cached = cache.of(ConfigMap);
  server.fails = new ApiError("GET /api/v1/configmaps", { code: 403, reason: "Forbidden", message: "no list for you" });
  cache.start();
  await pass();
  expect(cached.trouble()).toBe(
    "configmaps.core: not read yet: GET /api/v1/configmaps: 403 Forbidden: no list for you",
  );
  server.fails = undefined;
  await pass(1_000);
  expect(cached.trouble()).toBeUndefined();
  server.fails = new ConnectionError("connect", "nobody listens");
  await pass(700_000); // until its stream is given up, and a while
  expect(cached.trouble()).toMatch(/^configmaps.core: nothing heard of the server for \d+ s: connect: nobody listens$/);
  expect(lines).toContain("info: a watch broke off and goes on");
});

it("says once that a kind is missing, and again when it is missing again", async () => {
  const { cache, server, pass, lines } = opened();
  const missing = new ApiError("GET", { code: 404, reason: "NotFound" });
  cache.of(ConfigMap);
  server.fails = missing;
  cache.start();
  await pass(60_000);
  expect(lines).toHaveLength(1);
  server.fails = undefined;
  await pass(20_000);
  server.fails = missing;
  await pass(800_000);
  expect(lines.filter((line) => line.includes("install its CRD"))).toHaveLength(2);
});

it("tells of readers that throw, and goes on", async () => {
  const { cache, server, pass, lines } = opened();
  const { store } = cache.of(ConfigMap);
  store.subscribe(() => {
    throw new Error("deaf");
  });
  server.objects = [map("x", 1), map("y", 2)];
  cache.start();
  await pass();
  expect([store.size, lines]).toEqual([2, Array.from({ length: 2 }, () => lines[0])]);
  expect(lines[0]).toBe("error: an object could not be taken in by one of its readers");
});
