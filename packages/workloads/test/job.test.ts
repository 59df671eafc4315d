// What Jobs do where no recording shows it: as the notes on the recordings have it, and as Kubernetes says.
import { describe, expect, test } from "vitest";
import { jobs } from "../src/job/job.ts";
import { orphanedPods } from "../src/job/orphans.ts";
import { expiredJobs } from "../src/job/ttl.ts";
import { at as dig, isObject, type Json, type JsonObject, list, text } from "./golden/json.ts";
import { type Replay, replay } from "./golden/replay.ts";
import type { Step } from "./golden/scenario.ts";

const settled: Step = { until: "settled" };
const wait = (seconds: number): Step => ({ wait: seconds });

function create(spec: JsonObject, annotations: JsonObject = {}, metadata: JsonObject = {}): Step {
  const template = {
    metadata: { labels: { app: "it" }, annotations },
    spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.test/app:1" }] },
  };
  const manifest = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "it", labels: { app: "it" }, ...metadata },
    spec: { template, ...spec },
  };
  return { do: "create", manifest };
}

const patch = (spec: JsonObject): Step => ({ do: "patch", kind: "Job", name: "it", type: "merge", patch: { spec } });
const until = (path: string, equals: Json): Step => ({
  until: { kind: "Job", name: "it", path, equals },
  timeout: 600,
});
const ended = (type: "Complete" | "Failed") => until(`status.conditions[type=${type}].status`, "True");
const gone: Step = { until: { kind: "Job", name: "it", gone: true } };
const exits = { "kubelet.test/exit-code": "0" };

async function play(...steps: Step[]): Promise<Replay> {
  const scenario = { name: "test", description: "", steps, settleMs: 1500, podNumbering: "creation" } as const;
  const ours = await replay(scenario, [jobs(), orphanedPods(), expiredJobs()]);
  expect([ours.failure, ours.complaints]).toEqual([undefined, []]);
  return ours;
}

const statesOf = (ours: Replay, name: string) => ours.objects.get(name) ?? [];
const last = (ours: Replay, name: string, step = 1000): JsonObject | undefined =>
  statesOf(ours, name).findLast((it) => it.step <= step)?.body;

function statusAt(ours: Replay, step = 1000): JsonObject {
  const status = last(ours, "Job/it", step)?.["status"];
  return isObject(status) ? status : {};
}

const conditions = (status: JsonObject): string[] =>
  list(status, "conditions").map((it) => `${text(it, "type")} ${text(it, "status")} ${text(it, "reason")}`);

/** A status in few words, without what is always there. */
function told(status: JsonObject): string {
  const numbers = ["active", "ready", "terminating", "succeeded", "failed"].flatMap((name) => {
    const value = dig(status, name);
    return value === undefined || value === 0 ? [] : `${name} ${value}`;
  });
  const noted = ["succeeded", "failed"].flatMap((name) => {
    const count = list(status, "uncountedTerminatedPods", name).length;
    return count === 0 ? [] : `${name} noted ${count}`;
  });
  const begun = dig(status, "startTime") === undefined ? ["not begun"] : [];
  return [...numbers, ...noted, ...begun, ...conditions(status)].join(", ");
}

const story = (ours: Replay): string[] =>
  statesOf(ours, "Job/it")
    .filter(({ event }) => event !== "DELETED")
    .map(({ body }) => told(isObject(body["status"]) ? body["status"] : {}));

const events = (ours: Replay): string[] =>
  ours.events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
const podsOf = (ours: Replay): string[] => [...ours.objects.keys()].filter((name) => name.startsWith("Pod/"));

describe("suspend", () => {
  test("a Job that is created so has no pod and no start; each resumption begins anew, and nothing counts as failed", async () => {
    const ours = await play(
      create({ suspend: true }),
      settled,
      patch({ suspend: false }),
      settled,
      patch({ suspend: true }),
      settled,
      patch({ suspend: false }),
      settled,
      { do: "pod", op: "exit", nth: 0, code: 0 },
      ended("Complete"),
      settled,
    );
    const [off, on] = ["Suspended True JobSuspended", "Suspended False JobResumed"];
    expect(story(ours).filter((it, i, all) => it !== all[i - 1])).toEqual([
      "not begun",
      `not begun, ${off}`,
      `active 1, ${on}`,
      `active 1, ready 1, ${on}`,
      `terminating 1, not begun, ${off}`,
      `not begun, ${off}`,
      `active 1, ${on}`,
      `active 1, ready 1, ${on}`,
      `succeeded noted 1, ${on}, SuccessCriteriaMet True CompletionsReached`,
      `succeeded 1, ${on}, SuccessCriteriaMet True CompletionsReached, Complete True CompletionsReached`,
    ]);
    expect(events(ours)).toContain("Normal Suspended: Job suspended");
    expect(events(ours)).toContain("Normal Resumed: Job resumed");
  });
});

