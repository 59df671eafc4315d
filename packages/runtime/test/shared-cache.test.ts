// One cache for several managers of a process: it outlives each of them.
import { createClient, inProcessTransport } from "@telltale/client";
import { seededRandom } from "@telltale/clock";
import { ConfigMap, Secret } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import { Cache, controller, silentLog } from "../src/index.ts";
import { type EmbeddedWorld, world } from "./world.ts";

let here: EmbeddedWorld | undefined;
let cache: Cache | undefined;
afterEach(async () => {
  await here?.end();
  await cache?.stop();
});

const at = (name: string) => ({ name, namespace: "default" });

const reading = (name: string) =>
  controller(ConfigMap, name)
    .watches(Secret, ({ new: next }) => (next === undefined ? [] : [at("m")]), { delay: 100 })
    .reconcile({ observe: () => undefined, status: () => ({ status: undefined }) });

test("a manager that was stopped takes up nothing more, and what nobody else reads is read no longer", async () => {
  here = await world();
  const { clock, client, server } = here;
  const transport = inProcessTransport(server.client);
  cache = new Cache({
    client: createClient({ transport, clock, random: seededRandom(1) }),
    clock,
    random: seededRandom(2),
    log: silentLog,
    sink: () => {},
  });
  await client.create(ConfigMap, { metadata: at("m") });
  const first = await here.start([reading("first")], { cache });
  const second = await here.start([reading("second")], { cache });
  cache.start();
  await here.pass(1_000);
  await first.stop();
  here.samples.length = 0;
  await client.create(Secret, { metadata: at("s") });
  await client.patch(ConfigMap, at("m"), { merge: { data: { a: "1" } } });
  await here.pass(1_000);
  const asked = here.samples.flatMap((sample) => (sample.is === "enqueue" ? [sample.controller] : []));
  expect([...new Set(asked)]).toEqual(["second"]);
  expect(first.manager.gauges.queues()).toMatchObject([{ waiting: 0, delayed: 0 }]);
  expect(cache.gauges()).toHaveLength(2);
  await second.stop();
  expect(cache.gauges()).toEqual([]);
  // It can be used again.
  await here.start([reading("third")], { cache });
  await here.pass(1_000);
  expect(cache.gauges().map(({ objects }) => objects)).toEqual([1, 1]);
});
