import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { configFrom, LocustTest, standardConfig } from "../src/index.ts";

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
const readme = read("README.md");
const settings = [...read("docs/settings.md").matchAll(/^\| `([A-Z_]+)` \| (?:`([^`]+)`)? \|/gm)].map(
  ([, name = "", value]) => [name, value] as const,
);

test("the README has every phase, condition and reason", () => {
  const words = [
    ...(LocustTest.phases?.names ?? []),
    ...Object.entries(LocustTest.conditions.types).flatMap(([type, { reasons }]) => [type, ...Object.keys(reasons)]),
  ];
  expect(words.filter((word) => !readme.includes(`\`${word}\``))).toEqual([]);
});

test("docs/settings.md has every variable, and no other", () => {
  const names = new Set<string>();
  const env = new Proxy<Record<string, string>>(
    {},
    {
      get(_target, name) {
        if (typeof name === "string") names.add(name);
        return undefined;
      },
    },
  );
  configFrom(env);
  // How an operator finds out that it runs in a cluster.
  const own = [...names].filter((name) => !name.startsWith("KUBERNETES_"));
  expect(own.length).toBeGreaterThan(50);
  expect(settings.map(([name]) => name).sort()).toEqual(own.sort());
});

test("docs/settings.md has the defaults: to set one of them changes nothing", () => {
  const given = settings.filter(([, value]) => value !== undefined);
  expect(given.length).toBeGreaterThan(35);
  const mode = ["TELEMETRY_MODE", standardConfig.telemetry.mode] as const;
  for (const one of given)
    expect([one, configFrom(Object.fromEntries([mode, one]))]).toEqual([one, { config: standardConfig }]);
  const servers = ["KAFKA_BOOTSTRAP_SERVERS", "kafka:9092"] as const;
  const kafka = given.filter(([name]) => name.startsWith("KAFKA_"));
  expect(configFrom(Object.fromEntries([servers, ...kafka]))).toEqual(configFrom(Object.fromEntries([servers])));
});
