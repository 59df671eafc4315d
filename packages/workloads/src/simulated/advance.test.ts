// Pods driven by hand: each step is written as a kubelet would write it, and the next one knows only what was written.
import type { Instant } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { describe, expect, test } from "vitest";
import { at, container, pod, written } from "../../test/pod-parts.ts";
import { advance } from "./advance.ts";
import type { Behaviour } from "./behaviour.ts";
import type { Advance, Scene } from "./scene.ts";

const calm: Omit<Scene, "pod" | "behaviour"> = {
  job: undefined,
  missing: { variables: new Map() },
  blow: () => undefined,
  isBadImage: () => false,
};

/** What a person sees of a pod. */
function view({ status }: Pod): string {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const containers = all.map(({ name, state, ready, restartCount, lastState }) => {
    const { running, terminated, waiting } = state ?? {};
    const stands =
      running !== undefined ? "running" : (waiting?.reason ?? `${terminated?.reason} ${terminated?.exitCode}`);
    const last = lastState?.terminated === undefined ? "" : ` after ${lastState.terminated.reason}`;
    return `${name} ${stands}${ready ? " ready" : ""}${restartCount > 0 ? ` ${restartCount}x` : ""}${last}`;
  });
  return `${status?.phase}: ${containers.join(", ")}`;
}

interface Drive {
  readonly pod: Pod;
  /** What was seen, and at which second. Steps that change nothing are left out. */
  readonly seen: readonly string[];
  readonly events: readonly string[];
}

/** From second to second as the pod itself asks for it. */
function drive(begin: Pod, behaviour: Behaviour, until: number, more: Partial<typeof calm> = {}): Drive {
  let now: Instant = at(0);
  let it = begin;
  const seen: string[] = [];
  const events: string[] = [];
  for (let steps = 0; now <= at(until) && steps < 200; steps += 1) {
    const step: Advance = advance({ pod: it, behaviour, ...calm, ...more }, now);
    it = written(it, step.hasSandbox ? { ...step, podIP: "10.244.0.1" } : step, now);
    const shown = view(it);
    if (seen.at(-1)?.endsWith(shown) !== true) seen.push(`${(now - at(0)) / 1000}s ${shown}`);
    events.push(...(step.events ?? []).map(({ type, reason, message }) => `${type} ${reason}: ${message}`));
    if (step.wakeAt === undefined || it.status?.phase === "Failed" || it.status?.phase === "Succeeded") break;
    // A kubelet looks again a tenth of a second later at the earliest; here it is a second, as times are told in seconds.
    now = (step.wakeAt > now ? step.wakeAt : now + 1000) as Instant;
  }
  return { pod: it, seen, events };
}

const seen = (
  behaviour: Behaviour,
  until = 60,
  spec: Parameters<typeof pod>[0] = {},
  more: Partial<typeof calm> = {},
) => drive(pod(spec), behaviour, until, more).seen;

describe("stages", () => {
  test("nothing said: it runs and is ready in one step, for ever", () => {
    const { seen: steps, events, pod: it } = drive(pod(), {}, 1_000_000);
    expect(steps).toEqual(["0s Running: main running ready"]);
    expect(events.map((line) => line.split(":")[0])).toEqual(["Normal Pulled", "Normal Created", "Normal Started"]);
    expect(it.status?.containerStatuses?.[0]?.containerID).toMatch(/^simulated:\/\/[0-9a-f]{64}$/);
    expect(it.status?.containerStatuses?.[0]?.imageID).toMatch(/^example\.test\/app:1@sha256:[0-9a-f]{64}$/);
  });

  test("image, container and program one after the other, then readiness", () => {
    expect(seen({ pull: 5_000, create: 2_000, start: 3_000, ready: 4_000 })).toEqual([
      "0s Pending: main ContainerCreating",
      "10s Running: main running",
      "14s Running: main running ready",
    ]);
  });

  test("a Job's pod is seen to run before it has ended", () => {
    expect(seen({}, 60, { restartPolicy: "Never" }, { job: 0 })).toEqual([
      "0s Running: main running ready",
      "1s Succeeded: main Completed 0",
    ]);
    expect(seen({ exitCode: 3, exitAfter: 5_000 }, 60, { restartPolicy: "Never" }, { job: 0 }).at(-1)).toBe(
      "5s Failed: main Error 3",
    );
  });

  test("a program ends when it is told to", () => {
    expect(seen({ exitAfter: 7_000 }, 60, { restartPolicy: "Never" })).toEqual([
      "0s Running: main running ready",
      "7s Succeeded: main Completed 0",
    ]);
  });

  test("readiness comes and goes, or never comes", () => {
    expect(seen({ flap: 10_000 }, 30)).toEqual([
      "0s Running: main running ready",
      "10s Running: main running",
      "20s Running: main running ready",
      "30s Running: main running",
    ]);
    expect(seen({ neverReady: true }, 1_000)).toEqual(["0s Running: main running"]);
  });
});

