import type { KubeObject } from "@telltale/kinds";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { annotations } from "./names.ts";
import { acceptsFrom, follow, isOpenTo, providerKey, providerOfKey, resolve } from "./references.ts";

const object = (namespace: string, name: string, given: Record<string, string> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { namespace, name, annotations: given },
});
const allowing = (list: string) => ({ [annotations.allowedNamespaces]: list });
const finding =
  (...all: readonly KubeObject[]) =>
  ({ namespace, name }: { namespace: string; name: string }) =>
    all.find(({ metadata }) => metadata?.namespace === namespace && metadata.name === name);

test("2.3 a reference without a namespace stays in that of its object", () => {
  expect(resolve({ name: "x" }, "demo")).toEqual({ namespace: "demo", name: "x" });
  expect(resolve({ name: "x", namespace: "" }, "demo")).toEqual({ namespace: "demo", name: "x" });
  expect(resolve({ name: "x", namespace: "other" }, "demo")).toEqual({ namespace: "other", name: "x" });
});

describe("7.3 a reference", () => {
  const ref = { name: "box", namespace: "infra" };

  test("in its own namespace needs nobody's leave", () => {
    const box = object("demo", "box");
    expect(follow("Provider", { name: "box" }, "demo", finding(box))).toEqual({ is: "found", object: box });
  });

  test("in its own namespace that leads nowhere says so", () => {
    const what = "Provider demo/box not found";
    expect(follow("Provider", { name: "box" }, "demo", finding())).toEqual({ is: "missing", what });
  });

  test.each(["demo", "*", "a, demo ,b"])("into another is followed where the object allows %j", (list) => {
    const box = object("infra", "box", allowing(list));
    expect(follow("Provider", ref, "demo", finding(box))).toEqual({ is: "found", object: box });
  });

  test("into another that is refused does not tell whether the object exists", () => {
    const there = follow("Provider", ref, "demo", finding(object("infra", "box", allowing("others"))));
    const gone = follow("Provider", ref, "demo", finding());
    expect(there.is).toBe("refused");
    expect(gone).toEqual(there);
  });

  test("into another is followed by everybody with --allow-cross-namespace-refs", () => {
    const box = object("infra", "box");
    expect(follow("Provider", ref, "demo", finding(box), { isFree: true })).toEqual({ is: "found", object: box });
    expect(follow("Provider", ref, "demo", finding(), { isFree: true })).toMatchObject({ is: "missing" });
  });

  test("is open to nobody where nothing is said", () => {
    expect(isOpenTo(object("infra", "box"), "demo")).toBe(false);
    expect(isOpenTo(object("infra", "box", allowing("")), "demo")).toBe(false);
    expect(isOpenTo(undefined, "demo")).toBe(false);
  });
});

test("7.3 a namespace says from where machines may be made in it", () => {
  const closed = { isFree: false };
  const target = object("", "prod", { [annotations.acceptFrom]: "staging" });
  expect(acceptsFrom(target, "staging", closed)).toBe(true);
  expect(acceptsFrom(target, "demo", closed)).toBe(false);
  expect(acceptsFrom(target, "prod", closed)).toBe(true);
  expect(acceptsFrom(undefined, "demo", closed)).toBe(false);
  expect(acceptsFrom(target, "demo", { isFree: true })).toBe(true);
});

describe("2.11 the key of a provider", () => {
  test("is its name, with the namespace where that is another", () => {
    expect(providerKey("demo", { namespace: "demo", name: "box" })).toBe("box");
    expect(providerKey("demo", { namespace: "infra", name: "box" })).toBe("infra/box");
  });

  test("leads back to the provider", () => {
    const name = fc.stringMatching(/^[a-z0-9]{1,8}$/);
    fc.assert(
      fc.property(name, name, name, (here, namespace, box) => {
        const provider = { namespace, name: box };
        expect(providerOfKey(here, providerKey(here, provider))).toEqual(provider);
      }),
      { numRuns: 50, seed: 1 },
    );
  });

  test.each(["", "/", "a/", "/a", "a/b/c"])("%j is none", (key) => {
    expect(providerOfKey("demo", key)).toBeUndefined();
  });
});
