import { describe, expect, test } from "vitest";
import { builtinStrategy as kind } from "../../test/strategies.ts";
import { at, type JsonObject } from "../json.ts";
import { serviceAllocator } from "./allocator.ts";
import { deleteNamespace, isReleased, prepareFinalize, refuseCreateIn, refuseNamespaceDelete } from "./namespace.ts";

const now = "2026-01-01T00:00:00Z";

describe("namespaces", () => {
  const made = (spec: JsonObject = {}): JsonObject =>
    kind("", "Namespace").prepareCreate({ metadata: { name: "n" }, spec }, { ...serviceAllocator(), uid: "u", now });

  test("S14 finalizers change through finalize only, and the last one gone releases it", () => {
    const first = made({ finalizers: ["x.io/extra"] });
    expect(first["spec"]).toEqual({ finalizers: ["x.io/extra", "kubernetes"] });
    const sent: JsonObject = { metadata: { name: "n", labels: { a: "1" } }, spec: { finalizers: [] } };
    const context = { ...serviceAllocator(), uid: "u", now };
    expect(kind("", "Namespace").prepareUpdate(sent, first, context)["spec"]).toEqual(first["spec"]);
    const finalized = prepareFinalize(sent, first);
    expect(at(finalized, "metadata", "labels")).toEqual({ a: "1", "kubernetes.io/metadata.name": "n" });
    expect(isReleased(finalized)).toBe(false);
    expect(isReleased({ ...finalized, metadata: { name: "n", deletionTimestamp: now } })).toBe(true);
  });

  test("X21 a deleted namespace is Terminating and takes nothing new", () => {
    const marked = deleteNamespace(made(), now);
    if (marked.do !== "update") throw new Error(marked.do);
    expect(at(marked.object, "status", "phase")).toBe("Terminating");
    expect(deleteNamespace(marked.object, now).do).toBe("unchanged");
    expect(refuseCreateIn(marked.object, { group: "", resource: "configmaps" }, "c")?.body()).toMatchObject({
      code: 403,
      message:
        'configmaps "c" is forbidden: unable to create new content in namespace n because it is being terminated',
      details: {
        causes: [
          { reason: "NamespaceTerminating", message: "namespace n is being terminated", field: "metadata.namespace" },
        ],
      },
    });
  });

  test("X22 three namespaces stay", () => {
    expect(refuseNamespaceDelete("kube-system")?.message).toBe(
      'namespaces "kube-system" is forbidden: this namespace may not be deleted',
    );
    expect(refuseNamespaceDelete("kube-node-lease")).toBeUndefined();
  });
});
