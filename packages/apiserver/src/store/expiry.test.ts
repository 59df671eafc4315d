import { VirtualClock } from "@telltale/clock";
import { expect, test } from "vitest";
import { expire } from "./expiry.ts";
import { Store } from "./store.ts";

const hour = 3_600_000;
const object = { metadata: {} };
const keys = (store: Store): string[] => store.scan("").records.map(({ key }) => key);

test("an object goes an hour after its last write, with an event and a revision", () => {
  const clock = new VirtualClock();
  const store = new Store({ clock });
  expire(store, clock, "//events/", hour);
  store.commit("//events/a/1", { object });
  store.commit("//events/a/2", { object });
  store.commit("//pods/a/1", { object });
  clock.advance(hour / 2);
  store.commit("//events/a/2", { object });
  clock.advance(hour / 2 - 1);
  expect(keys(store)).toHaveLength(3);
  clock.advance(1);
  expect(keys(store)).toEqual(["//events/a/2", "//pods/a/1"]);
  expect(store.events(5)).toMatchObject([{ type: "DELETED", key: "//events/a/1", revision: 6 }]);
  clock.advance(hour);
  expect(keys(store)).toEqual(["//pods/a/1"]);
});

test("what was there before has an hour from the start", () => {
  const clock = new VirtualClock();
  const store = new Store({ clock });
  store.commit("//events/a/1", { object });
  clock.advance(hour);
  expire(store, clock, "//events/", hour);
  clock.advance(hour - 1);
  expect(keys(store)).toHaveLength(1);
  clock.advance(1);
  expect(keys(store)).toHaveLength(0);
});

test("a key that was deleted and made again has its own hour", () => {
  const clock = new VirtualClock();
  const store = new Store({ clock });
  expire(store, clock, "//events/", hour);
  store.commit("//events/a/1", { object });
  store.commit("//events/a/1", { object: undefined });
  clock.advance(1);
  store.commit("//events/a/1", { object });
  clock.advance(hour - 1);
  expect(keys(store)).toHaveLength(1);
  clock.advance(1);
  expect(keys(store)).toHaveLength(0);
});

test("nothing expires once it is ended, or the store is closed", async () => {
  const clock = new VirtualClock();
  const store = new Store({ clock });
  const end = expire(store, clock, "//events/", hour);
  expire(store, clock, "//others/", hour);
  store.commit("//events/a/1", { object });
  store.commit("//others/a/1", { object });
  end();
  await store.close();
  expect(clock.next()).toBeUndefined();
  expect(keys(store)).toHaveLength(2);
});