describe("what keeps a container from beginning", () => {
  test("an image that cannot be pulled is tried later and later", () => {
    const { seen: steps, events, pod: it } = drive(pod(), { pullError: {} }, 71);
    expect(steps).toEqual([
      "0s Pending: main ErrImagePull",
      "1s Pending: main ImagePullBackOff",
      "10s Pending: main ErrImagePull",
      "11s Pending: main ImagePullBackOff",
      "30s Pending: main ErrImagePull",
      "31s Pending: main ImagePullBackOff",
      "70s Pending: main ErrImagePull",
      "71s Pending: main ImagePullBackOff",
    ]);
    const why =
      'failed to pull and unpack image "example.test/app:1": failed to resolve reference "example.test/app:1": not found';
    expect(it.status?.containerStatuses?.[0]?.state?.waiting?.message).toBe(
      `Back-off pulling image "example.test/app:1": ErrImagePull: ${why}`,
    );
    expect(events.slice(0, 4)).toEqual([
      `Warning Failed: Failed to pull image "example.test/app:1": ${why}`,
      "Warning Failed: Error: ErrImagePull",
      'Normal BackOff: Back-off pulling image "example.test/app:1"',
      "Warning Failed: Error: ImagePullBackOff",
    ]);
  });

  test("a bad image is one, whatever else is said", () => {
    const bad = { isBadImage: (image: string) => image === "example.test/app:1" };
    expect(seen({}, 1, {}, bad)).toEqual(["0s Pending: main ErrImagePull", "1s Pending: main ImagePullBackOff"]);
  });

  test("a pull that works again is found by the next try", () => {
    expect(seen({ pullError: { for: 12_000 } }, 60).slice(-2)).toEqual([
      "11s Pending: main ImagePullBackOff",
      "30s Running: main running ready",
    ]);
  });

  test("a container that cannot be made says why, until it can", () => {
    const { seen: steps, events } = drive(pod(), { configError: { for: 5_000, message: "no such key" } }, 60);
    expect(steps).toEqual(["0s Pending: main CreateContainerConfigError", "5s Running: main running ready"]);
    expect(events[0]).toBe("Warning Failed: Error: no such key");
    const lacks = { missing: { variables: new Map([["main", 'configmap "a" not found']]) } };
    const { pod: it, events: told } = drive(pod(), {}, 60, lacks);
    expect(it.status?.containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: "CreateContainerConfigError",
      message: 'configmap "a" not found',
    });
    expect(told).toEqual(['Warning Failed: Error: configmap "a" not found']);
  });

  test("what the pod as a whole lacks comes before its containers, and before it has an address", () => {
    const { seen: steps, events } = drive(pod(), { mountError: { for: 5_000 }, sandboxError: { for: 3_000 } }, 60);
    expect(steps).toEqual(["0s Pending: main ContainerCreating", "5s Running: main running ready"]);
    expect(events.slice(0, 2)).toEqual([
      "Warning FailedCreatePodSandBox: Failed to create pod sandbox: simulated",
      'Warning FailedMount: MountVolume.SetUp failed for volume "data" : simulated',
    ]);
    const stuck = drive(pod(), { mountError: {} }, 60).pod;
    expect(stuck.status?.podIP).toBeUndefined();
    const missing = { missing: { volume: "no volume", variables: new Map<string, string>() } };
    expect(drive(pod(), {}, 60, missing).events).toEqual(["Warning FailedMount: no volume"]);
  });
});

