// Jobs under faults: an answer that is lost, a write that is refused, a crash after each write. Whatever happens, every pod is
// counted once, and the Job ends as if nothing had happened.
import type { FaultEffect } from "@telltale/apiserver";
import { formatTime } from "@telltale/kinds";
import { Job, Pod } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { tracking } from "../src/job/facts.ts";
import { jobs } from "../src/job/job.ts";
import { orphanedPods } from "../src/job/orphans.ts";
import { type Cluster, cluster } from "./cluster.ts";

const namespace = "default";
const working = () => [jobs(), orphanedPods()];
const template = {
  spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.test/app:1" }] },
};

const podsOf = async ({ client }: Cluster): Promise<readonly Pod[]> => (await client.list(Pod, { namespace })).items;
const isRunning = ({ metadata, status }: Pod): boolean =>
  metadata?.deletionTimestamp === undefined && status?.phase !== "Succeeded" && status?.phase !== "Failed";

async function exit({ client, clock }: Cluster, pod: Pod | undefined, code: number): Promise<void> {
  const state = { terminated: { exitCode: code, finishedAt: formatTime(clock.now()) } };
  const container = { name: "main", image: "", imageID: "", ready: false, restartCount: 0, state };
  const status = { phase: code === 0 ? "Succeeded" : "Failed", containerStatuses: [container] };
  await client.status.patch(Pod, { name: pod?.metadata?.name ?? "", namespace }, { merge: { status } });
}

/** What a kubelet does with pods that are to go: those of this test were never bound, so nothing is left but the finalizer. */
async function finish(here: Cluster): Promise<Job> {
  for (let round = 0; round < 20; round += 1) {
    const job = await here.client.get(Job, "it", { namespace });
    if (job.status?.conditions?.some(({ type }) => type === "Complete" || type === "Failed") === true) return job;
    for (const pod of (await podsOf(here)).filter(isRunning)) await exit(here, pod, 0);
    await here.pass(15_000);
  }
  throw new Error("the Job did not end");
}

type Trouble = "none" | "lost" | "refused" | "crash";

const refusal: FaultEffect = { status: 403, reason: "Forbidden", message: "not now" };
const loss: FaultEffect = { resetConnection: true, commit: true };

