import type { PersistentVolume, PersistentVolumeClaim } from "@telltale/kinds/builtin";
import { expect, it } from "vitest";
import { isRemovable, standingOf, statusOf } from "./volumes.ts";

const volume = (claimRef?: NonNullable<PersistentVolume["spec"]>["claimRef"]): PersistentVolume => ({
  metadata: { name: "pv" },
  spec: claimRef === undefined ? {} : { claimRef },
  status: { phase: "Pending", lastPhaseTransitionTime: "2026-01-01T00:00:00Z" },
});
const ref = { namespace: "ns", name: "data" };
const claim = (volumeName?: string): PersistentVolumeClaim => ({
  spec: volumeName === undefined ? {} : { volumeName },
});
const phase = (of: PersistentVolume, to?: PersistentVolumeClaim) => statusOf({ volume: of, claim: to })?.phase;

it("a volume is available until a claim has taken it, also one that is kept for a claim", () => {
  expect(phase(volume())).toBe("Available");
  expect(phase(volume(ref))).toBe("Available");
});

it("a volume is bound once its claim names it, and stays as it was until then", () => {
  expect(phase(volume({ ...ref, uid: "u" }), claim())).toBeUndefined();
  expect(phase(volume({ ...ref, uid: "u" }), claim("pv"))).toBe("Bound");
});

it("a volume whose claim is gone is released", () => {
  expect(phase(volume({ ...ref, uid: "u" }))).toBe("Released");
});

it("a volume whose claim took another one is neither", () => {
  expect(standingOf({ volume: volume({ ...ref, uid: "u" }), claim: claim("other") })).toBe("jilted");
});

it("only what is to be deleted, and nobody else's, is removed", () => {
  const of = (persistentVolumeReclaimPolicy: string, by?: string): PersistentVolume => ({
    metadata: by === undefined ? {} : { annotations: { "pv.kubernetes.io/provisioned-by": by } },
    spec: { persistentVolumeReclaimPolicy },
  });
  expect(isRemovable(of("Delete"))).toBe(true);
  expect(isRemovable(of("Delete", "telltale.dev/local"))).toBe(true);
  expect(isRemovable(of("Delete", "example.com/disks"))).toBe(false);
  expect(isRemovable(of("Retain"))).toBe(false);
});
