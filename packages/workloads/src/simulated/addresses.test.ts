import { expect, test } from "vitest";
import { Addresses } from "./addresses.ts";

const nobody = () => [];

test("each pod has its own, the same again and again", () => {
  const all = new Addresses();
  const given = ["a", "b", "c", "a"].map((uid) => all.of(uid, nobody));
  expect(given).toEqual(["10.244.0.1", "10.244.0.2", "10.244.0.3", "10.244.0.1"]);
});

test("what a pod on the server has is left alone, also after a restart", () => {
  const stored = new Map([
    ["10.244.0.1", "old"],
    ["10.244.0.2", "me"],
  ]);
  const holders = (ip: string) => [stored.get(ip) ?? []].flat();
  expect(new Addresses().of("me", holders)).toBe("10.244.0.2");
});

test("one that is free again is given when its turn comes, not before", () => {
  const all = new Addresses();
  all.of("a", nobody);
  all.free("a");
  expect(all.of("b", nobody)).toBe("10.244.0.2");
  const rest = new Set(Array.from({ length: 65_023 }, (_, i) => all.of(String(i), nobody)));
  expect(rest.size).toBe(65_023);
  expect(rest.has("10.244.0.1")).toBe(true);
  expect([...rest].some((ip) => ip.endsWith(".0") || ip.endsWith(".255"))).toBe(false);
});

test("when none is left that is said, and one that is freed helps", () => {
  const all = new Addresses();
  for (let i = 0; i < 65_024; i += 1) all.of(String(i), nobody);
  expect(() => all.of("more", nobody)).toThrow(
    "no pod address is left in 10.244.0.0/16; delete pods that are not needed",
  );
  all.free("7");
  expect(all.of("more", nobody)).toBe("10.244.0.8");
});
