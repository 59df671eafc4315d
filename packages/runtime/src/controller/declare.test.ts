import { ConfigMap, Deployment } from "@telltale/kinds/builtin";
import { text } from "@telltale/status";
import { describe, expect, it } from "vitest";
import { Site } from "../../test/site.ts";
import { manager } from "../manager.ts";
import { controller } from "./declare.ts";
import { done } from "./steps.ts";

const steps = { observe: (it: unknown) => it, status: () => {} };
const plain = { observe: (it: unknown) => it, status: () => ({ status: undefined }) };
const declared = () => controller(Site);

describe("a declaration is refused that cannot work", () => {
  it.each([
    ["workers is 0", () => declared().workers(0).reconcile(steps)],
    ["attempts is 0", () => declared().attempts(0).reconcile(steps)],
    ["timeout is -1", () => declared().timeout(-1).reconcile(steps)],
    ["resync is NaN", () => declared().resync(Number.NaN).reconcile(steps)],
    [
      "Deployment declares no finalizer",
      () =>
        controller(Deployment)
          .finalize(async () => done)
          .reconcile(plain),
    ],
    [
      "it sums up Nonsense, which Site does not declare",
      () =>
        declared()
          .sums(ConfigMap, "Nonsense", () => ({ status: "True", reason: "A", message: "" }), {
            empty: { status: "True", reason: "A", message: text`` },
            ok: { reason: "A", message: () => text`` },
          })
          .reconcile(steps),
    ],
    [
      'ConfigMap is read as {"label":"a=b"} and as {}',
      () => declared().reads(ConfigMap, { label: "a=b" }).owns(ConfigMap).reconcile(steps),
    ],
  ])("%s", (message, declare) => {
    expect(declare).toThrow(message);
  });
});

describe("a manager is refused that cannot work", () => {
  const transport = { send: () => Promise.reject(new Error("unused")), close: async () => {} };
  it.each([
    ["its name becomes that of a Lease", { name: "My Operator" }],
    ["namespaces is empty", { namespaces: [] }],
    ["two controllers are called site", { controllers: [declared().reconcile(steps), declared().reconcile(steps)] }],
  ])("%s", (message, options) => {
    expect(() => manager({ name: "sites", transport, controllers: [], ...options })).toThrow(message);
  });
});

it("a word gives a new declaration: the one before stays what it was", () => {
  const base = declared();
  const more = base.owns(ConfigMap, Deployment).workers(3);
  expect(base.reconcile(steps)).toMatchObject({ inputs: [], workers: 10 });
  expect(more.reconcile(steps).inputs.map(({ kind, as }) => `${as} ${kind.kind}`)).toEqual([
    "owns ConfigMap",
    "owns Deployment",
  ]);
});
