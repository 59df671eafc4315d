import type { Lease } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import {
  adoptedAnnotation,
  allAdopted,
  type Group,
  laggards,
  litter,
  lookAt,
  membersOf,
  overdue,
} from "./membership.ts";

const duration = 15_000;
const lease = (name: string, holderIdentity: string, says = "", renewTime = "t1"): Lease => ({
  metadata: { name, uid: name, annotations: { [adoptedAnnotation]: says } },
  spec: { holderIdentity, leaseDurationSeconds: 15, renewTime },
});
const looks = (...all: [readonly Lease[], number][]): Group =>
  all.reduce<Group>((group, [leases, now]) => lookAt(group, leases, now, duration), new Map());
const names = (seen: ReturnType<typeof overdue>) => seen.map((it) => it.lease.metadata?.name);

describe("a group", () => {
  it("has those as members who hold a Lease, however long they have been silent", () => {
    const group = looks([[lease("a", "a"), lease("b", "b"), lease("c", "")], 0]);
    expect(membersOf(group)).toEqual(["a", "b"]);
    expect(membersOf(lookAt(group, [lease("a", "a"), lease("b", "b")], 99_000, duration))).toEqual(["a", "b"]);
  });

  it("keeps a member whose Lease was deleted until that has certainly noticed", () => {
    const both = [lease("a", "a"), lease("b", "b")];
    const one = [lease("a", "a", "", "t2")];
    expect(membersOf(looks([both, 0], [one, 1_000], [one, 15_999]))).toEqual(["a", "b"]);
    expect(membersOf(looks([both, 0], [one, 1_000], [one, 16_000]))).toEqual(["a"]);
    expect(looks([[lease("c", "")], 0], [[], 1]).size).toBe(0);
  });

  it("agrees when all members say the same, and not while one is gone or says something else", () => {
    const agreed = [lease("a", "a", "h"), lease("b", "b", "h"), lease("c", "", "old")];
    expect(allAdopted(looks([agreed, 0]), "h")).toBe(true);
    expect(allAdopted(looks([agreed, 0]), "i")).toBe(false);
    expect(laggards(looks([[lease("a", "a", "h"), lease("b", "b")], 0]), "h")).toEqual(["b"]);
    expect(laggards(looks([agreed, 0], [agreed.slice(0, 1), 1]), "h")).toEqual(["b"]);
  });

  it("knows whose time is over by how long it saw no change", () => {
    const group = looks([[lease("a", "a"), lease("b", "b")], 0], [[lease("a", "a"), lease("b", "b", "", "t2")], 9_000]);
    expect(names(overdue(group, 14_999))).toEqual([]);
    expect(names(overdue(group, 15_000))).toEqual(["a"]);
    expect(names(overdue(group, 24_000))).toEqual(["a", "b"]);
  });

  it("has litter where nobody has held a Lease for long", () => {
    const group = looks([[lease("a", "a"), lease("c", "")], 0]);
    expect(names(litter(group, 149_999, 150_000))).toEqual([]);
    expect(names(litter(group, 150_000, 150_000))).toEqual(["c"]);
  });
});
