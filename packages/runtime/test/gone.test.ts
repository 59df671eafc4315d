// What is told of objects that are there no longer.
import { ConfigMap, CoreEvent } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import { controller } from "../src/index.ts";
import { type EmbeddedWorld, world } from "./world.ts";

let here: EmbeddedWorld | undefined;
afterEach(async () => here?.end());

const namespace = "default";
const made = (name: string) => ({ metadata: { name, namespace } });

function telling(told: string[]) {
  return controller(ConfigMap)
    .gone(({ metadata }) => {
      told.push(metadata?.uid ?? "");
      throw new Error("and failed");
    })
    .gone(({ metadata }) => told.push(metadata?.name ?? ""))
    .reconcile({ observe: () => undefined, status: () => ({ status: undefined }) });
}

test("an object that is gone is told of once, to all, whoever of them fails", async () => {
  here = await world();
  const told: string[] = [];
  await here.start([telling(told)]);
  const { metadata } = await here.client.create(ConfigMap, made("one"));
  await here.pass(10);
  expect(told).toEqual([]);
  await here.client.delete(ConfigMap, { name: "one", namespace }, { propagation: "Background" });
  await here.pass(10);
  expect(told).toEqual([metadata?.uid, "one"]);
  expect(here.lines).toContainEqual(
    expect.objectContaining({ level: "error", fields: expect.objectContaining({ namespace, name: "one" }) }),
  );
});

test("a manager that does not work is told nothing", async () => {
  here = await world();
  const told: string[] = [];
  await here.client.create(ConfigMap, made("one"));
  const running = await here.start([telling(told)]);
  await here.pass(10);
  await running.stop();
  await here.client.delete(ConfigMap, { name: "one", namespace }, { propagation: "Background" });
  await here.pass(10);
  expect(told).toEqual([]);
});

test("what an object leaves behind can be told as an Event", async () => {
  here = await world();
  const it = controller(ConfigMap)
    .gone(({ metadata }, event) => event("Warning", "Retained", `${metadata?.name} leaves something behind`))
    .reconcile({ observe: () => undefined, status: () => ({ status: undefined }) });
  await here.start([it], { events: "v1" });
  const { metadata } = await here.client.create(ConfigMap, made("one"));
  await here.pass(10);
  await here.client.delete(ConfigMap, { name: "one", namespace }, { propagation: "Background" });
  await here.pass(2_000);
  const { items } = await here.client.list(CoreEvent, { namespace });
  expect(items).toMatchObject([
    {
      type: "Warning",
      reason: "Retained",
      message: "one leaves something behind",
      involvedObject: { uid: metadata?.uid },
    },
  ]);
});