async function run(spec: Partial<NonNullable<Job["spec"]>>, trouble: Trouble, n: number) {
  const here = await cluster(working());
  let seen = 0;
  if (trouble !== "none") {
    here.server.faults.add({
      match: {
        userAgent: /^kube-controller-manager/,
        verbs: ["create", "patch", "delete"],
        path: /\/(jobs|pods)(\/|\?|$)/,
        nth: (count) => {
          if (count !== n) return false;
          seen += 1;
          // Within the request: what it writes stays, and what was to follow never comes.
          if (trouble === "crash") void here.crash(working());
          return true;
        },
      },
      effect: trouble === "refused" ? refusal : loss,
    });
  }
  await here.client.create(Job, { metadata: { name: "it", namespace }, spec: { template, ...spec } });
  await here.pass(5_000);
  await exit(here, (await podsOf(here)).find(isRunning), 1);
  await here.pass(5_000);
  const { status } = await finish(here);
  await here.pass(20_000);
  const pods = await podsOf(here);
  const writes = here.writes().length;
  await here.pass(600_000);
  expect(here.writes(), "quiet once it has ended").toEqual([]);
  await here.end();
  const { startTime, completionTime, conditions, ...counts } = status ?? {};
  return {
    writes,
    seen,
    end: {
      counts,
      conditions: conditions?.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`),
      times: [startTime, completionTime].map((it) => it !== undefined),
      pods: pods.map(({ status: its }) => its?.phase).sort(),
      held: pods.filter(({ metadata }) => metadata?.finalizers?.includes(tracking) === true).length,
    },
  };
}

const stories = [
  { name: "three completions", spec: { completions: 3, parallelism: 3 }, succeeded: 3, failed: 1 },
  {
    name: "three indexes and a limit for each",
    spec: { completions: 3, parallelism: 3, completionMode: "Indexed", backoffLimitPerIndex: 1 },
    succeeded: 3,
    failed: 1,
  },
  {
    name: "no failure allowed",
    spec: { completions: 3, parallelism: 3, backoffLimit: 0 },
    succeeded: undefined,
    failed: 3,
  },
];

describe.each(stories)("a Job with $name, of whose pods one fails", async ({ spec, succeeded, failed }) => {
  const calm = await run(spec, "none", 0);

  it("ends with each pod counted, and none held", () => {
    expect(calm.end).toMatchObject({ counts: { failed }, held: 0 });
    expect(calm.end.counts.succeeded).toBe(succeeded);
  });

  for (let n = 1; n <= calm.writes; n += 1) {
    it.each(["lost", "refused", "crash"] as const)(`ends the same with write ${n}: %s`, async (trouble) => {
      const { end, seen } = await run(spec, trouble, n);
      expect([seen, end]).toEqual([1, calm.end]);
    });
  }
});

const agent = /^kube-controller-manager/;
const statusOf = async ({ client }: Cluster) => (await client.get(Job, "it", { namespace })).status;

it("a pod that another process has counted is not counted again while the cache still shows its finalizer", async () => {
  const here = await cluster(working());
  here.server.faults.add({
    match: { verbs: ["watch"], resource: "pods", userAgent: agent },
    effect: { watch: { delayMs: 60_000 } },
  });
  await here.restart(working());
  await here.pass(70_000);
  await here.client.create(Job, { metadata: { name: "it", namespace }, spec: { template, completions: 2 } });
  await here.pass(1_000);
  const [pod] = await podsOf(here);
  const ref = { name: pod?.metadata?.name ?? "", namespace };
  await exit(here, pod, 1);
  // The other process: it comes to its end five seconds later, in the order that counts each pod once.
  await here.pass(5_000);
  await here.client.patch(Pod, ref, { merge: { metadata: { finalizers: null } } });
  await here.client.status.patch(Job, { name: "it", namespace }, { merge: { status: { failed: 1, active: 0 } } });
  for (let second = 0; second < 90; second += 1) await here.pass(1_000);
  expect(await statusOf(here)).toMatchObject({ failed: 1, uncountedTerminatedPods: {} });
  await here.end();
});

it("pods whose Job went while nobody looked lose their finalizer, and go", async () => {
  const here = await cluster(working());
  await here.client.create(Job, { metadata: { name: "it", namespace }, spec: { template } });
  await here.pass(1_000);
  await here.restart([]);
  await here.client.delete(Job, { name: "it", namespace }, { propagation: "Background" });
  await here.pass(60_000);
  expect(await podsOf(here)).toMatchObject([{ metadata: { finalizers: [tracking] } }]);
  await here.restart(working());
  await here.pass(1_000);
  expect(await podsOf(here)).toEqual([]);
  await here.end();
});

it("a Job that waits for its pods does not wait for one that it no longer selects", async () => {
  const here = await cluster(working());
  await here.client.create(Job, { metadata: { name: "it", namespace }, spec: { template } });
  await here.pass(1_000);
  await here.restart([]);
  const [pod] = await podsOf(here);
  const labels = Object.fromEntries(Object.keys(pod?.metadata?.labels ?? {}).map((name) => [name, null]));
  await here.client.patch(
    Pod,
    { name: pod?.metadata?.name ?? "", namespace },
    { merge: { metadata: { labels } } as never },
  );
  await here.client.delete(Job, { name: "it", namespace }, { propagation: "Foreground" });
  await here.restart(working());
  await here.pass(1_000);
  expect([await podsOf(here), (await here.client.list(Job, { namespace })).items]).toEqual([[], []]);
  await here.end();
});

it("pods whose Job is replaced by another of the same name lose their finalizer too", async () => {
  const here = await cluster(working());
  const job = { metadata: { name: "it", namespace }, spec: { template } };
  await here.client.create(Job, job);
  await here.pass(1_000);
  await here.client.delete(Job, { name: "it", namespace }, { propagation: "Background" });
  await here.client.create(Job, job);
  await here.pass(1_000);
  expect(await podsOf(here)).toHaveLength(1);
  expect(await statusOf(here)).toMatchObject({ active: 1 });
  await here.end();
});

it("a disruption that the policy ignores does not count, and the pod is replaced", async () => {
  const here = await cluster(working());
  const podFailurePolicy = {
    rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
  };
  const spec = { template, backoffLimit: 0, podFailurePolicy };
  await here.client.create(Job, { metadata: { name: "it", namespace }, spec });
  await here.pass(1_000);
  const [pod] = await podsOf(here);
  const conditions = [{ type: "DisruptionTarget", status: "True", lastTransitionTime: formatTime(here.clock.now()) }];
  const ref = { name: pod?.metadata?.name ?? "", namespace };
  await here.client.status.patch(Pod, ref, { merge: { status: { phase: "Failed", conditions } } });
  await here.pass(15_000);
  expect(await podsOf(here)).toHaveLength(2);
  const status = await statusOf(here);
  expect(status).toMatchObject({ active: 1 });
  expect(status).not.toHaveProperty("failed");
  await here.end();
});

it("a Job that makes no progress writes nothing", async () => {
  const here = await cluster(working());
  await here.client.create(Job, {
    metadata: { name: "it", namespace },
    spec: { template, activeDeadlineSeconds: 86_400 },
  });
  await here.pass(5_000);
  here.writes();
  await here.pass(3_600_000);
  expect(here.writes()).toEqual([]);
  await here.end();
});

it("an input that makes no sense does not keep other Jobs from their work", async () => {
  const here = await cluster(working());
  const odd = {
    completedIndexes: "x-y,,7-3,99999999999999999999",
    failedIndexes: "-1",
    startTime: "2026-01-01T00:00:00Z",
  };
  const bad = { template, completions: 2, parallelism: 2, completionMode: "Indexed", backoffLimitPerIndex: 1 };
  await here.client.create(Job, { metadata: { name: "bad", namespace }, spec: bad });
  await here.client.status.patch(Job, { name: "bad", namespace }, { merge: { status: odd } });
  await here.client.create(Job, { metadata: { name: "it", namespace }, spec: { template } });
  await here.pass(1_000);
  expect(await statusOf(here)).toMatchObject({ active: 1 });
  const { status } = await here.client.get(Job, "bad", { namespace });
  expect(status).toMatchObject({ active: 2, failedIndexes: "" });
  await here.end();
});
