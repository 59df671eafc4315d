// Section 11, row by row.
import { formatTime, instant, plus } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { describe, expect, test } from "vitest";
import { type PodHealthInput, podHealth } from "./pod-health.ts";

type Status = NonNullable<Pod["status"]>;
type State = NonNullable<NonNullable<Status["containerStatuses"]>[number]["state"]>;

const born = instant(Date.UTC(2026, 0, 19, 22));
const young = plus(born, 119_000);
const old = plus(born, 121_000);

const container = (state: State, name = "demo-worker") => ({
  name,
  image: "",
  imageID: "",
  ready: false,
  restartCount: 0,
  state,
});
const waiting = (reason: string, message?: string): State => ({
  waiting: { reason, ...(message !== undefined && { message }) },
});
const ended = (exitCode: number, reason = "Error"): State => ({ terminated: { exitCode, reason } });
const pod = (status: Status, name = "w1", spec: object = {}): Pod => ({
  metadata: { name, uid: `uid-${name}`, creationTimestamp: formatTime(born) },
  spec: { nodeName: "n", containers: [{ name: "demo-worker", image: "x" }], ...spec } as NonNullable<Pod["spec"]>,
  status,
});
const stuck = (reason: string, name?: string, message?: string) =>
  pod({ phase: "Pending", containerStatuses: [container(waiting(reason, message))] }, name);

const health = (pods: readonly Pod[], now = old, more: Partial<PodHealthInput> = {}) =>
  podHealth(
    { pods, complaints: new Map(), grace: 120_000, main: ["demo-master", "demo-worker"], areJobsFinal: false, ...more },
    now,
  );

describe("a pod", () => {
  test.each([
    ["CreateContainerConfigError", "ConfigurationError"],
    ["CreateContainerError", "ConfigurationError"],
    ["RunContainerError", "ConfigurationError"],
    ["ImagePullBackOff", "ImagePullError"],
    ["ErrImagePull", "ImagePullError"],
    ["ErrImageNeverPull", "ImagePullError"],
    ["InvalidImageName", "ImagePullError"],
  ])("that waits with %s is stuck: %s, once its time to start is over", (reason, problem) => {
    expect(health([stuck(reason)], young)).toMatchObject({
      status: "Unknown",
      reason: "PodsStarting",
      stuckSince: born,
      wakeAt: plus(born, 120_000),
    });
    expect(health([stuck(reason)])).toEqual({
      status: "False",
      reason: problem,
      message: `${problem}: 1 pod(s) affected [w1]: Container demo-worker: ${reason}`,
      stuckSince: born,
    });
  });

  test("in a crash loop, or whose program ended with an error, is told of at once, and is not stuck", () => {
    const looping = pod({ phase: "Running", containerStatuses: [container(waiting("CrashLoopBackOff", "back-off"))] });
    expect(health([looping], young)).toEqual({
      status: "False",
      reason: "CrashLoopBackOff",
      message: "CrashLoopBackOff: 1 pod(s) affected [w1]: Container demo-worker: back-off",
    });
    const failed = pod({ phase: "Failed", containerStatuses: [container(ended(2))] });
    expect(health([failed], young)).toEqual({
      status: "False",
      reason: "CrashLoopBackOff",
      message: "CrashLoopBackOff: 1 pod(s) affected [w1]: Container demo-worker exited with code 2: Error",
    });
    expect(health([failed], young, { areJobsFinal: true })).toMatchObject({ status: "Unknown" });
  });

  test("whose init container failed says so, and a sidecar's end is none", () => {
    const initContainerStatuses = [container(ended(3), "setup")];
    const it = pod({ phase: "Pending", initContainerStatuses });
    expect(health([it], young)).toMatchObject({
      reason: "InitializationError",
      message: "InitializationError: 1 pod(s) affected [w1]: Init container setup exited with code 3: Error",
    });
    const sidecar = { initContainers: [{ name: "setup", image: "x", restartPolicy: "Always" }] };
    const containerStatuses = [container(ended(0))];
    expect(health([pod({ phase: "Succeeded", initContainerStatuses, containerStatuses }, "w1", sidecar)])).toEqual({
      status: "True",
      reason: "PodsHealthy",
      message: "All pods are healthy",
    });
  });

  test("whose sidecar cannot be pulled is stuck", () => {
    const initContainers = [{ name: "exporter", image: "x", restartPolicy: "Always" }];
    const initContainerStatuses = [container(waiting("ErrImagePull"), "exporter")];
    const it = pod({ phase: "Pending", initContainerStatuses }, "m", { initContainers });
    expect(health([it])).toMatchObject({ reason: "ImagePullError", stuckSince: born });
  });

  describe("that has no containers for long", () => {
    const it = stuck("ContainerCreating");
    const by = (reason: string, message: string) => ({ complaints: new Map([["uid-w1", { reason, message }]]) });

    test("is starting until its grace is over, and as long as nobody was asked why", () => {
      expect(health([it], young)).toMatchObject({ status: "Unknown", wakeAt: plus(born, 120_000) });
      expect(health([it])).toMatchObject({ status: "Unknown", reason: "PodsStarting" });
    });

    test("is told of without a cause where no Event has one, or they cannot be read", () => {
      expect(health([it], old, by("", ""))).toMatchObject({
        status: "False",
        message: "ContainersNotCreated: 1 pod(s) affected [w1]: No containers after 120 s, and no Event says why",
        stuckSince: born,
      });
      expect(health([it], old, { unreadEvents: "forbidden" }).message).toBe(
        "ContainersNotCreated: 1 pod(s) affected [w1]: No containers after 120 s, and why is not known: forbidden",
      );
      expect(health([it], old, by("FailedCreatePodSandBox", "no network")).message).toBe(
        "ContainersNotCreated: 1 pod(s) affected [w1]: no network",
      );
    });

    test("has no problem while its image is being pulled", () => {
      const pulling = health([it], old, by("Pulling", 'Pulling image "locust:2"'));
      expect(pulling).toMatchObject({
        status: "Unknown",
        reason: "PodsStarting",
        message: 'Pods are starting up: w1: Pulling image "locust:2"',
        wakeAt: plus(old, 30_000),
      });
      expect(pulling).not.toHaveProperty("stuckSince");
    });
  });

  test("that cannot mount something is told of with what its Event says", () => {
    const it = stuck("ContainerCreating");
    const message = 'configmap "demo-scripts" not found\nmore';
    const complaints = new Map([["uid-w1", { reason: "FailedMount", message }]]);
    expect(health([it], old, { complaints, configMap: "demo-scripts" }).message).toBe(
      'ConfigurationError: 1 pod(s) affected [w1]: configmap "demo-scripts" not found; the test expects ConfigMap demo-scripts: once it is there, the pods start',
    );
  });

  test("that goes away is none", () => {
    const it = stuck("ErrImagePull");
    const leaving = { ...it, metadata: { ...it.metadata, deletionTimestamp: formatTime(old) } };
    expect(health([leaving])).toEqual({
      status: "Unknown",
      reason: "PodsStarting",
      message: "Waiting for pods to start",
    });
  });

  test("shows nothing that is secret of what others wrote", () => {
    const said = health([stuck("ErrImagePull", "w1", "pull from //me:hunter2@registry failed: token=hunter2")]).message;
    expect(said).not.toContain("hunter2");
    expect(said).toContain("//***@registry");
  });
});

