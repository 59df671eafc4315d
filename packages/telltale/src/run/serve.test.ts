// An operator at work agrees with others as its settings have it, unless it is told that there are none.
import { startApiServer } from "@telltale/apiserver";
import { createClient, inProcessTransport } from "@telltale/client";
import { systemClock as clock, systemRandom as random, sleep } from "@telltale/clock";
import { Lease } from "@telltale/kinds/builtin";
import { type Replicas, silentLog } from "@telltale/runtime";
import { afterAll, expect, test } from "vitest";
import { locust } from "../operators/locust.ts";
import { serve } from "./serve.ts";

const server = await startApiServer({ clock, random });
const transport = inProcessTransport(server.client);
const client = createClient({ transport, clock, random });
afterAll(() => server.stop());

test.each([
  ["its settings want no Lease", { as: "one" }, true, []],
  ["it is told that it is alone", { as: "lease", namespace: "default", lease: "unwanted" }, false, []],
  ["its settings name a Lease", { as: "lease", namespace: "default", lease: "named" }, true, ["named"]],
] as const)("where %s", async (_where, replicas: Replicas, elects, leases) => {
  const operator = { ...locust, replicas: () => replicas, start: async () => ({ controllers: [], options: {} }) };
  const listen = { host: "127.0.0.1", port: 0 };
  const around = { transport, client, clock, random, log: silentLog, namespace: "default", settings: {} };
  const stop = new AbortController();
  const { ended, manager } = await serve(operator, { ...around, elects, listen, webhookPort: undefined }, stop.signal);
  for (let tries = 0; tries < 100 && !manager.isActive(); tries += 1) await sleep(clock, 20);
  const { items } = await client.list(Lease, { namespace: "default" });
  expect(items.map(({ metadata }) => metadata?.name)).toEqual(leases);
  stop.abort();
  await ended;
});
