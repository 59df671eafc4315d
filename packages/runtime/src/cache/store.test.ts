import type { KubeObject } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import type { Key } from "../key.ts";
import { type Change, ownerIndex, Store, type StoreOptions } from "./store.ts";

interface Thing extends KubeObject {
  readonly size?: number;
}

const thing = (name: string, version: number, more: Partial<NonNullable<Thing["metadata"]>> = {}): Thing => ({
  metadata: { namespace: "a", name, uid: `${name}-1`, resourceVersion: String(version), ...more },
});
const key = (name: string, namespace = "a") => `${namespace}/${name}` as Key;
const versionOf = (object: Thing | undefined) =>
  object && `${object.metadata?.uid}@${object.metadata?.resourceVersion}`;

function opened(options: StoreOptions<Thing> = {}) {
  const store = new Store<Thing>(options);
  const changes: string[] = [];
  store.subscribe(({ old, new: next }) => changes.push(`${versionOf(old) ?? "-"} > ${versionOf(next) ?? "-"}`));
  return { store, changes, shown: () => [...store.values()].map(versionOf).sort() };
}

describe("events", () => {
  it("make, change and remove an object, each told once", () => {
    const { store, changes } = opened();
    store.saw("ADDED", thing("x", 1));
    store.saw("MODIFIED", thing("x", 2));
    store.saw("MODIFIED", thing("x", 2));
    store.saw("DELETED", thing("x", 3));
    store.saw("DELETED", thing("x", 3));
    expect(changes).toEqual(["- > x-1@1", "x-1@1 > x-1@2", "x-1@2 > -"]);
    expect([store.size, store.get({ name: "x", namespace: "a" })]).toEqual([0, undefined]);
  });

  it("that are older than what is known change nothing", () => {
    const { store, shown } = opened();
    store.saw("ADDED", thing("x", 10));
    store.saw("MODIFIED", thing("x", 9));
    store.saw("DELETED", thing("x", 9));
    expect(shown()).toEqual(["x-1@10"]);
  });

  it("are compared as numbers, not as text", () => {
    const { store, shown } = opened();
    store.saw("ADDED", thing("x", 99));
    store.saw("MODIFIED", thing("x", 100));
    store.saw("MODIFIED", thing("x", 99));
    expect(shown()).toEqual(["x-1@100"]);
  });

  it("of an object that was made anew under its name are one change, whose end of the old one comes too late", () => {
    const { store, changes, shown } = opened();
    store.saw("ADDED", thing("x", 1));
    store.wrote(thing("x", 4, { uid: "x-2" }));
    store.saw("DELETED", thing("x", 3));
    store.saw("ADDED", thing("x", 4, { uid: "x-2" }));
    expect(changes).toEqual(["- > x-1@1", "x-1@1 > x-2@4"]);
    store.saw("DELETED", thing("x", 5, { uid: "x-2" }));
    expect(shown()).toEqual([]);
  });
});

describe("our own writes", () => {
  it("are there at once, and their events are no news", () => {
    const { store, changes } = opened();
    store.wrote(thing("x", 5));
    expect(versionOf(store.byKey(key("x")))).toBe("x-1@5");
    store.saw("ADDED", thing("x", 3));
    store.saw("MODIFIED", thing("x", 5));
    expect(changes).toEqual(["- > x-1@5"]);
  });

  it("whose answer comes after newer events change nothing", () => {
    const { store, shown } = opened();
    store.saw("ADDED", thing("x", 6));
    store.wrote(thing("x", 5));
    expect(shown()).toEqual(["x-1@6"]);
  });

  it("whose answer comes after the end of the object do not bring it back", () => {
    const { store, shown } = opened({ told: () => "7" });
    store.saw("ADDED", thing("x", 5));
    store.saw("DELETED", thing("x", 7));
    store.wrote(thing("x", 6));
    expect(shown()).toEqual([]);
    store.wrote(thing("x", 8, { uid: "x-2" }));
    expect(shown()).toEqual(["x-2@8"]);
  });

  it("that take an object out of the selection are not undone by what is older", () => {
    const selects = ({ metadata }: Thing) => metadata?.labels?.["is"] === "in";
    const { store, shown } = opened({ selects });
    const inside = { labels: { is: "in" } };
    store.saw("ADDED", thing("x", 1, inside));
    store.wrote(thing("x", 5, { labels: { is: "out" } }));
    store.saw("MODIFIED", thing("x", 3, inside));
    store.replace([thing("x", 4, inside)], "4");
    expect(shown()).toEqual([]);
    store.saw("DELETED", thing("x", 5, inside));
    store.saw("ADDED", thing("x", 6, inside));
    expect(shown()).toEqual(["x-1@6"]);
  });

  it("of which only the server knows whether they belong here count where the object is known", () => {
    const { store, shown } = opened({ selects: () => undefined });
    store.wrote(thing("x", 1));
    expect(shown()).toEqual([]);
    store.saw("ADDED", thing("x", 1));
    store.wrote(thing("x", 2));
    expect(shown()).toEqual(["x-1@2"]);
    store.saw("DELETED", thing("x", 2)); // with this write it had left
    expect(shown()).toEqual([]);
  });
});

