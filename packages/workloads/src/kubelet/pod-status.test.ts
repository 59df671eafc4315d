import type { Pod } from "@telltale/kinds/builtin";
import { describe, expect, test } from "vitest";
import { at, container, ended, pod, report, reported, running, waiting, written } from "../../test/pod-parts.ts";
import { hasEnded, statusOf } from "./pod-status.ts";

const hostIP = "10.0.0.1";
const condition = ({ status }: Pod, type: string) => status?.conditions?.find((it) => it.type === type);
const ready = reported([report("main", running())]);
const { is: _is, ...failure } = ended(1);

describe("the status of a pod that runs", () => {
  test("has every field that a kubelet writes", () => {
    const made = pod();
    const main = report("main", running(2), { containerID: "simulated://1", imageID: "app@sha256:1" });
    const status = statusOf({ pod: made, report: reported([main]), hostIP }, at(3));
    expect(status).toEqual({
      phase: "Running",
      qosClass: "BestEffort",
      observedGeneration: 1,
      hostIP,
      hostIPs: [{ ip: hostIP }],
      podIP: "10.244.0.1",
      podIPs: [{ ip: "10.244.0.1" }],
      startTime: "2026-01-01T00:00:03Z",
      conditions: ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map(
        (type) => ({
          type,
          status: "True",
          observedGeneration: 1,
          lastProbeTime: null,
          lastTransitionTime: "2026-01-01T00:00:03Z",
        }),
      ),
      containerStatuses: [
        {
          name: "main",
          image: "example.test/app:1",
          imageID: "app@sha256:1",
          containerID: "simulated://1",
          ready: true,
          started: true,
          restartCount: 0,
          state: { running: { startedAt: "2026-01-01T00:00:02Z" } },
          lastState: {},
        },
      ],
    });
  });

  test("is the same when it is said again, whatever the time", () => {
    const once = written(pod(), ready, at(1));
    expect(statusOf({ pod: once, report: ready, hostIP }, at(100))).toEqual(once.status);
  });

  test("keeps what others say of it, in front, and where it was scheduled", () => {
    const scheduled = { type: "PodScheduled", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" };
    const others = { type: "example.test/Open", status: "False", lastTransitionTime: "2026-01-01T00:00:00Z" };
    const before = { ...pod(), status: { phase: "Pending", conditions: [scheduled, others] } };
    const conditions = written(before, ready, at(1)).status?.conditions ?? [];
    expect(conditions[0]).toBe(others);
    expect(conditions.at(-1)).toBe(scheduled);
    expect(conditions).toHaveLength(6);
  });

  test("has the address of its node in the network of its node", () => {
    const { status } = written(
      pod({ hostNetwork: true }),
      reported([report("main", running())], { podIP: "1" }),
      at(1),
    );
    expect([status?.podIP, status?.podIPs]).toEqual([hostIP, [{ ip: hostIP }]]);
  });

  test("and of where that really is, when its runtime says so: Endpoints lead there", () => {
    const said = reported([report("main", running())], { hostIP: "127.0.0.1" });
    const host = written(pod({ hostNetwork: true }), { ...said, podIP: "127.0.0.1" }, at(1)).status;
    expect(host).toMatchObject({ hostIP: "127.0.0.1", podIP: "127.0.0.1", podIPs: [{ ip: "127.0.0.1" }] });
    const own = written(pod(), { ...said, podIP: "127.1.2.3" }, at(1)).status;
    expect(own).toMatchObject({ hostIP: "127.0.0.1", hostIPs: [{ ip: "127.0.0.1" }], podIP: "127.1.2.3" });
  });

  test("a new generation is told of everywhere but where it was scheduled", () => {
    const once = written(pod(), ready, at(1));
    const changed = { ...once, metadata: { ...once.metadata, generation: 2 } };
    const again = written(changed, ready, at(9));
    const generations = again.status?.conditions?.map(
      (it) => (it as { observedGeneration?: number }).observedGeneration,
    );
    expect(generations).toEqual([2, 2, 2, 2, 1]);
    expect(again.status?.conditions?.map((it) => it.lastTransitionTime)).toEqual(Array(5).fill("2026-01-01T00:00:01Z"));
  });
});

describe("a pod that is not ready", () => {
  test("says which containers are not, also of sidecars", () => {
    const spec = {
      initContainers: [container("side", { restartPolicy: "Always" })],
      containers: [container("a"), container("b"), container("c")],
    };
    const side = report("side", running(), { isReady: false });
    const all = [report("a", running()), report("b", running(), { isReady: false })];
    const it = written(pod(spec), reported(all, { initContainers: [side] }), at(1));
    const message = "containers with unknown status: [c], containers with unready status: [side b]";
    expect(condition(it, "ContainersReady")).toMatchObject({ status: "False", reason: "ContainersNotReady", message });
    expect(condition(it, "Ready")).toMatchObject({ status: "False", reason: "ContainersNotReady", message });
  });

  test("says which init containers are missing, and has no sandbox without an address", () => {
    const spec = { initContainers: [container("first"), container("second")] };
    const main = report("main", waiting("PodInitializing"));
    const inits = [report("first", ended(0), { isReady: true }), report("second", running())];
    const it = written(pod(spec), { initContainers: inits, containers: [main] }, at(1));
    expect(it.status?.phase).toBe("Pending");
    expect(condition(it, "Initialized")).toMatchObject({
      status: "False",
      reason: "ContainersNotInitialized",
      message: "containers with incomplete status: [second]",
    });
    expect(condition(it, "PodReadyToStartContainers")).toMatchObject({ status: "False" });
    expect(it.status?.initContainerStatuses?.map(({ name }) => name)).toEqual(["first", "second"]);
  });

  test("rule 77: waits for its gates, one by one, until somebody opens them", () => {
    const gated = pod({ readinessGates: [{ conditionType: "example.test/a" }, { conditionType: "example.test/b" }] });
    const closed = { type: "example.test/b", status: "False" };
    const before = { ...gated, status: { ...gated.status, conditions: [closed] } };
    const it = written(before, ready, at(1));
    expect(condition(it, "ContainersReady")?.status).toBe("True");
    expect(condition(it, "Ready")).toMatchObject({
      status: "False",
      reason: "ReadinessGatesNotReady",
      message:
        'corresponding condition of pod readiness gate "example.test/a" does not exist., the status of pod readiness gate "example.test/b" is not "True", but False',
    });
    const opened = ["a", "b"].map((name) => ({ type: `example.test/${name}`, status: "True" }));
    const own = it.status?.conditions?.filter(({ type }) => !type.startsWith("example.test/")) ?? [];
    const open = { ...it, status: { ...it.status, conditions: [...opened, ...own] } };
    expect(condition(written(open, ready, at(7)), "Ready")).toMatchObject({
      status: "True",
      lastTransitionTime: "2026-01-01T00:00:07Z",
    });
  });

  test("a message that changes does not move the time of the transition", () => {
    const spec = { containers: [container("a"), container("b")] };
    const both = [report("a", waiting()), report("b", waiting())];
    const once = written(pod(spec), reported(both), at(1));
    const then = written(once, reported([report("a", running()), report("b", waiting())]), at(5));
    expect(condition(then, "Ready")).toMatchObject({
      message: "containers with unready status: [b]",
      lastTransitionTime: "2026-01-01T00:00:01Z",
    });
  });

  test("a crash loop tells how it ended and how often it began", () => {
    const loop = { is: "waiting", reason: "CrashLoopBackOff", message: "back-off 10s" } as const;
    const main = report("main", loop, { last: failure, restartCount: 3 });
    expect(written(pod(), reported([main]), at(9)).status?.containerStatuses?.[0]).toMatchObject({
      restartCount: 3,
      state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 10s" } },
      lastState: { terminated: { exitCode: 1, reason: "Error", finishedAt: "2026-01-01T00:00:01Z" } },
    });
  });
});

describe("a pod that has ended", () => {
  const never = { restartPolicy: "Never" };

  test("and succeeded is completed", () => {
    const it = written(pod(never), reported([report("main", ended(0))]), at(2));
    expect(it.status?.phase).toBe("Succeeded");
    expect(condition(it, "Ready")).toMatchObject({ status: "False", reason: "PodCompleted" });
    expect(condition(it, "ContainersReady")).toMatchObject({ status: "False", reason: "PodCompleted" });
    expect(condition(it, "Initialized")).toMatchObject({ status: "True", reason: "PodCompleted" });
    expect(condition(it, "PodReadyToStartContainers")).toMatchObject({ status: "False" });
    expect(it.status?.podIP).toBe("10.244.0.1");
  });

  test("and failed says so", () => {
    const it = written(pod(never), reported([report("main", ended(3))]), at(2));
    expect(it.status?.phase).toBe("Failed");
    expect(condition(it, "Ready")).toMatchObject({ status: "False", reason: "PodFailed" });
  });

  test("stays so, whatever is reported later", () => {
    const it = written(pod(never), reported([report("main", ended(3))]), at(2));
    expect(written(it, ready, at(5)).status?.phase).toBe("Failed");
  });

  test("is not finished while anything of it runs", () => {
    const spec = { ...never, initContainers: [container("side", { restartPolicy: "Always" }), container("init")] };
    const inits = [report("side", running()), report("init", ended(1))];
    const waits = reported([report("main", waiting("PodInitializing"))], { initContainers: inits });
    expect(written(pod(spec), waits, at(2)).status?.phase).toBe("Pending");
    const stopped = { ...waits, initContainers: [report("side", ended(143)), report("init", ended(1))] };
    expect(written(pod(spec), stopped, at(3)).status?.phase).toBe("Failed");
  });

  test("was evicted: it failed for its node's sake", () => {
    const evicted = reported([report("main", ended(137))], { ended: { reason: "Evicted", message: "low" } });
    const it = written(pod(), evicted, at(2));
    expect(it.status).toMatchObject({ phase: "Failed", reason: "Evicted", message: "low" });
    expect(condition(it, "DisruptionTarget")).toMatchObject({
      status: "True",
      reason: "TerminationByKubelet",
      message: "low",
    });
  });

  test("was too slow: nobody disrupted it", () => {
    const late = reported([report("main", ended(137))], { ended: { reason: "DeadlineExceeded", message: "late" } });
    const it = written(pod(), late, at(2));
    expect(it.status).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" });
    expect(condition(it, "DisruptionTarget")).toBeUndefined();
  });
});

describe("a pod that is deleted", () => {
  const leaving = (spec = {}) =>
    pod(spec, { deletionTimestamp: "2026-01-01T00:00:30Z", deletionGracePeriodSeconds: 30 });

  test("is not over while a container runs", () => {
    expect(hasEnded(leaving(), ready)).toBe(false);
    expect(hasEnded(pod(), reported([report("main", ended(0))]))).toBe(false);
    expect(hasEnded(leaving(), reported([report("main", ended(0))]))).toBe(true);
  });

  test("ends as its containers did, though they would be started again", () => {
    const done = (code: number) => written(leaving(), reported([report("main", ended(code))]), at(2)).status?.phase;
    expect([done(0), done(143)]).toEqual(["Succeeded", "Failed"]);
  });

  test("ends also where a container never ran", () => {
    const it = written(leaving(), reported([report("main", waiting())]), at(2));
    expect(it.status?.phase).toBe("Failed");
    expect(it.status?.containerStatuses?.[0]?.state?.terminated).toEqual({
      exitCode: 137,
      reason: "ContainerStatusUnknown",
      message: "The container could not be located when the pod was terminated",
      startedAt: null,
      finishedAt: null,
    });
  });

  test("ends with the last end of a container that waited to begin again", () => {
    const main = report("main", waiting("CrashLoopBackOff"), { last: failure, restartCount: 2 });
    const it = written(leaving(), reported([main]), at(2));
    expect(it.status?.containerStatuses?.[0]).toMatchObject({
      state: { terminated: { exitCode: 1 } },
      lastState: {},
      restartCount: 2,
    });
  });
});

describe("a pod whose node is lost", () => {
  const lost = reported([report("main", running())], { lost: { message: "gone" } });

  test("is neither ready nor not, and does not end", () => {
    const it = written(pod({}, { deletionTimestamp: "2026-01-01T00:00:30Z" }), lost, at(2));
    expect(it.status).toMatchObject({ phase: "Running", reason: "NodeLost", message: "gone" });
    expect(condition(it, "Ready")).toMatchObject({ status: "Unknown", reason: "NodeLost" });
    expect(hasEnded(it, { ...lost, containers: [report("main", ended(0))] })).toBe(false);
  });

  test("is as it was when the node is back", () => {
    const back = written(written(pod(), lost, at(2)), ready, at(5));
    expect(back.status?.reason).toBeUndefined();
    expect(condition(back, "Ready")?.status).toBe("True");
  });
});
