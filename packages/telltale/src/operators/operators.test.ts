// What operators tell the front door: how their replicas agree, by their own settings, and what goes on though it is well.
import { ApiError, type Client, type Transport } from "@telltale/client";
import { systemClock, systemRandom } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { silentLog } from "@telltale/runtime";
import { expect, test } from "vitest";
import { rightsOf } from "../run/preflight.ts";
import { chosen } from "./table.ts";

const operators = await chosen(undefined);
const named = (name: string) => operators.find((it) => it.name === name) ?? expect.fail(`there is no ${name}`);

test.each([
  ["bindy", {}, { as: "lease", namespace: "here", lease: "bindy-leader" }],
  ["bindy", { "enable-leader-election": "false" }, { as: "one" }],
  ["bindy", { "lease-namespace": "there", "lease-name": "mine" }, { namespace: "there", lease: "mine" }],
  ["bindy", { "lease-duration-seconds": "30" }, { duration: 30_000 }],
  ["capt", {}, { as: "lease", namespace: "here" }],
  ["capt", { "leader-elect": "false" }, { as: "one" }],
  ["locust", {}, { as: "lease", namespace: "here" }],
  ["virtrigaud", {}, { as: "lease", namespace: "here", lease: "8da97394.virtrigaud.io" }],
  ["virtrigaud", { "leader-elect": "false" }, { as: "one" }],
  ["virtrigaud", { "lease-name": "mine" }, { as: "lease", namespace: "here", lease: "mine" }],
])("%s with %j", (name, flags, expected) => {
  // Where it really is, and not where a variable says that it is.
  const settings = named(name).settings({ POD_NAMESPACE: "elsewhere", HOSTNAME: "laptop" }, flags);
  const place = { namespace: "here", settings };
  const replicas = named(name).replicas(place);
  expect(replicas).toMatchObject(expected);
  if (replicas.as !== "lease") return;
  expect(replicas.identity).toBeUndefined();
  const rights = rightsOf(named(name).roles({ ...place, webhooks: false }));
  const leases = rights.filter(({ resource }) => resource === "leases");
  expect(leases.map(({ namespace }) => namespace)).toContain(replicas.namespace);
});

test("a provider that adopts goes on until it has asked for its machines", () => {
  const goesOn = (annotations: Readonly<Record<string, string>>, adoption?: object) =>
    named("virtrigaud").ground.goesOn?.({
      apiVersion: "infra.virtrigaud.io/v1beta1",
      kind: "Provider",
      metadata: { name: "old-box", annotations },
      status: { ...(adoption && { adoption }) },
    } as KubeObject);
  const adopts = { "virtrigaud.io/adopt-vms": "true" };
  expect(goesOn({})).toBe(false);
  expect(goesOn(adopts)).toBe(true);
  expect(goesOn(adopts, { message: "Provider not ready" })).toBe(true);
  expect(goesOn(adopts, { lastDiscoveryTime: "2026-01-01T00:00:00Z" })).toBe(false);
});

test("every operator names the field managers that its controllers write statuses with", async () => {
  const text = JSON.stringify({ major: "1", minor: "34", resources: [], groups: [] });
  const client = {
    request: async () => ({ text }),
    list: async () => ({ items: [] }),
    get: () => Promise.reject(new ApiError("GET", { code: 404, reason: "NotFound" })),
  } as unknown as Client;
  const transport: Transport = { send: () => Promise.reject(new Error("no server")), close: async () => {} };
  const around = { client, transport, clock: systemClock, random: systemRandom, log: silentLog };
  for (const { name, namespace, fieldManagers, start, settings } of operators) {
    const { controllers } = await start({ ...around, namespace, settings: settings({}, {}) });
    const managers = controllers.map(({ write }) => write.fieldManager ?? name);
    expect([name, ...fieldManagers]).toEqual(expect.arrayContaining([...new Set(managers)]));
  }
});