describe("our own deletions", () => {
  it("are there at once, and neither older events nor older lists bring the object back", () => {
    const { store, changes, shown } = opened();
    store.saw("ADDED", thing("x", 1));
    store.deleted(thing("x", 1));
    store.saw("MODIFIED", thing("x", 2));
    store.replace([thing("x", 2)], "2");
    expect([shown(), changes]).toEqual([[], ["- > x-1@1", "x-1@1 > -"]]);
  });

  it("of what is not even known yet count too", () => {
    const { store, shown } = opened();
    store.deleted(thing("x", 3));
    store.replace([thing("x", 2)], "2");
    store.saw("MODIFIED", thing("x", 3));
    expect(shown()).toEqual([]);
  });

  it("stay in mind when another namespace is read anew", () => {
    const { store, shown } = opened();
    store.saw("ADDED", thing("x", 1));
    store.deleted(thing("x", 1));
    store.replace([], "9", { namespace: "b" });
    store.saw("MODIFIED", thing("x", 2));
    expect(shown()).toEqual([]);
  });

  it("concern no other object under the name", () => {
    const { store, shown } = opened();
    store.saw("ADDED", thing("x", 5, { uid: "x-2" }));
    store.deleted(thing("x", 1));
    expect(shown()).toEqual(["x-2@5"]);
  });

  it.each([
    ["an event before our answer", (store: Store<Thing>) => store.saw("DELETED", thing("x", 3)), true],
    ["an event after it", (store: Store<Thing>) => store.saw("DELETED", thing("x", 3)), false],
    ["a list", (store: Store<Thing>) => store.replace([], "4"), false],
  ] as const)(
    "of which the server has told by %s may be undone by a server that was put back",
    (_how, tell, isFirst) => {
      const { store, shown } = opened();
      store.saw("ADDED", thing("x", 1));
      if (isFirst) tell(store);
      store.deleted(thing("x", 1));
      if (!isFirst) tell(store);
      store.saw("MODIFIED", thing("x", 2)); // late, and from before
      expect(shown()).toEqual([]);
      store.replace([thing("x", 1)], "1000");
      expect(shown()).toEqual(["x-1@1"]);
      store.saw("MODIFIED", thing("x", 1001));
      expect(shown()).toEqual(["x-1@1001"]);
    },
  );

  it("are forgotten in the end, oldest first", () => {
    const { store, shown } = opened();
    for (let i = 0; i <= 10_000; i += 1) store.deleted(thing(`x${i}`, 1));
    store.saw("ADDED", thing("x0", 1));
    store.saw("ADDED", thing("x1", 1));
    expect(shown()).toEqual(["x0-1@1"]);
  });
});

describe("an object that vanished unheard", () => {
  it("is gone, and late events do not bring it back", () => {
    const { store, changes, shown } = opened();
    store.saw("ADDED", thing("x", 1));
    store.vanished(thing("x", 1));
    store.saw("MODIFIED", thing("x", 2));
    store.saw("DELETED", thing("x", 3));
    expect([shown(), changes]).toEqual([[], ["- > x-1@1", "x-1@1 > -"]]);
  });

  it("may be back, in a list or as another one, under any version", () => {
    const { store, shown } = opened();
    for (const name of ["x", "y"]) store.saw("ADDED", thing(name, 36));
    for (const name of ["x", "y"]) store.vanished(thing(name, 36));
    store.saw("ADDED", thing("x", 35, { uid: "x-2" }));
    store.replace([thing("x", 35, { uid: "x-2" }), thing("y", 30)], "35");
    expect(shown()).toEqual(["x-2@35", "y-1@30"]);
  });

  it("is not back in a list that was asked for before, nor in what follows that", () => {
    const { store, shown } = opened();
    store.saw("ADDED", thing("x", 30));
    const asked = store.ends;
    store.wrote(thing("x", 46));
    store.vanished(thing("x", 46));
    store.replace([thing("x", 30)], "35", { asked });
    store.saw("MODIFIED", thing("x", 46));
    expect(shown()).toEqual([]);
    store.replace([thing("x", 30)], "36", { asked: store.ends });
    expect(shown()).toEqual(["x-1@30"]);
  });

  it("is not the one that has its name now", () => {
    const { store, shown } = opened();
    store.saw("ADDED", thing("x", 4, { uid: "x-2" }));
    store.vanished(thing("x", 1));
    expect(shown()).toEqual(["x-2@4"]);
  });
});

