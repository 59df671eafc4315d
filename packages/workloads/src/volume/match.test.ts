import type { PersistentVolume, PersistentVolumeClaim } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { bestFor, misfit } from "./match.ts";

const claim = (spec: Partial<PersistentVolumeClaim["spec"]> = {}): PersistentVolumeClaim => ({
  metadata: { name: "data", namespace: "ns", uid: "u" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
});
const volume = (name: string, spec: Partial<PersistentVolume["spec"]> = {}, more: PersistentVolume = {}) => ({
  metadata: { name },
  spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], ...spec },
  status: { phase: "Available" },
  ...more,
});
const chosen = (volumes: readonly PersistentVolume[], of = claim(), isWaiting = false) =>
  bestFor(of, volumes, isWaiting)?.metadata?.name;
const keptFor = (uid?: string) => ({
  claimRef: { namespace: "ns", name: "data", ...(uid === undefined ? {} : { uid }) },
});

describe("a volume does not fit", () => {
  it("when it is too small, by whatever unit", () => {
    expect(misfit(volume("a", { capacity: { storage: "1000Mi" } }), claim())).toBe("requested PV is too small");
    expect(misfit(volume("a", { capacity: { storage: "1024Mi" } }), claim())).toBeUndefined();
  });

  it("when it is of another class; of none is a class too", () => {
    expect(misfit(volume("a", { storageClassName: "fast" }), claim())).toBe("storageClassName does not match");
    expect(misfit(volume("a"), claim({ storageClassName: "" }))).toBeUndefined();
    expect(misfit(volume("a"), claim({ storageClassName: "fast" }))).toBe("storageClassName does not match");
  });

  it("when it lacks a mode", () => {
    expect(misfit(volume("a"), claim({ accessModes: ["ReadWriteMany"] }))).toBe("incompatible accessMode");
    expect(misfit(volume("a", { accessModes: ["ReadWriteOnce", "ReadOnlyMany"] }), claim())).toBeUndefined();
    expect(misfit(volume("a", { volumeMode: "Block" }), claim())).toBe("incompatible volumeMode");
  });
});

describe("of several volumes", () => {
  it("the smallest that is large enough is chosen, of equal ones the first by name", () => {
    const sized = (name: string, storage: string) => volume(name, { capacity: { storage } });
    expect(chosen([sized("c", "5Gi"), sized("b", "2Gi"), sized("a", "2Gi"), sized("d", "1Mi")])).toBe("a");
  });

  it("one that is kept for the claim comes before all, the one that is bound to it before any", () => {
    const large = volume("large", { capacity: { storage: "9Gi" }, ...keptFor() });
    expect(chosen([volume("small"), large])).toBe("large");
    expect(chosen([volume("small"), large, volume("mine", keptFor("u"))])).toBe("mine");
  });

  it("one of another claim, or of an earlier one of the same name, is nobody else's", () => {
    const other = volume("b", { claimRef: { namespace: "ns", name: "other" } });
    expect(chosen([volume("a", keptFor("old")), other])).toBeUndefined();
  });

  it("one that is not free yet, or on its way out, is not taken", () => {
    const leaving = { metadata: { name: "b", deletionTimestamp: "2026-01-01T00:00:00Z" } };
    const volumes = [
      volume("a", {}, { status: { phase: "Pending" } }),
      volume("b", {}, leaving),
      volume("c", {}, { status: { phase: "Released" } }),
    ];
    expect(chosen(volumes)).toBeUndefined();
  });

  it("only those with the labels that the claim asks for", () => {
    const labelled = volume("b", {}, { metadata: { name: "b", labels: { tier: "ssd" } } });
    expect(chosen([volume("a"), labelled], claim({ selector: { matchLabels: { tier: "ssd" } } }))).toBe("b");
  });

  it("while the claim waits for a pod, only one that is kept for it", () => {
    expect(chosen([volume("a")], claim(), true)).toBeUndefined();
    expect(chosen([volume("a"), volume("b", keptFor())], claim(), true)).toBe("b");
  });
});
