import type { PersistentVolumeClaim, StatefulSet } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { claimTemplate, member, setOf } from "../../test/members.ts";
import { claimsOf, isClaimOf, isConflicting, ownersWanted } from "./claims.ts";

const retaining = (whenDeleted: string, whenScaled: string, replicas = 1) =>
  setOf({
    replicas,
    volumeClaimTemplates: [claimTemplate],
    persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
  });
const reference = (kind: "StatefulSet" | "Pod", name: string, uid: string, controller = true) => ({
  apiVersion: kind === "Pod" ? "v1" : "apps/v1",
  kind,
  name,
  uid,
  controller,
  blockOwnerDeletion: true,
});
const [toSet, toPod] = [reference("StatefulSet", "db", "set"), reference("Pod", "db-0", "pod-0")];
const claim = (...ownerReferences: ReturnType<typeof reference>[]): PersistentVolumeClaim => ({
  metadata: { name: "data-db-0", ...(ownerReferences.length === 0 ? {} : { ownerReferences }) },
});
const wanted = (set: StatefulSet, it: PersistentVolumeClaim) => ownersWanted(it, set, member(0));
/** With no replicas the member is one that is not wanted any more. */
const condemned = (whenDeleted: string, whenScaled: string) => retaining(whenDeleted, whenScaled, 0);

it("a claim is named after template, set and number, and labelled as the set selects", () => {
  const labelled = { ...claimTemplate, metadata: { name: "data", labels: { tier: "gold", app: "other" } } };
  const [it, ...others] = claimsOf(setOf({ volumeClaimTemplates: [labelled] }), 4);
  expect(others).toEqual([]);
  expect(it).toEqual({
    metadata: { name: "data-db-4", labels: { tier: "gold", app: "db" } },
    spec: { accessModes: ["ReadWriteOnce"] },
  });
});

it("a claim is known by its name", () => {
  const set = setOf({ volumeClaimTemplates: [claimTemplate] });
  expect(["data-db-0", "data-db-17"].every((name) => isClaimOf(set, name))).toBe(true);
  expect(["data-db-", "data-db-x", "data-db-1-2", "logs-db-0", "data-dbs-0"].some((it) => isClaimOf(set, it))).toBe(
    false,
  );
});

describe("who owns a claim", () => {
  it("is nobody where claims are kept", () => {
    expect(wanted(retaining("Retain", "Retain"), claim())).toBeUndefined();
    expect(wanted(retaining("Retain", "Retain"), claim(toSet))).toEqual([]);
    expect(wanted(setOf({ volumeClaimTemplates: [claimTemplate] }), claim())).toBeUndefined();
  });

  it("is the set that takes it along", () => {
    expect(wanted(retaining("Delete", "Retain"), claim())).toEqual([toSet]);
    expect(wanted(retaining("Delete", "Retain"), claim(toSet))).toBeUndefined();
    expect(wanted(condemned("Delete", "Retain"), claim(toSet))).toBeUndefined();
  });

  it("is the member, once it is not wanted any more", () => {
    expect(wanted(retaining("Retain", "Delete"), claim())).toBeUndefined();
    expect(wanted(condemned("Retain", "Delete"), claim())).toEqual([toPod]);
    expect(wanted(condemned("Retain", "Delete"), claim(toPod))).toBeUndefined();
    expect(wanted(retaining("Retain", "Delete"), claim(toPod))).toEqual([]);
  });

  it("is one of both, never both", () => {
    expect(wanted(retaining("Delete", "Delete"), claim())).toEqual([toSet]);
    expect(wanted(condemned("Delete", "Delete"), claim(toSet))).toEqual([toPod]);
    expect(wanted(retaining("Delete", "Delete"), claim(toPod))).toEqual([toSet]);
  });

  it("is made right where one owns it without managing it", () => {
    const plain = reference("StatefulSet", "db", "set", false);
    expect(wanted(retaining("Delete", "Retain"), claim(plain))).toEqual([toSet]);
  });

  it("is left alone where one of the same name from before owns it", () => {
    const former = reference("StatefulSet", "db", "former");
    expect(wanted(retaining("Delete", "Retain"), claim(former))).toBeUndefined();
    expect(wanted(condemned("Retain", "Delete"), claim(reference("Pod", "db-0", "former")))).toBeUndefined();
  });

  it("is whoever else manages it, and none of ours beside", () => {
    const other = { ...reference("StatefulSet", "other", "else"), kind: "Keeper" as never };
    const set = retaining("Delete", "Retain");
    expect(wanted(set, claim(other))).toBeUndefined();
    expect(wanted(set, claim(other, toSet))).toEqual([other]);
    expect(isConflicting(claim(other), set, member(0))).toBe(true);
    expect(isConflicting(claim(other), retaining("Retain", "Retain"), member(0))).toBe(false);
  });

  it("keeps others that do not manage it", () => {
    const other = { ...reference("StatefulSet", "other", "else", false), kind: "Keeper" as never };
    expect(wanted(retaining("Delete", "Retain"), claim(other))).toEqual([other, toSet]);
  });
});