describe("ends and new beginnings", () => {
  test("a crash loop: at once the first time, then later and later", () => {
    const { seen: steps, events, pod: it } = drive(pod(), { crash: Number.POSITIVE_INFINITY }, 40);
    expect(steps).toEqual([
      "0s Running: main running ready",
      "1s Running: main running ready 1x after Error",
      "2s Running: main CrashLoopBackOff 1x after Error",
      "11s Running: main running ready 2x after Error",
      "12s Running: main CrashLoopBackOff 2x after Error",
      "31s Running: main running ready 3x after Error",
      "32s Running: main CrashLoopBackOff 3x after Error",
    ]);
    expect(it.status?.containerStatuses?.[0]?.state?.waiting?.message).toBe(
      "back-off 40s restarting failed container=main pod=p_default(u)",
    );
    expect(events.filter((line) => line.startsWith("Warning"))).toEqual(
      Array(3).fill("Warning BackOff: Back-off restarting failed container main in pod p_default(u)"),
    );
  });

  test("so many crashes, then all is well", () => {
    expect(seen({ crash: 1, exitCode: 7 }, 1_000)).toEqual([
      "0s Running: main running ready",
      "1s Running: main running ready 1x after Error",
    ]);
    const once = { crash: 1, exitAfter: 2_000 };
    expect(seen(once, 60, { restartPolicy: "OnFailure" }, { job: 3_000 })).toEqual([
      "0s Running: main running ready",
      "2s Running: main running ready 1x after Error",
      "5s Succeeded: main Completed 0 1x after Error",
    ]);
  });

  test("a kill happens once, the want of memory each time", () => {
    expect(seen({ kill: 5_000 }, 60)).toEqual([
      "0s Running: main running ready",
      "5s Running: main running ready 1x after Error",
    ]);
    expect(seen({ oom: 5_000 }, 11)).toEqual([
      "0s Running: main running ready",
      "5s Running: main running ready 1x after OOMKilled",
      "10s Running: main CrashLoopBackOff 1x after OOMKilled",
    ]);
  });

  test("a blow from outside ends what it hits", () => {
    const first = advance({ pod: pod(), behaviour: {}, ...calm }, at(0));
    const runs = written(pod(), first, at(0));
    const id = runs.status?.containerStatuses?.[0]?.containerID;
    const blow = (_container: string, containerID: string) => (containerID === id ? 9 : undefined);
    expect(drive(runs, {}, 5, { blow }).seen).toEqual(["0s Running: main running ready 1x after Error"]);
  });

  test("what is not started again stays as it ended", () => {
    expect(seen({ exitCode: 0 }, 60, { restartPolicy: "OnFailure" }).at(-1)).toBe("1s Succeeded: main Completed 0");
    expect(seen({ exitCode: 1 }, 60, { restartPolicy: "Never" }).at(-1)).toBe("1s Failed: main Error 1");
  });

  test("another image makes another container", () => {
    const runs = drive(pod(), {}, 1).pod;
    const changed = { ...runs, spec: { containers: [container("main", { image: "example.test/app:2" })] } };
    const { seen: steps, events, pod: it } = drive(changed, {}, 1);
    expect(steps).toEqual(["0s Running: main running ready 1x after Error"]);
    expect(events[0]).toBe("Normal Killing: Container main definition changed, will be restarted");
    expect(it.status?.containerStatuses?.[0]?.imageID).toMatch(/app:2@sha256/);
  });
});

