// CronJobs on the server: the life of one run, clocks that jump, crashes, and what makes no sense.
import { instant, type Ms } from "@telltale/kinds";
import { CoreEvent, CronJob, Job } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, it } from "vitest";
import { cronJobs } from "../src/cronjob/cronjob.ts";
import { type Cluster, cluster } from "./cluster.ts";

const namespace = "default";
const minute: Ms = 60_000;
const ref = { name: "it", namespace };

let here: Cluster | undefined;
afterEach(async () => {
  await here?.end();
  here = undefined;
});

async function begin(spec: Partial<NonNullable<CronJob["spec"]>> = {}): Promise<Cluster> {
  here = await cluster([cronJobs()]);
  await create(here, "it", spec);
  return here;
}

async function create(on: Cluster, name: string, spec: Partial<NonNullable<CronJob["spec"]>> = {}): Promise<void> {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.test/app:1" }] } };
  await on.client.create(CronJob, {
    metadata: { name, namespace },
    spec: { schedule: "* * * * *", jobTemplate: { spec: { template } }, ...spec },
  });
  await on.pass(0);
}

const jobsOf = async ({ client }: Cluster) => (await client.list(Job, { namespace })).items;
const statusOf = async ({ client }: Cluster) => (await client.get(CronJob, "it", { namespace })).status;
const events = async ({ client }: Cluster) => {
  const { items } = await client.list(CoreEvent, { namespace });
  return items
    .filter(({ involvedObject }) => involvedObject.kind === "CronJob")
    .map(({ reason, message }) => `${reason}: ${message}`);
};

async function end(on: Cluster, job: Job | undefined, type: "Complete" | "Failed" = "Complete"): Promise<void> {
  const at = new Date(Math.floor(on.clock.now() / 1000) * 1000).toISOString().replace(".000", "");
  const interim = type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
  const conditions = [interim, type].map((it) => ({ type: it, status: "True", lastTransitionTime: at }));
  const status = { conditions, startTime: at, ...(type === "Complete" ? { completionTime: at } : {}) };
  const name = job?.metadata?.name ?? "";
  await on.client.status.patch(
    Job,
    { name, namespace },
    { merge: { status: { ...status, uncountedTerminatedPods: {} } } },
  );
  await on.pass(0);
}

describe("a run", () => {
  it("is a Job with the CronJob as its owner, in the status until it ends", async () => {
    const on = await begin();
    expect(await jobsOf(on)).toEqual([]);
    await on.pass(minute);
    const [job] = await jobsOf(on);
    const minutes = Math.floor(on.clock.now() / minute);
    const { name, uid, resourceVersion, annotations, ownerReferences } = job?.metadata ?? {};
    expect(name).toBe(`it-${minutes}`);
    expect(annotations).toMatchObject({ "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-01T00:01:00Z" });
    expect(ownerReferences).toMatchObject([
      { kind: "CronJob", name: "it", controller: true, blockOwnerDeletion: true },
    ]);
    expect(await statusOf(on)).toEqual({
      active: [{ apiVersion: "batch/v1", kind: "Job", name, namespace, uid, resourceVersion }],
      lastScheduleTime: "2026-01-01T00:01:00Z",
    });
    await end(on, job);
    expect(await statusOf(on)).toEqual({
      lastScheduleTime: "2026-01-01T00:01:00Z",
      lastSuccessfulTime: "2026-01-01T00:01:00Z",
    });
    expect((await events(on)).sort()).toEqual([
      `SawCompletedJob: Saw completed job: ${name}, condition: Complete`,
      `SuccessfulCreate: Created job ${name}`,
    ]);
  });

  it("does not come while the CronJob is suspended, and the next one comes when it goes on", async () => {
    const on = await begin({ suspend: true });
    await on.pass(10 * minute);
    expect(await jobsOf(on)).toEqual([]);
    await on.client.patch(CronJob, ref, { merge: { spec: { suspend: false } } });
    await on.pass(1_000);
    expect(await jobsOf(on)).toHaveLength(1);
  });

  it("comes by a changed schedule from the moment it is changed", async () => {
    const on = await begin({ schedule: "0 0 1 1 *" });
    await on.pass(5 * minute);
    await on.client.patch(CronJob, ref, { merge: { spec: { schedule: "*/2 * * * *" } } });
    await on.pass(1_000);
    expect((await statusOf(on))?.lastScheduleTime).toBe("2026-01-01T00:04:00Z");
  });
});

describe("the policy for runs that overlap", () => {
  const after = async (concurrencyPolicy: string) => {
    const on = await begin({ concurrencyPolicy });
    await on.pass(3 * minute);
    return on;
  };

  it("Allow: they run side by side", async () => {
    const on = await after("Allow");
    expect(await jobsOf(on)).toHaveLength(3);
    expect((await statusOf(on))?.active).toHaveLength(3);
  });

  it("Forbid: the next one comes when the one before has ended", async () => {
    const on = await after("Forbid");
    const [job, ...others] = await jobsOf(on);
    expect(others).toEqual([]);
    expect(await events(on)).toContain(
      "JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid",
    );
    await end(on, job);
    const names = (await jobsOf(on)).map(({ metadata }) => metadata?.name);
    expect(names).toHaveLength(2);
    expect((await statusOf(on))?.lastScheduleTime).toBe("2026-01-01T00:03:00Z");
  });

  it("Replace: the one before goes", async () => {
    const on = await after("Replace");
    const jobs = await jobsOf(on);
    expect(jobs).toHaveLength(1);
    expect((await statusOf(on))?.active).toMatchObject([{ uid: jobs[0]?.metadata?.uid }]);
    expect((await events(on)).filter((it) => it.startsWith("SuccessfulDelete: Deleted job it-"))).toHaveLength(2);
  });
});

