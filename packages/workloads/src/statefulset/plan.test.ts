import type { PersistentVolumeClaim, StatefulSet } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { claimTemplate, member, now, type State, setOf, updating, viewOf } from "../../test/members.ts";
import { plan, type View } from "./plan.ts";

/** What is done, as a person would say it: `create db-0`. */
function does(view: View): readonly string[] {
  const steps = plan(view, now)?.steps ?? [];
  return steps.flat().map((action) => `${action.do} ${action.pod.metadata?.name}`);
}

const states = (...all: (State | undefined)[]) =>
  all.flatMap((state, ordinal) => (state === undefined ? [] : [member(ordinal, state)]));
const parallel = (spec: Partial<NonNullable<StatefulSet["spec"]>> = {}) =>
  setOf({ podManagementPolicy: "Parallel", ...spec });

describe("in order", () => {
  it("one member is made at a time, each after those before it are ready", () => {
    expect(does(viewOf(setOf(), []))).toEqual(["create db-0"]);
    expect(does(viewOf(setOf(), states("Pending")))).toEqual([]);
    expect(does(viewOf(setOf(), states("Unready")))).toEqual([]);
    expect(does(viewOf(setOf(), states("Ready")))).toEqual(["create db-1"]);
    expect(does(viewOf(setOf(), states("Ready", "Ready", "Ready")))).toEqual([]);
  });

  it("a gap is filled before anything above it is touched", () => {
    expect(does(viewOf(setOf(), states("Ready", undefined, "Failed")))).toEqual(["create db-1"]);
    expect(does(viewOf(setOf(), states("Unready", undefined, "Ready", "Ready")))).toEqual([]);
  });

  it("ready is not enough where members have to be ready for a while", () => {
    const set = setOf({ minReadySeconds: 7200 });
    expect(does(viewOf(set, states("Ready")))).toEqual([]);
    expect(does(viewOf(setOf({ minReadySeconds: 1800 }), states("Ready")))).toEqual(["create db-1"]);
  });

  it("a member that has ended, well or not, is removed, and its number waits until it is gone", () => {
    expect(does(viewOf(setOf(), states("Failed")))).toEqual(["remove db-0"]);
    expect(does(viewOf(setOf(), states("Succeeded", "Ready")))).toEqual(["remove db-0"]);
    const leaving = member(0, "Failed");
    const gone = { ...leaving, metadata: { ...leaving.metadata, deletionTimestamp: "2026-01-01T00:59:00Z" } };
    expect(does(viewOf(setOf(), [gone]))).toEqual([]);
  });

  it("a member that is going keeps the others waiting", () => {
    expect(does(viewOf(setOf(), states("Leaving")))).toEqual([]);
  });

  it("the highest number goes first, one at a time, each gone before the next", () => {
    const set = setOf({ replicas: 1 });
    expect(does(viewOf(set, states("Ready", "Ready", "Ready")))).toEqual(["remove db-2"]);
    expect(does(viewOf(set, states("Ready", "Ready", "Leaving")))).toEqual([]);
    expect(does(viewOf(set, states("Ready", "Ready")))).toEqual(["remove db-1"]);
  });

  it("nothing goes while one that stays does not work", () => {
    expect(does(viewOf(setOf({ replicas: 1 }), states("Unready", "Ready")))).toEqual([]);
  });

  it("of those to go that do not work the lowest is waited for", () => {
    const set = setOf({ replicas: 1 });
    expect(does(viewOf(set, states("Ready", "Ready", "Unready")))).toEqual(["remove db-2"]);
    expect(does(viewOf(set, states("Ready", "Unready", "Unready")))).toEqual([]);
    expect(does(viewOf(set, states("Ready", "Unready", "Ready")))).toEqual(["remove db-2"]);
  });
});

describe("in parallel", () => {
  it("all that are missing are made, and all that are too many removed", () => {
    expect(does(viewOf(parallel(), states(undefined, "Unready")))).toEqual(["create db-0", "create db-2"]);
    const many = states("Pending", "Ready", "Unready", "Leaving", "Ready");
    expect(does(viewOf(parallel({ replicas: 1 }), many))).toEqual(["remove db-4", "remove db-2", "remove db-1"]);
  });

  it("what has ended is removed while others are made", () => {
    expect(does(viewOf(parallel(), states("Failed")))).toEqual(["remove db-0", "create db-1", "create db-2"]);
  });
});

it("so many that nobody can hold them are made in portions", () => {
  const first = plan(viewOf(parallel({ replicas: 2 ** 31 - 1 }), states("Ready")), now);
  expect(first?.steps.map((step) => step.length)).toEqual([500]);
  expect(does(viewOf(setOf({ replicas: 2 ** 31 - 1 }), states("Ready")))).toEqual(["create db-1"]);
});

describe("numbers", () => {
  it("begin where the set says, and the others go", () => {
    const set = setOf({ replicas: 2, ordinals: { start: 1 } });
    expect(does(viewOf(set, states("Ready", "Ready", "Ready")))).toEqual(["remove db-0"]);
    expect(does(viewOf(set, states("Ready", "Ready")))).toEqual(["create db-2"]);
  });
});

