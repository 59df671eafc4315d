import { describe, expect, test } from "vitest";
import { builtinStrategy as kind } from "../../test/strategies.ts";
import { at, type JsonObject } from "../json.ts";
import { StatusError } from "../status.ts";
import { type DeleteOptions, type Deletion, deleteDecision, deleteWarnings } from "./delete.ts";
import { podStrategy } from "./pod.ts";

const now = "2026-01-01T00:00:00Z";
const later = (seconds: number) => `2026-01-01T00:00:${String(seconds).padStart(2, "0")}Z`;

const configMap = (metadata: JsonObject): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", uid: "u1", resourceVersion: "7", ...metadata },
});
const remove = (object: JsonObject, options: DeleteOptions = {}, of = kind("", "ConfigMap")): Deletion =>
  deleteDecision(object, options, of, now);
/** What becomes of a pod. */
function deletePod(
  pod: JsonObject,
  options: DeleteOptions,
  at: string,
): "remove" | { update: JsonObject } | "unchanged" {
  const decision = deleteDecision(pod, options, podStrategy, at);
  return decision.do === "update" ? { update: decision.object } : decision.do;
}
const finalizers = (deletion: Deletion) => at(deletion.object, "metadata", "finalizers");

describe("deleting an object without grace", () => {
  test("X01 without finalizers it is gone, as it was", () => {
    expect(remove(configMap({}))).toEqual({ do: "remove", object: configMap({}) });
  });

  test("X03 a finalizer holds it: marked now, grace 0, generation + 1", () => {
    const held = remove(configMap({ finalizers: ["x.io/f"], generation: 1 }));
    expect(held.do).toBe("update");
    expect(at(held.object, "metadata")).toMatchObject({
      deletionTimestamp: now,
      deletionGracePeriodSeconds: 0,
      generation: 2,
    });
  });

  test("X03 a kind without generation gets none", () => {
    expect(at(remove(configMap({ finalizers: ["x.io/f"] })).object, "metadata", "generation")).toBeUndefined();
  });

  test("X04 a second delete changes nothing", () => {
    const first = remove(configMap({ finalizers: ["x.io/f"], generation: 1 })).object;
    expect(deleteDecision(first, {}, kind("", "ConfigMap"), later(9))).toEqual({ do: "unchanged", object: first });
  });

  test("X05 Foreground holds the object, Background then lets it go", () => {
    const held = remove(configMap({}), { propagationPolicy: "Foreground" });
    expect([held.do, finalizers(held)]).toEqual(["update", ["foregroundDeletion"]]);
    expect(remove(held.object, { propagationPolicy: "Background" }).do).toBe("remove");
  });

  test("X06 Orphan holds it, nothing said keeps it, Foreground takes the place of orphan", () => {
    const held = remove(configMap({}), { propagationPolicy: "Orphan" });
    expect([held.do, finalizers(held)]).toEqual(["update", ["orphan"]]);
    expect(remove(held.object).do).toBe("unchanged");
    const other = remove(held.object, { propagationPolicy: "Foreground" });
    expect([other.do, finalizers(other)]).toEqual(["update", ["foregroundDeletion"]]);
  });

  test("X07 the finalizer of the object decides when no policy is given; Background overrules it", () => {
    const own = configMap({ finalizers: ["foregroundDeletion"] });
    expect(remove(own).do).toBe("update");
    expect(remove(own, { propagationPolicy: "Background" }).do).toBe("remove");
    expect(remove(own, { orphanDependents: false }).do).toBe("remove");
  });

  test("X08 a Job and a ReplicationController orphan by default, a CronJob does not; only the Job says so", () => {
    const job = { ...configMap({}), kind: "Job" };
    expect(finalizers(remove(job, {}, kind("batch", "Job")))).toEqual(["orphan"]);
    expect(finalizers(remove(job, {}, kind("", "ReplicationController")))).toEqual(["orphan"]);
    expect(remove(job, {}, kind("batch", "CronJob")).do).toBe("remove");
    expect(deleteWarnings(kind("batch", "Job"), job, {})).toHaveLength(1);
    expect(deleteWarnings(kind("batch", "Job"), job, { propagationPolicy: "Orphan" })).toEqual([]);
    expect(deleteWarnings(kind("", "ReplicationController"), job, {})).toEqual([]);
  });

  test("an Event ignores the policy", () => {
    expect(remove(configMap({}), { propagationPolicy: "Foreground" }, kind("", "Event")).do).toBe("remove");
  });

  test("X11, X12 preconditions name the Kind", () => {
    const refused = (preconditions: { uid?: string; resourceVersion?: string }): unknown => {
      try {
        return remove(configMap({}), { preconditions });
      } catch (error) {
        return error;
      }
    };
    const error = refused({ uid: "u2" }) as StatusError;
    expect(error).toBeInstanceOf(StatusError);
    expect([error.code, error.details]).toEqual([409, { name: "a", kind: "ConfigMap" }]);
    expect(error.message).toBe(
      'Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (u2) does not match the UID in record (u1). The object might have been deleted and then recreated',
    );
    expect((refused({ resourceVersion: "6" }) as StatusError).message).toContain(
      "the ResourceVersion in the precondition (6) does not match the ResourceVersion in record (7). The object might have been modified",
    );
    expect(refused({ uid: "u1", resourceVersion: "7" })).toMatchObject({ do: "remove" });
  });
});

