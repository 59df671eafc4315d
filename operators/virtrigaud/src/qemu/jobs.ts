// Jobs inside QEMU: begun with a task's id, found again by it, watched to their end and put away.
import { sleep } from "@telltale/clock";
import { RpcError } from "../contract/rpc-error.ts";
import type { Box } from "./box.ts";
import { member } from "./lines.ts";
import type { Qmp } from "./qmp.ts";
import { asRpcError } from "./reconfigure.ts";
import type { Doing, Step } from "./work.ts";

export interface QemuJob {
  readonly name: string;
  readonly stage: string;
  readonly vmId: string;
  /** Begins it; false where there is nothing to do. */
  start(qmp: Qmp, job: string): Promise<boolean>;
  /** Whether its effect is there, for a job that QEMU no longer knows. */
  isDone(qmp: Qmp): Promise<boolean>;
}

/** What a job needs of a box. */
export interface JobBox {
  readonly host: Pick<Box["host"], "clock">;
  readonly machines: Pick<Box["machines"], "need">;
  readonly running: Pick<Box["running"], "process" | "monitor">;
}

export function jobStep(box: JobBox, { name, stage, vmId, start, isDone }: QemuJob): Step {
  const monitor = () => box.running.monitor(box.machines.need(vmId));
  const find = async (job: string) => {
    if ((await box.running.process(box.machines.need(vmId))) === undefined) return "dead";
    return (await jobNamed(await monitor(), job)) === undefined ? "missing" : "present";
  };
  let isStarted = true;
  return {
    name,
    stage,
    kind: "qmp",
    async start(job) {
      isStarted = await start(await monitor(), job).catch(asRpcError);
    },
    find,
    watch: (job, task) => (isStarted ? watch(box, vmId, job, task) : Promise.resolve()),
    isDone: async () => isDone(await monitor()),
  };
}

async function watch(box: JobBox, vmId: string, job: string, task: Doing): Promise<void> {
  for (;;) {
    const machine = box.machines.need(vmId);
    if ((await box.running.process(machine)) === undefined) throw new RpcError("INTERNAL", "VM process ended");
    const qmp = await box.running.monitor(machine);
    const found = await jobNamed(qmp, job);
    if (found === undefined) throw new RpcError("INTERNAL", "QEMU has lost the job");
    const [done, total] = [Number(member(found, "current-progress")), Number(member(found, "total-progress"))];
    if (total > 1) task.progress({ percent: Math.floor((100 * done) / total), bytesDone: done, bytesTotal: total });
    const status = member(found, "status");
    // A copy into the layer below is ready when both are equal: the lower one takes over.
    if (status === "ready") {
      await qmp.execute("job-complete", { id: job }).catch(() => undefined);
      continue;
    }
    if (status === "concluded") {
      await qmp.execute("job-dismiss", { id: job });
      const error = member(found, "error");
      if (typeof error !== "string") return;
      throw /no space/i.test(error)
        ? new RpcError("RESOURCE_EXHAUSTED", "no space left on the host's disk")
        : new RpcError("INTERNAL", `QEMU: ${error.slice(0, 256)}`);
    }
    const { changed, unsubscribe } = nextChange(qmp, job);
    try {
      await Promise.race([changed, sleep(box.host.clock, 500, task.signal)]);
    } finally {
      unsubscribe();
    }
  }
}

/** Resolves on the job's next change of status. The caller unsubscribes, also where the job did not change. */
function nextChange(qmp: Qmp, job: string): { readonly changed: Promise<void>; unsubscribe(): void } {
  const { promise: changed, resolve } = Promise.withResolvers<void>();
  const unsubscribe = qmp.onEvent((name, data) => {
    if (name === "JOB_STATUS_CHANGE" && member(data, "id") === job) resolve();
  });
  return { changed, unsubscribe };
}

async function jobNamed(qmp: Qmp, job: string): Promise<unknown> {
  const jobs = await qmp.execute("query-jobs");
  return Array.isArray(jobs) ? jobs.find((one: unknown) => member(one, "id") === job) : undefined;
}