describe("ttlSecondsAfterFinished", () => {
  test("of 0: the Job goes as soon as it has ended, in the foreground, and its pod with it", async () => {
    const ours = await play(create({ ttlSecondsAfterFinished: 0 }, exits), gone, settled);
    const finalizers = statesOf(ours, "Job/it").map(({ body }) => dig(body, "metadata", "finalizers"));
    expect(finalizers.slice(-2)).toEqual([["foregroundDeletion"], ["foregroundDeletion"]]);
    expect(statesOf(ours, "Pod/it-<rand:1>").at(-1)?.event).toBe("DELETED");
  });

  test("counts from the end, also of a failure, and a longer one counts when it is given in time", async () => {
    const ours = await play(
      create({ ttlSecondsAfterFinished: 20, backoffLimit: 0 }, { "kubelet.test/exit-code": "1" }),
      ended("Failed"),
      wait(10),
      patch({ ttlSecondsAfterFinished: 60 }),
      wait(30),
      { do: "pod", op: "label", nth: 0, labels: { seen: "yes" } },
      gone,
    );
    expect(statesOf(ours, "Job/it").at(-1)?.event).toBe("DELETED");
    expect(statesOf(ours, "Pod/it-<rand:1>").some(({ step }) => step === 5)).toBe(true);
  });
});

describe("a limit for each index", () => {
  const failing = { "kubelet.test/exit-code-by-index": "0,1,0" };
  const spec = { completions: 3, parallelism: 3, completionMode: "Indexed" };

  test("lets an index fail that often more, then the others end, then the Job fails", async () => {
    const ours = await play(create({ ...spec, backoffLimitPerIndex: 1 }, failing), ended("Failed"), settled);
    const second = statesOf(ours, "Pod/it-1-<rand:2>")[0]?.body;
    expect(dig(second, "metadata", "annotations", "batch.kubernetes.io/job-index-failure-count")).toBe("1");
    expect(podsOf(ours)).toHaveLength(4);
    expect(statusAt(ours)).toMatchObject({ completedIndexes: "0,2", failedIndexes: "1", succeeded: 2, failed: 2 });
    expect(conditions(statusAt(ours))).toEqual(["FailureTarget True FailedIndexes", "Failed True FailedIndexes"]);
  });

  test("and a limit for how many may fail ends the rest at once", async () => {
    const limits = { backoffLimitPerIndex: 0, maxFailedIndexes: 0 };
    const running = { "kubelet.test/exit-code-by-index": "1,run,run" };
    const ours = await play(create({ ...spec, ...limits }, running), ended("Failed"), settled);
    expect(conditions(statusAt(ours))).toContain("Failed True MaxFailedIndexesExceeded");
    expect(statusAt(ours)).toMatchObject({ failedIndexes: "0", failed: 3 });
    expect(events(ours)).toContain(
      "Warning MaxFailedIndexesExceeded: Job has exceeded the specified maximal number of failed indexes",
    );
  });

  test("FailIndex fails the index without a second attempt", async () => {
    const podFailurePolicy = { rules: [{ action: "FailIndex", onExitCodes: { operator: "In", values: [1] } }] };
    const ours = await play(
      create({ ...spec, backoffLimitPerIndex: 5, podFailurePolicy }, failing),
      ended("Failed"),
      settled,
    );
    expect(podsOf(ours)).toHaveLength(3);
    expect(statusAt(ours)).toMatchObject({ failedIndexes: "1", failed: 1 });
  });
});