describe("pods that differ", () => {
  const unschedulable = pod(
    { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }] },
    "s",
  );
  const crashed = pod({ phase: "Failed", containerStatuses: [container(ended(1))] }, "c");
  const uninitialized = pod({ phase: "Pending", initContainerStatuses: [container(ended(1), "setup")] }, "i");

  test("show the first reason by its weight", () => {
    const all = [uninitialized, crashed, unschedulable, stuck("ErrImagePull", "p"), stuck("CreateContainerError", "k")];
    const shown = [0, 1, 2, 3, 4].map((rest) => health(all.slice(0, all.length - rest)).reason);
    expect(shown).toEqual([
      "ConfigurationError",
      "ImagePullError",
      "SchedulingError",
      "CrashLoopBackOff",
      "InitializationError",
    ]);
  });

  test("are healthy when all run or have ended well, and starting before", () => {
    const up = pod({ phase: "Running" }, "a");
    const well = pod({ phase: "Succeeded" }, "b");
    const coming = pod({ phase: "Pending", conditions: [{ type: "PodScheduled", status: "True" }] }, "c");
    expect(health([up, well]).reason).toBe("PodsHealthy");
    expect(health([up, well, coming], young)).toMatchObject({
      reason: "PodsStarting",
      message: "Pods are starting up",
    });
  });

  test("are not healthy where one that runs is not ready: nothing may be heard of its node", () => {
    const up = pod({ phase: "Running", conditions: [{ type: "Ready", status: "True" }] }, "a");
    const lost = (more = {}) =>
      pod({ phase: "Running", conditions: [{ type: "Ready", status: "False", ...more }] }, "b");
    expect(health([up]).status).toBe("True");
    expect(health([up, lost()])).toEqual({
      status: "Unknown",
      reason: "PodsNotReady",
      message: "1 pod(s) not ready [b]: no reason is given, as where a node does not answer",
    });
    expect(health([up, lost({ reason: "ContainersNotReady", message: "unready: [b]" })]).message).toBe(
      "1 pod(s) not ready [b]: unready: [b]",
    );
  });
});
