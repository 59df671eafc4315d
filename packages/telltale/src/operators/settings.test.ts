import { Settings } from "@telltale/runtime";
import { expect, test } from "vitest";
import { configured, flagsOf } from "./settings.ts";

const read = (env: Readonly<Record<string, string | undefined>>) => {
  const settings = new Settings(env);
  return { qps: settings.integer("SHOP_KUBE_QPS", 20), level: settings.text("LOG_LEVEL") };
};

test("flags are what a reader looks at, without its prefix", () => {
  const { flags, named } = flagsOf("shop", "SHOP_", read);
  expect(flags).toEqual(["kube-qps", "log-level"]);
  expect(named({ "kube-qps": "5", "log-level": "debug" })).toEqual({ SHOP_KUBE_QPS: "5", LOG_LEVEL: "debug" });
  expect(() => named({ "kube-qbs": "5" })).toThrow("shop has no setting kube-qbs");
});

test("what is wrong is said with the operator's name, and how much more there is", () => {
  expect(configured("shop", { config: 1 })).toBe(1);
  expect(() => configured("shop", { errors: ["A is odd", "B too"] })).toThrow("shop: A is odd (and 1 more)");
});
