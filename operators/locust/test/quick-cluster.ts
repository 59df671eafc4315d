// What runs Jobs in long campaigns: pods that run at once and end by the clock, without nodes, scheduler and kubelet. Five times as
// many plans are tried in the same time; the whole cluster is in campaigns of its own.
import { formatTime, type Instant, instant, type Ms, parseTime, plus } from "@telltale/kinds";
import { Job, Pod } from "@telltale/kinds/builtin";
import { type Controller, controller } from "@telltale/runtime";

export function quickCluster(runTime: Ms): readonly Controller[] {
  return [jobs(), pods(runTime)];
}

interface World {
  readonly job: Job;
  readonly pods: readonly Pod[];
}

function jobs(): Controller {
  return controller(Job, "quick-jobs")
    .owns(Pod)
    .reconcile<World>({
      observe: (job, look) => ({ job, pods: look.children(Pod) }),
      async act(_none, hands, { job, pods: had }) {
        const { spec, status } = job;
        const isOver = (status?.conditions ?? []).length > 0;
        if (spec?.suspend === true)
          for (const pod of had) if (!isEnded(pod)) await hands.remove(Pod, pod, "Background");
        if (!isOver && spec?.suspend !== true)
          for (let i = 0; i < (spec?.parallelism ?? 1); i += 1) {
            const name = `${job.metadata?.name}-${i}`;
            const template = spec?.template;
            const metadata = { ...template?.metadata, name };
            if (!had.some((pod) => pod.metadata?.name === name))
              await hands.create(Pod, { metadata, spec: template?.spec ?? { containers: [] } });
          }
        return { job, pods: hands.children(Pod) };
      },
      status: ({ job, pods: all }, _job, now) => ({ status: { ...job.status, ...jobStatus(job, all, now) } }),
    });
}

function jobStatus({ spec, status }: Job, all: readonly Pod[], now: Instant): Job["status"] {
  if ((status?.conditions ?? []).length > 0) return {};
  const count = (phase: string) => all.filter((pod) => pod.status?.phase === phase).length;
  const [running, succeeded, failed] = [count("Running"), count("Succeeded"), count("Failed")];
  const at = formatTime(now);
  const condition = (type: string, reason: string) => ({ type, status: "True", reason, lastTransitionTime: at });
  const counts = {
    active: all.length - succeeded - failed,
    ready: running,
    ...(succeeded > 0 ? { succeeded } : {}),
    ...(failed > 0 ? { failed } : {}),
  };
  if (failed > 0) return { ...counts, conditions: [condition("Failed", "BackoffLimitExceeded")] };
  if (spec?.suspend === true) return counts;
  const started = { startTime: status?.startTime ?? at, ...counts };
  if (succeeded === 0 || counts.active > 0) return started;
  return { ...started, completionTime: at, conditions: [condition("Complete", "CompletionsReached")] };
}

const isEnded = ({ status }: Pod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed";

function pods(runTime: Ms): Controller {
  // Who has had load has had it, also where a worker that came to its end is taken away.
  const loaded = new Map<string, Instant>();
  return controller(Pod, "quick-pods").reconcile<{ readonly pod: Pod; readonly loadedAt: Instant | undefined }>({
    observe(pod, look) {
      const { namespace = "", uid = "" } = pod.metadata ?? {};
      const loadedAt = loaded.get(uid) ?? loadIn(look.list(Pod, { namespace }));
      if (loadedAt !== undefined) loaded.set(uid, loadedAt);
      return { pod, loadedAt };
    },
    status({ pod, loadedAt }, _pod, now) {
      const { status = {} } = pod;
      if (isEnded(pod)) return { status };
      const began = parseTime(status.startTime) ?? now;
      if (loadedAt === undefined && now < plus(began, patience))
        return { status: running(pod, began), wakeAt: plus(now, Math.max(waits, (now - began) / 4)) };
      const end = plus(instant(Math.max(began, loadedAt ?? 0)), runTime);
      const code = Number(pod.metadata?.annotations?.["sim.telltale.dev/exit-code"] ?? 0);
      return now >= end ? { status: ended(pod, began, code, now) } : { status: running(pod, began), wakeAt: end };
    },
  });
}

/** So soon a master looks whether it has workers, then ever more rarely, and for longer than an operator tries to make them. */
const waits: Ms = 10_000;
const patience: Ms = 3_600_000;

/** There is load once there is a worker. */
function loadIn(all: readonly Pod[]): Instant | undefined {
  const worker = all.find(({ metadata, status }) => metadata?.name?.includes("-worker-") && status?.startTime);
  return parseTime(worker?.status?.startTime);
}

const running = (pod: Pod, began: Instant): Pod["status"] => ({
  ...pod.status,
  phase: "Running",
  podIP: "10.1.2.3",
  startTime: formatTime(began),
  conditions: [{ type: "Ready", status: "True", lastTransitionTime: formatTime(began) }],
  containerStatuses: containersOf(pod, true, { running: { startedAt: formatTime(began) } }),
});

const ended = (pod: Pod, began: Instant, exitCode: number, now: Instant): Pod["status"] => ({
  ...pod.status,
  phase: exitCode === 0 ? "Succeeded" : "Failed",
  conditions: [{ type: "Ready", status: "False", reason: "PodCompleted", lastTransitionTime: formatTime(now) }],
  containerStatuses: containersOf(pod, false, {
    terminated: {
      exitCode,
      reason: exitCode === 0 ? "Completed" : "Error",
      startedAt: formatTime(began),
      finishedAt: formatTime(now),
    },
  }),
});

type ContainerStatus = NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number];

function containersOf({ spec }: Pod, ready: boolean, state: ContainerStatus["state"] & object): ContainerStatus[] {
  return (spec?.containers ?? []).map(({ name, image = "" }) => ({
    name,
    image,
    imageID: image,
    ready,
    restartCount: 0,
    state,
  }));
}