describe("an Indexed Job", () => {
  const elastic = (size: number) => ({ completions: size, parallelism: size, completionMode: "Indexed" });

  test("grows and shrinks: pods of indexes that are no longer wanted go and do not count", async () => {
    const ours = await play(
      create(elastic(2)),
      settled,
      patch({ completions: 3, parallelism: 3 }),
      settled,
      patch({ completions: 1, parallelism: 1 }),
      settled,
      { do: "pod", op: "exit", nth: 0, code: 0 },
      ended("Complete"),
      settled,
    );
    expect(statusAt(ours, 2)).toMatchObject({ active: 3 });
    expect(statusAt(ours, 4)).toMatchObject({ active: 1, terminating: 0 });
    expect(statusAt(ours)).toMatchObject({ completedIndexes: "0", succeeded: 1 });
    expect(statusAt(ours)).not.toHaveProperty("failed");
  });

  test("that shrinks to what is complete is complete", async () => {
    const byIndex = { "kubelet.test/exit-code-by-index": "0,0,run" };
    const ours = await play(
      create(elastic(3), byIndex),
      until("status.completedIndexes", "0,1"),
      patch({ completions: 2, parallelism: 2 }),
      ended("Complete"),
      settled,
    );
    expect(statusAt(ours)).toMatchObject({ completedIndexes: "0,1", succeeded: 2 });
  });

  test("succeeds by its policy with as many as it asks for", async () => {
    const successPolicy = { rules: [{ succeededIndexes: "1-2", succeededCount: 1 }] };
    const ours = await play(
      create({ ...elastic(3), successPolicy }, { "kubelet.test/exit-code-by-index": "run,run,0" }),
      ended("Complete"),
      settled,
    );
    expect(statusAt(ours)).toMatchObject({ completedIndexes: "2", succeeded: 1 });
    expect(conditions(statusAt(ours))).toEqual([
      "SuccessCriteriaMet True SuccessPolicy",
      "Complete True SuccessPolicy",
    ]);
  });
});

describe("who is whose", () => {
  const bare = (labels: JsonObject): Step => ({
    do: "create",
    manifest: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "bare", labels },
      spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.test/app:1" }] },
    },
  });
  const own = { manualSelector: true, selector: { matchLabels: { app: "it" } } };

  test("a pod that nobody owns and that is selected is taken in, and counted", async () => {
    const ours = await play(
      bare({ app: "it" }),
      settled,
      create(own),
      settled,
      {
        do: "pod",
        op: "exit",
        nth: 0,
        code: 0,
      },
      ended("Complete"),
      settled,
    );
    expect(podsOf(ours)).toEqual(["Pod/bare"]);
    const adopted = statesOf(ours, "Pod/bare").find(
      ({ body }) => dig(body, "metadata", "ownerReferences") !== undefined,
    );
    expect(dig(adopted?.body, "metadata", "finalizers")).toEqual(["batch.kubernetes.io/job-tracking"]);
    expect(statusAt(ours)).toMatchObject({ succeeded: 1 });
  });

  test("a pod that is no longer selected is let go without its finalizer, and replaced", async () => {
    const ours = await play(
      create(own),
      settled,
      { do: "pod", op: "label", nth: 0, labels: { app: "other" } },
      settled,
    );
    const first = last(ours, "Pod/it-<rand:1>");
    expect([dig(first, "metadata", "ownerReferences"), dig(first, "metadata", "finalizers")]).toEqual([
      undefined,
      undefined,
    ]);
    expect(podsOf(ours)).toHaveLength(2);
    expect(statusAt(ours)).toMatchObject({ active: 1, ready: 1 });
  });

  test("a Job that another controller manages is left alone", async () => {
    const ours = await play(create({ managedBy: "example.com/mine" }), settled, wait(60));
    expect(story(ours)).toEqual(["not begun"]);
    expect(podsOf(ours)).toEqual([]);
  });
});

test("parallelism that is raised while pods run is filled up at once", async () => {
  const ours = await play(create({ completions: 5, parallelism: 1 }), settled, patch({ parallelism: 3 }), settled);
  expect(statusAt(ours)).toMatchObject({ active: 3, ready: 3 });
});

test("the rest of the pods runs on while one that failed waits to be replaced, and is told of", async () => {
  const ours = await play(
    create({ completions: 2, parallelism: 2 }),
    settled,
    { do: "pod", op: "exit", nth: 0, code: 1 },
    wait(5),
    { do: "kubelet", hold: true },
    wait(10),
  );
  expect(statusAt(ours, 2)).toMatchObject({ active: 1, ready: 1, failed: 1 });
  expect(statusAt(ours)).toMatchObject({ active: 2, ready: 1, failed: 1 });
});