describe("an object that went back", () => {
  it("is told of as restored, by a list that is newer, or where the server has the last word", () => {
    const { store } = opened();
    const told: (boolean | undefined)[] = [];
    store.saw("ADDED", thing("x", 20));
    store.subscribe(({ restored }) => told.push(restored));
    store.replace([thing("x", 10)], "1000");
    store.replace([thing("x", 12)], "1001");
    store.replace([thing("x", 14)], "1002", { trust: "content" });
    expect(told).toEqual([true, undefined, true]);
  });
});

describe("a list", () => {
  it("is all there is: it adds, changes and removes", () => {
    const { store, shown, changes } = opened();
    for (const name of ["x", "y", "z"]) store.saw("ADDED", thing(name, 1));
    const kept = store.byKey(key("x"));
    changes.length = 0;
    store.replace([thing("new", 3), thing("y", 2), thing("x", 1)], "5");
    expect(shown()).toEqual(["new-1@3", "x-1@1", "y-1@2"]);
    expect(store.byKey(key("x"))).toBe(kept);
    expect(changes).toEqual(["- > new-1@3", "y-1@1 > y-1@2", "z-1@1 > -"]);
  });

  it("finds an object that was made anew under its name", () => {
    const { store, changes } = opened();
    store.saw("ADDED", thing("x", 1));
    store.replace([thing("x", 4, { uid: "x-2" })], "5");
    expect(changes).toEqual(["- > x-1@1", "x-1@1 > x-2@4"]);
  });

  it("keeps what we wrote after it", () => {
    const { store, shown } = opened();
    store.wrote(thing("made", 7));
    store.wrote(thing("changed", 8));
    store.replace([thing("changed", 2)], "5");
    expect(shown()).toEqual(["changed-1@8", "made-1@7"]);
    store.replace([thing("changed", 2)], "8"); // by then it knows of both
    expect(shown()).toEqual(["changed-1@2"]);
  });

  it("of one namespace says nothing of the others", () => {
    const { store, shown } = opened();
    store.saw("ADDED", thing("x", 1));
    store.saw("ADDED", thing("y", 1, { namespace: "b" }));
    store.replace([], "5", { namespace: "b" });
    expect(shown()).toEqual(["x-1@1"]);
    expect([store.count("a"), store.count("b")]).toEqual([1, 0]);
  });

  it("of a server that was put back is all that counts, also where it is older", () => {
    const { store, shown } = opened();
    store.wrote(thing("x", 900));
    store.wrote(thing("later", 950));
    store.saw("ADDED", thing("lost", 100));
    store.deleted(thing("lost", 100));
    store.replace([thing("x", 300), thing("lost", 100)], "500", { trust: "server" });
    expect(shown()).toEqual(["lost-1@100", "x-1@300"]);
    expect(store.written).toBe("");
  });

  it("of a server that may have been put back has what we deleted before, and not what we deleted since", () => {
    const { store, shown } = opened();
    for (const name of ["before", "since"]) store.saw("ADDED", thing(name, 59));
    store.deleted(thing("before", 59));
    const asked = store.ends;
    store.deleted(thing("since", 59));
    const all = [thing("before", 59), thing("since", 59)];
    store.replace(all, "140", { asked });
    expect(shown()).toEqual([]);
    store.replace(all, "140", { trust: "content", asked });
    expect(shown()).toEqual(["before-1@59"]);
  });

  it("of a server that may have given out versions twice is compared by what it holds, and tells of no more than that", () => {
    const { store, changes } = opened();
    store.saw("ADDED", thing("x", 31));
    store.saw("ADDED", thing("y", 30));
    const other = { ...thing("x", 31), size: 2 };
    store.replace([other, thing("y", 30)], "31");
    expect(store.byKey(key("x"))?.size).toBeUndefined();
    store.replace([other, thing("y", 30)], "31", { trust: "content" });
    expect(store.byKey(key("x"))?.size).toBe(2);
    expect(changes).toEqual(["- > x-1@31", "- > y-1@30", "x-1@31 > x-1@31"]);
  });

  it("counts from its version on, even where the server has come past ours on another way", () => {
    const { store, shown } = opened({ selects: ({ metadata }) => metadata?.labels === undefined });
    store.saw("ADDED", thing("x", 900));
    store.wrote(thing("y", 900, { labels: { is: "out" } }));
    store.replace([thing("x", 300), thing("y", 300)], "1000");
    expect(shown()).toEqual(["x-1@300", "y-1@300"]);
  });
});

