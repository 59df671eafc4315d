import type { Discovered } from "@telltale/client";
import { instant } from "@telltale/kinds";
import { expect, test } from "vitest";
import { object } from "../../test/objects.ts";
import { pick, wantedIn } from "./choose.ts";
import { forest, vocabularyOf } from "./forest.ts";

const kind = (apiVersion: string, name: string, shortNames: readonly string[] = []): Discovered => {
  const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const singular = name.toLowerCase();
  return {
    group,
    version,
    apiVersion,
    kind: name,
    listKind: `${name}List`,
    plural: `${singular}s`,
    singular,
    shortNames,
    categories: [],
    scope: "Namespaced",
    subresources: { status: true, scale: false },
    verbs: ["list"],
  };
};
const kinds = [kind("v1", "Pod", ["po"]), kind("apps/v1", "Deployment", ["deploy"]), kind("a.com/v1", "Site", ["si"])];
const site = object("a.com/v1 Site", { name: "shop" });
const trees = forest(
  [
    site,
    object("apps/v1 Deployment", { name: "web", owner: site }),
    object("v1 ConfigMap", { name: "alone" }),
    object("a.com/v1 Site", { name: "other", namespace: "elsewhere" }),
  ],
  vocabularyOf([]),
  instant(0),
);
const names = (words: readonly string[], namespace?: string) =>
  pick(trees, wantedIn(words, kinds, namespace)).map(({ name }) => name);

test("who names nothing gets custom resources and what runs pods", () => {
  expect(names([])).toEqual(["shop", "other"]);
  expect(names([], "elsewhere")).toEqual(["other"]);
});

test.each([[["site", "shop"]], [["sites/shop"]], [["si", "shop"]], [["Site", "shop"]], [["sites.a.com", "shop"]]])(
  "%j is the one",
  (words) => {
    expect(names(words)).toEqual(["shop"]);
  },
);

test("a kind alone is all of them, wherever they are in a tree", () => {
  expect(names(["deploy"])).toEqual(["web"]);
  expect(names(["site"])).toEqual(["shop", "other"]);
});

test("what is not there is said, with what is", () => {
  expect(() => names(["sit"])).toThrow("the server has no kind sit");
  expect(() => names(["site", "shp"])).toThrow("there is no site shp");
  expect(() => names(["pod", "a"])).toThrow("there is no pod a");
});