it("ended Jobs are kept as far as the history goes", async () => {
  const on = await begin({ successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 1 });
  for (let run = 1; run <= 8; run += 1) {
    await on.pass(minute);
    const running = (await jobsOf(on)).find(({ status }) => status?.conditions === undefined);
    await end(on, running, run % 2 === 0 ? "Failed" : "Complete");
  }
  const kept = (await jobsOf(on)).map(({ status }) => status?.conditions?.at(-1)?.type).sort();
  expect(kept).toEqual(["Complete", "Complete", "Failed"]);
  expect((await statusOf(on))?.lastSuccessfulTime).toBe("2026-01-01T00:07:00Z");
});

it("a Job that is gone leaves the list of those that run", async () => {
  const on = await begin();
  await on.pass(minute);
  const [job] = await jobsOf(on);
  await on.client.delete(Job, { name: job?.metadata?.name ?? "", namespace }, { propagation: "Background" });
  await on.pass(0);
  expect(await statusOf(on)).toEqual({ lastScheduleTime: "2026-01-01T00:01:00Z" });
  expect(await events(on)).toContain(`MissingJob: Active job went missing: ${job?.metadata?.name}`);
});

describe("a clock", () => {
  it("that jumps forward starts the last run that was missed, once", async () => {
    const on = await begin();
    await on.pass(minute);
    on.clock.jump(instant(on.clock.now() + 60 * minute));
    await on.pass(minute);
    expect(await jobsOf(on)).toHaveLength(2);
    expect((await statusOf(on))?.lastScheduleTime).toBe("2026-01-01T01:02:00Z");
  });

  it("that jumps back starts nothing again", async () => {
    const on = await begin();
    await on.pass(5 * minute);
    expect(await jobsOf(on)).toHaveLength(5);
    on.clock.jump(instant(on.clock.now() - 4 * minute));
    await on.pass(3 * minute);
    expect(await jobsOf(on)).toHaveLength(5);
    await on.pass(2 * minute);
    expect(await jobsOf(on)).toHaveLength(6);
  });

  it("that was far behind gives one Job and a warning", async () => {
    const on = await begin();
    on.clock.jump(instant(on.clock.now() + 600 * minute));
    await on.pass(minute);
    expect(await jobsOf(on)).toHaveLength(1);
    expect((await events(on)).filter((it) => it.startsWith("TooManyMissedTimes"))).toEqual([
      "TooManyMissedTimes: too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
    ]);
  });
});

describe("trouble", () => {
  it.each(["lost", "refused", "crash"] as const)("at any write starts each run once: %s", async (trouble) => {
    for (let n = 1; n <= 5; n += 1) {
      const on = await begin();
      on.server.faults.add({
        match: {
          userAgent: /^kube-controller-manager/,
          verbs: ["create", "patch", "delete"],
          path: /\/(jobs|cronjobs)(\/|\?|$)/,
          nth: (count) => {
            if (count === n && trouble === "crash") void on.crash([cronJobs()]);
            return count === n;
          },
        },
        effect:
          trouble === "refused"
            ? { status: 403, reason: "Forbidden", message: "not now" }
            : { resetConnection: true, commit: true },
      });
      await on.pass(minute + 30_000);
      await end(on, (await jobsOf(on))[0]);
      await on.pass(minute + 10_000);
      const names = (await jobsOf(on)).map(({ metadata }) => metadata?.name);
      const status = await statusOf(on);
      expect([n, names.length, status?.active?.length, status?.lastScheduleTime]).toEqual([
        n,
        2,
        1,
        "2026-01-01T00:02:00Z",
      ]);
      expect(status?.lastSuccessfulTime).toBeDefined();
      await on.end();
      here = undefined;
    }
  });

  it("with a name that somebody else has taken is left to them", async () => {
    const on = await begin();
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "i" }] } };
    const name = `it-${Math.floor(on.clock.now() / minute) + 1}`;
    await on.client.create(Job, { metadata: { name, namespace }, spec: { template } });
    await on.pass(minute);
    expect(await statusOf(on)).toEqual({});
    await on.pass(minute);
    expect((await statusOf(on))?.active).toHaveLength(1);
  });

  it("of one CronJob does not keep others from their work", async () => {
    const on = await begin();
    // Servers of other versions accept more than ours: what is stored need not make sense.
    await create(on, "odd", { schedule: "@every 1h", timeZone: "Europe/Berlin" });
    await create(on, "never", { schedule: "0 0 30 2 *" });
    await on.pass(minute);
    expect(await jobsOf(on)).toHaveLength(1);
    expect(on.complaints).toEqual([]);
    expect(await events(on)).toContain(
      "InvalidSchedule: invalid schedule: 0 0 30 2 * : time difference between two schedules is less than 1 second",
    );
  });
});

it("a CronJob between two runs writes nothing", async () => {
  const on = await begin({ schedule: "0 0 1 1 *" });
  on.writes();
  await on.pass(60 * minute);
  expect(on.writes()).toEqual([]);
});
