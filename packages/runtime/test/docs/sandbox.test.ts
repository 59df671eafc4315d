import { startApiServer } from "@telltale/apiserver";
import { createClient, inProcessTransport, isNotFound } from "@telltale/client";
import { seededRandom, VirtualClock } from "@telltale/clock";
import { toCrd } from "@telltale/kinds";
import { CustomResourceDefinition, Namespace, ResourceQuota } from "@telltale/kinds/builtin";
import { manager } from "@telltale/runtime";
import { expect, it } from "vitest";
import { Sandbox, sandboxes } from "./sandbox.example.ts";

it("opens a namespace with a quota, and closes it an hour later", async () => {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const server = await startApiServer({ listen: false, clock, random });
  const transport = inProcessTransport(server.client);
  const client = createClient({ transport, clock, random });
  await client.create(CustomResourceDefinition, toCrd(Sandbox));
  const stop = new AbortController();
  const options = { name: "sandboxes", transport, controllers: [sandboxes], clock, random, strict: true };
  const running = manager(options).run(stop.signal);
  const { apiVersion, kind } = Sandbox;
  const ready = async () => (await client.get(Sandbox, "demo")).status?.conditions?.[0];

  await client.create(Sandbox, { apiVersion, kind, metadata: { name: "demo" }, spec: { lasts: "1h", pods: 5 } });
  await clock.settle(1_000);
  expect(await ready()).toMatchObject({ status: "True", reason: "Open", message: "Namespace demo is open" });
  const quota = await client.get(ResourceQuota, "sandbox", { namespace: "demo" });
  expect(quota.spec?.hard).toEqual({ pods: "5" });

  await clock.settle(3_600_000);
  expect(await ready()).toMatchObject({ status: "False", reason: "TimeIsUp" });
  await expect(client.get(Namespace, "demo")).rejects.toSatisfy(isNotFound);

  stop.abort();
  await running;
  await server.stop();
});
