import type { Pod } from "@telltale/kinds/builtin";
import { describe, expect, test } from "vitest";
import { container, ended, report, running, waiting } from "../../test/pod-parts.ts";
import { phaseOf } from "./phase.ts";
import type { ContainerReport } from "./pod-runtime.ts";

type Spec = NonNullable<Pod["spec"]>;
const two = [container("a"), container("b")];
const of = (spec: Partial<Spec>, containers: ContainerReport[], initContainers: ContainerReport[] = []) =>
  phaseOf({ containers: two, ...spec }, { containers, initContainers });

describe("without init containers", () => {
  test("one that has not begun keeps the pod Pending", () => {
    expect(of({}, [report("a", running()), report("b", waiting())])).toBe("Pending");
  });

  test("one of which nothing is known keeps the pod Pending", () => {
    expect(of({}, [report("a", running())])).toBe("Pending");
  });

  test("one that runs is enough once all have begun", () => {
    expect(of({ restartPolicy: "Never" }, [report("a", running()), report("b", ended(1))])).toBe("Running");
  });

  test.each([
    ["Always", [0, 0], "Running"],
    ["Always", [1, 0], "Running"],
    ["OnFailure", [0, 0], "Succeeded"],
    ["OnFailure", [1, 0], "Running"],
    ["Never", [0, 0], "Succeeded"],
    ["Never", [1, 0], "Failed"],
  ] as const)("with %s and exit codes %j a pod is %3$s", (restartPolicy, [a, b], phase) => {
    expect(of({ restartPolicy }, [report("a", ended(a)), report("b", ended(b))])).toBe(phase);
  });

  test("a crash loop is Running: it ran before", () => {
    const { is: _is, ...last } = ended(1);
    const loop = report("a", waiting("CrashLoopBackOff"), { last });
    expect(of({ containers: [container("a")] }, [loop])).toBe("Running");
  });

  test("a container's own policy counts before the pod's", () => {
    const containers = [container("a", { restartPolicy: "Never" })];
    expect(of({ containers, restartPolicy: "Always" }, [report("a", ended(1))])).toBe("Failed");
  });
});

describe("with init containers", () => {
  const mains = [report("a", waiting("PodInitializing")), report("b", waiting("PodInitializing"))];
  const initContainers = [container("first")];

  test("one that runs, or comes again, keeps the pod Pending", () => {
    expect(of({ initContainers }, mains, [report("first", running())])).toBe("Pending");
    expect(of({ initContainers }, mains, [report("first", ended(1))])).toBe("Pending");
  });

  test("one that failed for good makes the pod Failed", () => {
    expect(of({ initContainers, restartPolicy: "Never" }, mains, [report("first", ended(1))])).toBe("Failed");
  });

  test("a sidecar has to have started before the pod runs, and does not count when it ended", () => {
    const sidecars = [container("side", { restartPolicy: "Always" })];
    const begun = [report("a", running()), report("b", running())];
    expect(of({ initContainers: sidecars }, mains, [report("side", running(), { isStarted: false })])).toBe("Pending");
    expect(of({ initContainers: sidecars }, begun, [report("side", running())])).toBe("Running");
    expect(of({ initContainers: sidecars }, begun, [report("side", ended(143))])).toBe("Running");
    const done = [report("a", ended(0)), report("b", ended(0))];
    const never = { initContainers: sidecars, restartPolicy: "Never" };
    expect(of(never, done, [report("side", running())])).toBe("Running");
    expect(of(never, done, [report("side", ended(143))])).toBe("Succeeded");
  });
});
