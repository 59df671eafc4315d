import type { KubeObject } from "@telltale/kinds";
import { expect, test } from "vitest";
import { Shop, shopController } from "../../test/shop.ts";
import type { Pass } from "../pass.ts";
import type { Process } from "../process.ts";
import type { World } from "../world.ts";
import { queues } from "./queues.ts";

type Listener = (change: { old: KubeObject | undefined; new: KubeObject | undefined }) => void;

const shop = (name: string, generation = 1): KubeObject => ({
  metadata: { name, namespace: "a", uid: name, generation },
});

/** A process as its queue is seen from outside: what comes in, and what is looked at. */
function opened() {
  const said: string[] = [];
  let tell: Listener = () => {};
  const controller = shopController();
  const store = {
    subscribe(listener: Listener) {
      tell = listener;
      return () => true;
    },
  };
  const process = {
    name: "operator-1",
    controllers: [controller],
    isAlive: true,
    manager: { isActive: () => true, cache: { held: () => [{ kind: Shop, store }] } },
  } as unknown as Process;
  const watcher = queues.watch({} as World, (what) => said.push(what));
  watcher.started?.(process);
  const looks = (name: string) => {
    const pass = { process, controller, object: shop(name) } as Pass;
    watcher.pass?.(pass);
    watcher.passed?.(pass);
  };
  const comes = (name: string) => tell({ old: undefined, new: shop(name) });
  const changes = (name: string) => tell({ old: shop(name), new: shop(name, 2) });
  return { said, looks, comes, changes, end: () => watcher.end?.(undefined, new Map()) };
}

const crowd = Array.from({ length: 150 }, (_, i) => `crowd-${i}`);

test("I25 shows who lets an urgent one wait for all that came after it", () => {
  const { said, looks, comes, changes, end } = opened();
  changes("urgent");
  for (const name of crowd) comes(name);
  for (const name of crowd) looks(name);
  looks("urgent");
  end();
  expect(said).toEqual(["operator-1 shop a/urgent had changed, and 100 that came later were looked at first"]);
});

test("I25 has nothing against those that came before", () => {
  const { said, looks, comes, changes, end } = opened();
  for (const name of crowd) comes(name);
  changes("urgent");
  for (const name of crowd) looks(name);
  looks("urgent");
  end();
  expect(said).toEqual([]);
});

test("I25 shows one that nobody ever looked at", () => {
  const { said, changes, end } = opened();
  changes("forgotten");
  end();
  expect(said).toEqual(["operator-1 shop a/forgotten had changed, and was never looked at"]);
});
