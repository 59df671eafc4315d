import { bugReason, instant } from "@telltale/kinds";
import { draft, text } from "@telltale/status";
import { describe, expect, test } from "vitest";
import { VirtualMachine, VMSnapshot, virtrigaudCrds, virtrigaudKinds } from "./index.ts";

describe("2.1 the ten kinds", () => {
  test("have the plurals, short names and finalizers of the specification", () => {
    const group = "infra.virtrigaud.io/finalizer";
    expect(
      virtrigaudKinds.map(({ kind, plural, shortNames, finalizer }) => [kind, plural, ...shortNames, finalizer]),
    ).toEqual([
      ["VirtualMachine", "virtualmachines", "vm", `virtualmachine.${group}`],
      ["Provider", "providers", "prov", `provider.${group}`],
      ["VMMigration", "vmmigrations", "vmmig", `vmmigration.${group}`],
      ["VMSet", "vmsets", "vmset", `vmset.${group}`],
      ["VMPlacementPolicy", "vmplacementpolicies", "vmpp", undefined],
      ["VMSnapshot", "vmsnapshots", "vmsnap", `snapshot.${group}`],
      ["VMClass", "vmclasses", "vmclass", `vmclass.${group}`],
      ["VMImage", "vmimages", "vmimg", undefined],
      ["VMClone", "vmclones", "vmclone", `clone.${group}`],
      ["VMNetworkAttachment", "vmnetworkattachments", "vmnet", `vmnetworkattachment.${group}`],
    ]);
  });

  test("are of one group and version, in namespaces, with conditions in six fields keyed by type", () => {
    for (const { apiVersion, scope, conditions, subresources } of virtrigaudKinds) {
      expect([apiVersion, scope, conditions.shape]).toEqual(["infra.virtrigaud.io/v1beta1", "Namespaced", "metav1"]);
      expect(subresources.status).toBe(true);
    }
  });

  test("have the condition types of the seed, first and in its order", () => {
    const seed: Readonly<Record<string, string>> = {
      VirtualMachine: "Ready Provisioning Reconfiguring Deleting",
      Provider: "Ready Healthy Connected RuntimeReady",
      VMMigration: "Ready Validating Snapshotting Exporting Transferring Importing Failed",
      VMSet: "Ready Progressing ReplicaFailure UpdateInProgress Scaling",
      VMPlacementPolicy: "Ready Validated Conflicts Supported",
      VMSnapshot: "Ready Creating Deleting Expired",
    };
    for (const { kind, conditions } of virtrigaudKinds)
      expect(
        Object.keys(conditions.types)
          .join(" ")
          .startsWith(seed[kind] ?? "Ready"),
        kind,
      ).toBe(true);
  });

  test("have no phase without a meaning", () => {
    for (const { kind, phases } of virtrigaudKinds)
      expect(phases?.names.filter((name) => phases.means[name] === undefined) ?? [], kind).toEqual([]);
  });

  test("have CRDs small enough for client-side apply", () => {
    for (const crd of virtrigaudCrds())
      expect(JSON.stringify(crd).length, crd.spec.names.kind).toBeLessThan(256 * 1024);
  });
});

test("1.3 a machine that was paused before anybody looked at it says so, and is not called ready", () => {
  const { apiVersion, kind } = VirtualMachine;
  const spec = { providerRef: { name: "box" }, classRef: { name: "small" } };
  const vm: VirtualMachine = { apiVersion, kind, metadata: { name: "web", generation: 1 }, spec };
  const { status } = draft(VirtualMachine, vm, instant(0), { strict: true })
    .aside()
    .set({ message: "Paused" })
    .finish();
  expect(status.conditions).toMatchObject([{ type: "Ready", status: "Unknown", reason: "Paused" }]);
});

describe("2.5 an error that nobody expected", () => {
  const failure = { class: "bug", reason: bugReason, message: text`it broke` } as const;
  const metadata = { name: "x", generation: 1 };
  const said = { type: "Ready", status: "False", reason: "ReconcileFailed", message: "Failed to reconcile: it broke" };

  test("is told in the words of the seed, and ends in Failed until the next good pass", () => {
    const spec = { providerRef: { name: "box" }, classRef: { name: "small" } };
    const vm: VirtualMachine = { apiVersion: VirtualMachine.apiVersion, kind: VirtualMachine.kind, metadata, spec };
    const { status } = draft(VirtualMachine, vm, instant(0), { strict: true }).fail(failure).finish();
    expect(status).toMatchObject({ phase: "Failed", message: "it broke", observedGeneration: 1, conditions: [said] });
  });

  test("keeps the phase where Failed has a logic of its own", () => {
    const object: VMSnapshot = {
      apiVersion: VMSnapshot.apiVersion,
      kind: VMSnapshot.kind,
      metadata,
      spec: { vmRef: { name: "web" } },
      status: { phase: "Creating" },
    };
    const { status } = draft(VMSnapshot, object, instant(0), { strict: true }).fail(failure).finish();
    expect(status).toMatchObject({ phase: "Creating", message: "it broke", conditions: [said] });
  });
});
