import { expect, test } from "vitest";
import { configFrom } from "./config.ts";
import { processOptions } from "./process.ts";

function optionsFor(flags: Record<string, string>) {
  const read = configFrom(flags);
  if ("errors" in read) throw new Error(read.errors.join());
  return processOptions(read.config, "capt-system");
}

test("1.4 probes and metrics are answered at addresses of their own", () => {
  expect(optionsFor({})).toEqual({
    probes: { host: "0.0.0.0", port: 8081, metrics: { host: "0.0.0.0", port: 8080 } },
    replicas: { as: "one" },
  });
});

test.each([
  [{ "--metrics-bind-address": "0" }, { host: "0.0.0.0", port: 8081, metrics: "off" }],
  [{ "--health-probe-bind-address": "0" }, { host: "0.0.0.0", port: 8080 }],
  [
    { "--metrics-bind-address": ":9", "--health-probe-bind-address": ":9" },
    { host: "0.0.0.0", port: 9 },
  ],
  [{ "--metrics-bind-address": "0", "--health-probe-bind-address": "0" }, undefined],
] as const)("1.4 %j is answered at %j", (flags, probes) => {
  expect(optionsFor(flags).probes).toEqual(probes);
});

test("1.4 replicas that elect a leader share a lease in the operator's namespace", () => {
  const { replicas, namespaces } = optionsFor({ "--leader-elect": "true", "--namespace": "t1" });
  expect(replicas).toMatchObject({ as: "lease", namespace: "capt-system" });
  expect(namespaces).toEqual(["t1"]);
});