describe("an update", () => {
  const old = (...ordinals: number[]) => ordinals.map((ordinal) => member(ordinal, "Ready", 1));
  const fresh = (ordinal: number, state: State = "Ready") => member(ordinal, state, 2);
  const rolling = (set: StatefulSet, pods: View["pods"]) => does(viewOf(set, pods, { revisions: updating }));

  it("replaces the highest number first, and waits for each", () => {
    expect(rolling(setOf(), old(0, 1, 2))).toEqual(["remove db-2"]);
    expect(rolling(setOf(), [...old(0, 1), fresh(2, "Unready")])).toEqual([]);
    expect(rolling(setOf(), [...old(0, 1), fresh(2)])).toEqual(["remove db-1"]);
    expect(rolling(setOf(), [fresh(0), fresh(1), fresh(2)])).toEqual([]);
  });

  it("stops at the partition, counted from the first number", () => {
    const update = { type: "RollingUpdate", rollingUpdate: { partition: 2 } };
    expect(rolling(setOf({ updateStrategy: update }), [...old(0, 1), fresh(2)])).toEqual([]);
    const set = setOf({ updateStrategy: update, ordinals: { start: 1 }, replicas: 3 });
    expect(rolling(set, old(1, 2, 3))).toEqual(["remove db-3"]);
    expect(rolling(set, [...old(1, 2), fresh(3)])).toEqual([]);
  });

  it("does not happen by itself where members are updated when deleted", () => {
    expect(rolling(setOf({ updateStrategy: { type: "OnDelete" } }), old(0, 1, 2))).toEqual([]);
  });

  it("that is stuck is not repaired in order, and is in parallel", () => {
    const stuck = [...old(0), member(1, "Unready", 3)];
    expect(rolling(setOf({ replicas: 2 }), stuck)).toEqual([]);
    expect(rolling(parallel({ replicas: 2 }), stuck)).toEqual(["remove db-1"]);
  });

  it("in parallel waits for the one that was replaced last", () => {
    expect(rolling(parallel(), [...old(0, 1), fresh(2, "Unready")])).toEqual([]);
    expect(rolling(parallel(), old(0, 1))).toEqual(["create db-2"]);
  });

  it("may replace as many at once as are allowed to be missing", () => {
    const allowing = (maxUnavailable: number | string) =>
      parallel({ updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0, maxUnavailable } } });
    expect(rolling(allowing(2), old(0, 1, 2))).toEqual(["remove db-2", "remove db-1"]);
    expect(rolling(allowing("10%"), old(0, 1, 2))).toEqual(["remove db-2"]);
    expect(rolling(allowing(2), [...old(0, 1), fresh(2, "Unready")])).toEqual(["remove db-1"]);
    expect(rolling(allowing(1), [...old(0, 1), fresh(2, "Unready")])).toEqual([]);
  });

  it("comes after scaling", () => {
    expect(rolling(setOf({ replicas: 2 }), old(0, 1, 2))).toEqual(["remove db-2"]);
    expect(rolling(setOf({ replicas: 2 }), [...old(0, 1), member(2, "Leaving", 1)])).toEqual([]);
    expect(rolling(setOf({ replicas: 4 }), old(0, 1, 2))).toEqual(["create db-3"]);
  });
});

describe("members", () => {
  it("that were taken in without the labels of their names get them once they work", () => {
    const { metadata, ...rest } = member(0);
    const bare = { ...rest, metadata: { ...metadata, labels: { app: "db" } } };
    const set = setOf({ replicas: 1, updateStrategy: { type: "OnDelete" } });
    expect(does(viewOf(set, [bare]))).toEqual(["correct db-0"]);
  });
});

describe("claims", () => {
  const policy = (whenDeleted: string, whenScaled: string) => ({ whenDeleted, whenScaled });
  const withClaims = (spec: Partial<NonNullable<StatefulSet["spec"]>> = {}) =>
    setOf({ replicas: 1, volumeClaimTemplates: [claimTemplate], ...spec });
  const claims = (...all: PersistentVolumeClaim[]) =>
    new Map(all.map((claim) => [claim.metadata?.name ?? "", claim] as const));
  const claim = (ordinal: number, more: object = {}): PersistentVolumeClaim => ({
    metadata: { name: `data-db-${ordinal}`, ...more },
  });
  const named = (view: View) =>
    plan(view, now)
      ?.steps.flat()
      .map((it) => (it.do === "create" || it.do === "furnish" ? it.claims.length : it.do));

  it("that are missing come with the member, and with one that still waits for them", () => {
    expect(named(viewOf(withClaims(), []))).toEqual([1]);
    expect(named(viewOf(withClaims(), [], { claims: claims(claim(0)) }))).toEqual([0]);
    expect(does(viewOf(withClaims(), states("Pending")))).toEqual(["furnish db-0"]);
    expect(does(viewOf(withClaims(), states("Ready")))).toEqual([]);
  });

  it("on their way out are asked for, so that it is said", () => {
    const leaving = claim(0, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    expect(named(viewOf(withClaims(), [], { claims: claims(leaving) }))).toEqual([1]);
  });

  it("go to the set that takes them along, as soon as the member is there", () => {
    const set = withClaims({ persistentVolumeClaimRetentionPolicy: policy("Delete", "Retain") });
    expect(does(viewOf(set, states("Pending"), { claims: claims(claim(0)) }))).toEqual(["hand db-0"]);
    expect(does(viewOf(set, states("Unready"), { claims: claims(claim(0)) }))).toEqual([]);
    expect(does(viewOf(set, states("Ready"), { claims: claims(claim(0)) }))).toEqual(["correct db-0"]);
  });

  it("go to the member that takes them along, before it goes", () => {
    const set = withClaims({ persistentVolumeClaimRetentionPolicy: policy("Retain", "Delete") });
    const view = viewOf(set, states("Ready", "Ready"), { claims: claims(claim(0), claim(1)) });
    expect(does(view)).toEqual(["hand db-1", "remove db-1"]);
  });

  it("of a former member of the same name keep the new one waiting", () => {
    const set = withClaims({ persistentVolumeClaimRetentionPolicy: policy("Retain", "Delete") });
    const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: "db-0", uid: "former" }];
    expect(does(viewOf(set, [], { claims: claims(claim(0, { ownerReferences })) }))).toEqual([]);
  });
});