describe("several containers", () => {
  const inits = { initContainers: [container("one"), container("two")] };
  const side = { initContainers: [container("side", { restartPolicy: "Always" }), container("one")] };

  test("init containers have done their work when the others begin", () => {
    expect(seen({}, 60, inits)).toEqual([
      "0s Running: one Completed 0 ready, two Completed 0 ready, main running ready",
    ]);
    expect(seen({ pull: 2_000 }, 60, inits)).toEqual([
      "0s Pending: one Completed 0 ready, two Completed 0 ready, main PodInitializing",
      "2s Running: one Completed 0 ready, two Completed 0 ready, main running ready",
    ]);
  });

  test("an init container that takes its time holds up the rest", () => {
    expect(seen({ container: "two", exitAfter: 5_000, exitCode: 0 }, 60, inits)).toEqual([
      "0s Pending: one Completed 0 ready, two running, main PodInitializing",
      "5s Running: one Completed 0 ready, two Completed 0 ready, main running ready",
    ]);
  });

  test("an init container that fails is tried again, or fails the pod", () => {
    expect(seen({ container: "one", crash: 2 }, 60, inits)).toEqual([
      "0s Pending: one CrashLoopBackOff 1x after Error, two PodInitializing, main PodInitializing",
      "10s Running: one Completed 0 ready 2x after Error, two Completed 0 ready, main running ready",
    ]);
    expect(seen({ container: "one", exitCode: 4 }, 60, { ...inits, restartPolicy: "Never" })).toEqual([
      "0s Failed: one Error 4, two PodInitializing, main PodInitializing",
    ]);
  });

  test("a sidecar runs beside the others, and ends with them", () => {
    expect(seen({ exitAfter: 5_000 }, 60, { ...side, restartPolicy: "Never" })).toEqual([
      "0s Running: side running ready, one Completed 0 ready, main running ready",
      "5s Succeeded: side Error 143, one Completed 0 ready, main Completed 0",
    ]);
  });

  test("a sidecar that crashes does not hold up the pod, one that cannot begin does", () => {
    expect(seen({ container: "side", crash: 1, exitAfter: 3_000 }, 60, side).at(-1)).toBe(
      "3s Running: side running ready 1x after Error, one Completed 0 ready, main running ready",
    );
    expect(seen({ container: "side", pullError: {} }, 0, side)).toEqual([
      "0s Pending: side ErrImagePull, one PodInitializing, main PodInitializing",
    ]);
  });

  test("only the container that is named goes wrong", () => {
    const two = { containers: [container("main"), container("other")] };
    expect(seen({ container: "other", crash: 1, start: 1_000 }, 60, two)).toEqual([
      "0s Pending: main ContainerCreating, other ContainerCreating",
      "1s Running: main running ready, other running ready",
      "2s Running: main running ready, other running ready 1x after Error",
    ]);
  });
});

describe("the pod as a whole", () => {
  test("is evicted so long after its start", () => {
    const { seen: steps, events, pod: it } = drive(pod(), { evict: 5_000 }, 60);
    expect(steps).toEqual(["0s Running: main running ready", "5s Failed: main Error 137"]);
    expect(it.status).toMatchObject({ reason: "Evicted", message: "The node was low on resource: memory. " });
    expect(events.at(-1)).toBe("Warning Evicted: The node was low on resource: memory. ");
  });

  test("is evicted while it waits, and is seen before", () => {
    expect(seen({ evict: 0, start: 60_000 })).toEqual([
      "0s Pending: main ContainerCreating",
      "1s Failed: main ContainerStatusUnknown 137",
    ]);
  });

  test("has a deadline", () => {
    const { seen: steps, pod: it } = drive(pod({ activeDeadlineSeconds: 8 }), {}, 60);
    expect(steps.at(-1)).toBe("8s Failed: main Error 137");
    expect(it.status?.reason).toBe("DeadlineExceeded");
  });

  test("is lost with its node, and nothing happens to it any more", () => {
    const { seen: steps, pod: it } = drive(pod(), { lost: 5_000, exitAfter: 9_000 }, 60);
    expect(steps).toEqual(["0s Running: main running ready"]);
    expect(it.status).toMatchObject({
      reason: "NodeLost",
      message: "Node node-1 which was running pod p is unresponsive",
    });
    const leaving = { ...it, metadata: { ...it.metadata, deletionTimestamp: "2026-01-01T00:00:30Z" } };
    const step = advance({ pod: leaving, behaviour: { lost: 5_000 }, ...calm }, at(100));
    expect(step).toMatchObject({ lost: {}, containers: [{ state: { is: "running" } }] });
  });
});