describe("deleting a pod", () => {
  const pod = (more: { node?: string; phase?: string; grace?: number; metadata?: JsonObject } = {}): JsonObject => ({
    metadata: { name: "p", generation: 1, ...more.metadata },
    spec: {
      terminationGracePeriodSeconds: more.grace ?? 30,
      ...(more.node === undefined ? {} : { nodeName: more.node }),
    },
    status: { phase: more.phase ?? "Pending" },
  });
  const marks = (result: ReturnType<typeof deletePod>): unknown => {
    if (typeof result === "string") return result;
    const { deletionTimestamp, deletionGracePeriodSeconds, generation } = result.update["metadata"] as JsonObject;
    return [deletionTimestamp, deletionGracePeriodSeconds, generation];
  };

  test("X16 an unscheduled pod goes at once, whatever grace is asked for", () => {
    expect(deletePod(pod(), {}, now)).toBe("remove");
    expect(deletePod(pod(), { gracePeriodSeconds: 10 }, now)).toBe("remove");
    const shown = deleteDecision(pod(), {}, kind("", "Pod"), now).object;
    expect(shown["metadata"]).toMatchObject({ deletionGracePeriodSeconds: 0, deletionTimestamp: now, generation: 2 });
  });

  test("X16 a finalizer holds it with grace 0, and a second delete changes nothing", () => {
    const held = deletePod(pod({ metadata: { finalizers: ["x.io/f"] } }), {}, now);
    expect(marks(held)).toEqual([now, 0, 2]);
    if (typeof held === "object") expect(deletePod(held.update, {}, later(5))).toBe("unchanged");
  });

  test("X17 grace is set, shortened, never lengthened, and forced", () => {
    const first = deletePod(pod({ node: "n1" }), {}, now);
    expect(marks(first)).toEqual([later(30), 30, 2]);
    if (typeof first === "string") return;
    const shorter = deletePod(first.update, { gracePeriodSeconds: 20 }, now);
    expect(marks(shorter)).toEqual([later(20), 20, 2]);
    if (typeof shorter === "string") return;
    expect(deletePod(shorter.update, { gracePeriodSeconds: 60 }, now)).toBe("unchanged");
    expect(deletePod(shorter.update, {}, now)).toBe("unchanged");
    expect(marks(deletePod(shorter.update, { gracePeriodSeconds: -5 }, now))).toEqual([later(1), 1, 2]);
    expect(deletePod(shorter.update, { gracePeriodSeconds: 0 }, now)).toBe("remove");
  });

  test("a deadline that would lie in the past becomes now, with a grace of one second", () => {
    const first = deletePod(pod({ node: "n1" }), {}, now);
    if (typeof first === "string") throw new Error("gone");
    expect(marks(deletePod(first.update, { gracePeriodSeconds: 5 }, later(10)))).toEqual([later(10), 1, 2]);
  });

  test("X17 a finished pod and one without grace go at once", () => {
    expect(deletePod(pod({ node: "n1", phase: "Succeeded" }), {}, now)).toBe("remove");
    expect(deletePod(pod({ node: "n1", grace: 0 }), {}, now)).toBe("remove");
    expect(marks(deletePod(pod({ node: "n1" }), { gracePeriodSeconds: -7 }, now))).toEqual([later(1), 1, 2]);
  });

  test("X17 a pod that finishes while it ends waits for its grace all the same", () => {
    const first = deletePod(pod({ node: "n1" }), {}, now);
    if (typeof first === "string") throw new Error("gone");
    expect(deletePod({ ...first.update, status: { phase: "Succeeded" } }, {}, later(1))).toBe("unchanged");
  });
});
