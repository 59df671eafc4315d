import { describe, expect, it } from "vitest";
import { domainsFrom, reshaped, shaped } from "./failure-domains.ts";

const from = (outputs: Readonly<Record<string, unknown>>) => domainsFrom((name) => outputs[name]);

describe("CC-6 failure domains", () => {
  it.each([
    ["zones as JSON text, as a Secret has them", { azs: '["b","a"]' }],
    ["zones as a value, as outputs have them", { azs: ["b", "a"] }],
    ["the longer name, which goes first", { availability_zones: ["b", "a"], azs: ["c"] }],
    [
      "an object, which goes before all",
      { failure_domains: { a: { controlPlane: true }, b: { controlPlane: true } }, azs: ["c"] },
    ],
  ])("come from %s", (_what, outputs) => {
    const domains = { a: { controlPlane: true }, b: { controlPlane: true } };
    expect(from(outputs)).toEqual({ is: "found", domains });
  });

  it("keep what an object says of each", () => {
    const failure_domains = JSON.stringify({ a: { controlPlane: false, attributes: { rack: "1" } }, b: {} });
    expect(from({ failure_domains })).toEqual({
      is: "found",
      domains: { a: { controlPlane: false, attributes: { rack: "1" } }, b: {} },
    });
  });

  it.each([
    ["azs", "[1]"],
    ["azs", "not json"],
    ["azs", "{}"],
    ["azs", [""]],
    ["availability_zones", 3],
    ["failure_domains", "[]"],
    ["failure_domains", { a: 1 }],
    ["failure_domains", { a: { controlPlane: "yes" } }],
    ["failure_domains", { a: { attributes: { rack: 1 } } }],
  ])("are malformed where %s is %j", (key, value) => {
    expect(from({ [key]: value })).toEqual({ is: "malformed", key });
  });

  it("are none where no output names any", () => {
    expect(from({ vpc_id: "vpc-1" })).toEqual({ is: "none" });
  });
});

describe("the shape of failure domains", () => {
  const domains = { b: { controlPlane: true }, a: { attributes: { rack: "1" } } };

  it("is a map by name, or a list in the order of names", () => {
    expect(shaped(domains, "map")).toEqual(domains);
    expect(shaped(domains, "list")).toEqual([
      { name: "a", attributes: { rack: "1" } },
      { name: "b", controlPlane: true },
    ]);
  });

  it("is never empty, and never longer than a hundred", () => {
    expect([shaped({}, "map"), shaped({}, "list")]).toEqual([undefined, undefined]);
    const many = Object.fromEntries(Array.from({ length: 130 }, (_none, i) => [`z${1000 + i}`, {}]));
    const cut = shaped(many, "list");
    expect(Array.isArray(cut) ? [cut.length, cut[99]] : cut).toEqual([100, { name: "z1099" }]);
  });

  it("can be changed for what is stored", () => {
    const list = shaped(domains, "list");
    expect(reshaped(list, "map")).toEqual(domains);
    expect(reshaped(domains, "list")).toEqual(list);
    expect(reshaped(list, "list")).toEqual(list);
    expect(reshaped(undefined, "list")).toBeUndefined();
  });
});
