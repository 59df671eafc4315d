import { seededRandom, VirtualClock } from "@telltale/clock";
import { instant } from "@telltale/kinds";
import { expect, test } from "vitest";
import { at, type JsonObject } from "../json.ts";
import type { Resource } from "../registry/resource.ts";
import { badRequest } from "../status.ts";
import { Store } from "../store/store.ts";
import type { Admission, Attributes } from "./admission.ts";
import { builtinAdmission, chain } from "./chain.ts";

const clock = new VirtualClock(instant(0));
const create = (group: string, resource: string, object: JsonObject): Attributes =>
  ({
    operation: "CREATE",
    resource: { group, resource } as Resource,
    subresource: "",
    namespace: "ns",
    name: "a",
    object,
  }) as Attributes;

test("each sees what the one before has made, and is not asked what one before it refuses", async () => {
  const validated: string[] = [];
  const adding = (name: string, error?: string): Admission => ({
    mutate: (a) => Promise.resolve({ ...a.object, [name]: Object.keys(a.object ?? {}).length }),
    validate: () => {
      validated.push(name);
      return error === undefined ? Promise.resolve() : Promise.reject(badRequest(error));
    },
  });
  const both = chain(adding("a"), adding("b", "first"), adding("c", "second"));
  const request = create("", "configmaps", {});
  expect(await both.mutate(request)).toEqual({ a: 0, b: 1, c: 2 });
  await expect(both.validate(request)).rejects.toThrow("first");
  expect(validated).toEqual(["a", "b"]);
});

test("pods get their priority from the lowest default class, their tolerations, and their account where that is on", async () => {
  const store = new Store({ clock });
  for (const [name, value] of [
    ["high", 9],
    ["low", 4],
  ] as const) {
    const object = { metadata: { name }, value, globalDefault: true };
    store.commit(`/scheduling.k8s.io/priorityclasses/${name}`, { object });
  }
  store.commit("//serviceaccounts/ns/default", { object: { metadata: { name: "default" } } });
  const pod = create("", "pods", { metadata: { name: "a" }, spec: { containers: [{ name: "a" }] } });
  const without = await builtinAdmission({ store, clock, random: seededRandom(1), serviceAccounts: false }).mutate(pod);
  expect([at(without, "spec", "priorityClassName"), at(without, "spec", "priority")]).toEqual(["low", 4]);
  expect(at(without, "spec", "tolerations")).toHaveLength(2);
  expect(at(without, "spec", "serviceAccountName")).toBeUndefined();
  const mounted = await builtinAdmission({ store, clock, random: seededRandom(1), serviceAccounts: true }).mutate(pod);
  expect(at(mounted, "spec", "serviceAccountName")).toBe("default");
  await expect(
    builtinAdmission({ store, clock, random: seededRandom(1), serviceAccounts: true }).mutate({
      ...pod,
      namespace: "other",
    }),
  ).rejects.toThrow('serviceaccount "default" not found');
});

test("claims are protected and nodes tainted, but only new ones", async () => {
  const admission = builtinAdmission({
    store: new Store({ clock }),
    clock,
    random: seededRandom(1),
    serviceAccounts: false,
  });
  const claim = create("", "persistentvolumeclaims", { metadata: { name: "a" } });
  expect(at(await admission.mutate(claim), "metadata", "finalizers")).toEqual(["kubernetes.io/pvc-protection"]);
  expect(await admission.mutate({ ...claim, operation: "UPDATE" })).toBe(claim.object);
  const node = await admission.mutate(create("", "nodes", { metadata: { name: "n" } }));
  expect(at(node, "spec", "taints")).toEqual([{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }]);
});