describe("indexes", () => {
  it("find objects by value, also those that were there before, and follow every change", () => {
    const { store } = opened();
    store.saw("ADDED", thing("x", 1, { labels: { on: "n1" } }));
    const labels = ({ metadata }: KubeObject) => Object.values(metadata?.labels ?? {});
    store.index("node", labels);
    store.index("node", labels);
    store.saw("ADDED", thing("y", 2, { labels: { on: "n1", also: "n2" } }));
    const at = (value: string) => store.where("node", value).map(versionOf);
    expect([at("n1"), at("n2"), at("n3")]).toEqual([["x-1@1", "y-1@2"], ["y-1@2"], []]);
    store.saw("MODIFIED", thing("x", 3, { labels: { on: "n2" } }));
    store.saw("DELETED", thing("y", 4));
    expect([at("n1"), at("n2")]).toEqual([[], ["x-1@3"]]);
    expect(() => store.where("nodes", "n1")).toThrow('there is no index "nodes"');
  });

  it("have one function each: another one under a known name is refused, and the first one stays", () => {
    const { store } = opened();
    store.index("node", () => ["first"]);
    expect(() => store.index("node", () => ["second"])).toThrow('two different functions for the index "node"');
    expect(() => store.index(ownerIndex, () => [])).toThrow('two different functions for the index "owner"');
    store.saw("ADDED", thing("x", 1));
    expect(store.where("node", "first").map(versionOf)).toEqual(["x-1@1"]);
  });

  it("of owners are there from the start", () => {
    const { store } = opened();
    const owner = (uid: string) => ({ apiVersion: "v1", kind: "Pod", name: uid, uid });
    store.replace([thing("x", 1, { ownerReferences: [owner("p"), owner("q")] }), thing("y", 1)], "1");
    expect(store.where(ownerIndex, "q").map(versionOf)).toEqual(["x-1@1"]);
    store.saw("MODIFIED", thing("x", 2, { ownerReferences: [owner("p")] }));
    expect([store.where(ownerIndex, "p").length, store.where(ownerIndex, "q").length]).toEqual([1, 0]);
  });

  it("that throw are told of, and leave the object and the other indexes as they are", () => {
    const errors: unknown[] = [];
    const { store } = opened({ onError: (error, object) => errors.push(`${error} ${versionOf(object)}`) });
    store.index("bad", () => {
      throw new Error("no size");
    });
    store.index("good", () => ["all"]);
    store.saw("ADDED", thing("x", 1));
    store.saw("DELETED", thing("x", 2));
    store.saw("ADDED", thing("y", 1));
    expect(store.where("good", "all").map(versionOf)).toEqual(["y-1@1"]);
    expect(errors).toEqual(["Error: no size x-1@1", "Error: no size x-1@1", "Error: no size y-1@1"]);
  });
});

describe("listeners", () => {
  it("that throw are told of, and keep neither the others nor the rest of a list from being heard", () => {
    const errors: unknown[] = [];
    const store = new Store<Thing>({
      onError(error) {
        errors.push(String(error));
        throw new Error("and nobody to tell");
      },
    });
    const heard: Change<Thing>[] = [];
    store.subscribe(() => {
      throw new Error("deaf");
    });
    store.subscribe((change) => heard.push(change));
    store.replace([thing("x", 1), thing("y", 1)], "1");
    store.replace([], "2");
    expect([heard.length, store.size, errors.length]).toEqual([4, 0, 4]);
  });

  it("that are gone hear nothing more", () => {
    const { store } = opened();
    const stop = store.subscribe(() => expect.unreachable());
    stop();
    store.saw("ADDED", thing("x", 1));
  });

  it("hear in order, even where one of them writes", () => {
    const store = new Store<Thing>();
    store.subscribe(({ old }) => {
      if (old === undefined) store.wrote(thing("x", 2));
    });
    const heard: string[] = [];
    store.subscribe(({ new: next }) => heard.push(versionOf(next) ?? "-"));
    store.saw("ADDED", thing("x", 1));
    expect(heard).toEqual(["x-1@1", "x-1@2"]);
  });
});

it("hands out objects that nobody can change, where it was asked to", () => {
  const { store } = opened({ freeze: true });
  store.saw("ADDED", thing("x", 1, { labels: { a: "b" } }));
  const held = store.byKey(key("x")) as { metadata: { labels: Record<string, string> } };
  expect(() => {
    held.metadata.labels["a"] = "c";
  }).toThrow(TypeError);
});
