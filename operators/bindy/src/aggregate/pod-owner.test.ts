import type { KubeObject } from "@telltale/kinds";
import { Deployment, type Pod, ReplicaSet } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import type { Bind9Instance } from "../kinds/index.ts";
import { claimOf, isPodOf } from "./pod-owner.ts";

const owned = (name: string, uid: string, owner?: { readonly kind: string; readonly name: string; uid: string }) => ({
  metadata: {
    namespace: "dns",
    name,
    uid,
    ...(owner && { ownerReferences: [{ apiVersion: "", controller: true, ...owner }] }),
  },
});

function isFound({ set = "set", deployment = "deployment", instance = "instance" }): boolean {
  const there: Readonly<Record<string, KubeObject>> = {
    [ReplicaSet.kind]: owned("x-1", "set", { kind: Deployment.kind, name: "x", uid: deployment }),
    [Deployment.kind]: owned("x", "deployment", { kind: "Bind9Instance", name: "x", uid: instance }),
  };
  const pod = owned("x-1-0", "pod", { kind: ReplicaSet.kind, name: "x-1", uid: set }) as Pod;
  return isPodOf(pod, owned("x", "instance") as Bind9Instance, { get: (kind) => there[kind.kind] as never });
}

test("a pod is that of the instance at the end of its owners", () => {
  expect(isFound({})).toBe(true);
});

test.each(["set", "deployment", "instance"])("a pod of a former %s is not one of who has the name now", (former) => {
  expect(isFound({ [former]: "former" })).toBe(false);
});

test("of a pod whose owners are not all known nobody knows whose it is", () => {
  const pod = owned("x-1-0", "pod", { kind: ReplicaSet.kind, name: "x-1", uid: "set" }) as Pod;
  const instance = owned("x", "instance") as Bind9Instance;
  expect(claimOf(pod, instance, { get: () => undefined })).toBe("doubtful");
  expect(claimOf(owned("x-1-0", "pod") as Pod, instance, { get: () => undefined })).toBe("another's");
});

test("a pod whose Deployment is nobody's is left of the instance that the Deployment names", () => {
  const set = owned("x-1", "set", { kind: Deployment.kind, name: "x", uid: "deployment" });
  const pod = owned("x-1-0", "pod", { kind: ReplicaSet.kind, name: "x-1", uid: "set" }) as Pod;
  const of = (name: string) => {
    const { metadata } = owned("x", "deployment");
    const deployment = { metadata: { ...metadata, labels: { "app.kubernetes.io/instance": name } } };
    const get = (kind: { readonly kind: string }) => (kind.kind === ReplicaSet.kind ? set : deployment) as never;
    return claimOf(pod, owned("x", "instance") as Bind9Instance, { get });
  };
  expect(of("x")).toBe("orphaned");
  expect(of("y")).toBe("another's");
});