describe("deletion", () => {
  const leaving = (behaviour: Behaviour, spec = {}, grace = 30) => {
    const runs = drive(pod(spec), {}, 0).pod;
    const deletionTimestamp = new Date(at(grace)).toISOString();
    const it = { ...runs, metadata: { ...runs.metadata, deletionTimestamp, deletionGracePeriodSeconds: grace } };
    const { seen: steps, pod: after } = drive(it, behaviour, 60);
    return { steps, terminated: after.status?.containerStatuses?.[0]?.state?.terminated };
  };

  test("ends its containers at once, as its policy has it", () => {
    expect(leaving({}).steps).toEqual(["0s Succeeded: main Completed 0"]);
    expect(leaving({}, { restartPolicy: "Never" }).steps).toEqual(["0s Failed: main Error 143"]);
    expect(leaving({ stopCode: 3 }).steps).toEqual(["0s Failed: main Error 3"]);
  });

  test("takes its time, but no more than its grace", () => {
    expect(leaving({ stop: 5_000 })).toMatchObject({
      steps: ["0s Running: main running ready", "5s Succeeded: main Completed 0"],
      terminated: { finishedAt: "2026-01-01T00:00:05Z" },
    });
    expect(leaving({ stop: 60_000 }).steps.at(-1)).toBe("30s Failed: main Error 137");
  });

  test("without grace is a kill", () => {
    expect(leaving({ stop: 5_000 }, {}, 0).steps).toEqual(["0s Failed: main Error 137"]);
  });

  test("of a pod that never ran takes no time", () => {
    const it = pod({}, { deletionTimestamp: "2026-01-01T00:00:30Z", deletionGracePeriodSeconds: 30 });
    expect(drive(it, { stop: 5_000 }, 60).seen).toEqual(["0s Failed: main ContainerStatusUnknown 137"]);
  });
});

test("a pass in between changes nothing, and what was written is enough to go on", () => {
  const behaviour: Behaviour = { pull: 3_000, start: 3_000, ready: 4_000, exitAfter: 9_000, exitCode: 2 };
  const straight = drive(pod(), behaviour, 100);
  let it = pod();
  const steps: string[] = [];
  for (let second = 0; second <= 100; second += 1) {
    // Nothing but what the server would give back after a restart.
    it = JSON.parse(JSON.stringify(it)) as Pod;
    const step = advance({ pod: it, behaviour, ...calm }, at(second));
    it = written(it, { ...step, podIP: "10.244.0.1" }, at(second));
    if (steps.at(-1)?.endsWith(view(it)) !== true) steps.push(`${second}s ${view(it)}`);
  }
  expect(steps).toEqual(straight.seen);
});

describe("a clock that is put back by an hour", () => {
  const early = at(-3_600);
  const after = (it: Pod, behaviour: Behaviour) => advance({ pod: it, behaviour, ...calm }, early);

  test("does not take readiness from who runs, nor end them before their time", () => {
    const { pod: it } = drive(pod(), {}, 1);
    expect(after(it, {}).containers[0]).toMatchObject({ isReady: true, state: { is: "running", startedAt: early } });
    expect(after(it, { exitAfter: 5_000 })).toMatchObject({
      containers: [{ state: { is: "running" } }],
      wakeAt: at(-3_595),
    });
  });

  test("holds nobody up who waits", () => {
    const stages = drive(pod(), { pull: 60_000 }, 1).pod;
    expect(after(stages, { pull: 60_000 }).containers[0]?.state.is).toBe("running");
    const mount = drive(pod(), { mountError: { for: 60_000 } }, 1).pod;
    expect(after(mount, { mountError: { for: 60_000 } }).containers[0]?.state.is).toBe("running");
    const loop = drive(pod(), { crash: 2 }, 3).pod;
    expect(view(loop)).toMatch(/CrashLoopBackOff/);
    expect(after(loop, { crash: 2 }).containers[0]?.state.is).toBe("running");
    const runs = drive(pod(), {}, 0).pod;
    const leaving = {
      ...runs,
      metadata: { ...runs.metadata, deletionTimestamp: "2026-01-01T00:00:30Z", deletionGracePeriodSeconds: 30 },
    };
    expect(after(leaving, {}).containers[0]?.state.is).toBe("terminated");
    expect(after(leaving, { stop: 20_000 }).containers[0]?.state.is).toBe("terminated");
  });
});

test("a probe that begins to fail is told of", () => {
  const probed = { containers: [container("main", { readinessProbe: { httpGet: { port: 80 } } })] };
  const { events } = drive(pod(probed), { flap: 10_000 }, 15);
  expect(events.at(-1)).toBe("Warning Unhealthy: Readiness probe failed: simulated");
});
