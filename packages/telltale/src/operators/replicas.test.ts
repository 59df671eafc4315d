// What operators' own settings say of leader election counts, as `telltale run` has it.
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
