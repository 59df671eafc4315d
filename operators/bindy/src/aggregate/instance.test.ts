// 16.1: what an instance says, given its pods. And the rows of 7.2 and 7.3, each by its id.
import { text } from "@telltale/status";
import { describe, expect, test } from "vitest";
import {
  answered,
  deployment,
  instanceConditions,
  instanceView,
  later,
  now,
  pending,
  pod,
  says,
  silent,
  unready,
  waiting,
} from "../../test/views.ts";
import { calculateInstanceStatus, type InstanceView } from "./instance.ts";
import { isReadyPod, podCondition } from "./pod.ts";
import { notProbed, type PodView } from "./pod-view.ts";

const rowOf = (view: InstanceView) => calculateInstanceStatus(view).ready.row;

describe("16.1 scenarios", () => {
  test("A-01 a condition for the whole and one for each pod, in this order", () => {
    const view = instanceView([pod("p-a"), pod("p-b")]);
    expect(instanceConditions(view).map(({ type }) => type)).toEqual(["Ready", "Pod-0", "Pod-1"]);
    expect(calculateInstanceStatus(view)).toMatchObject({ replicas: 2, readyReplicas: 2 });
  });

  test("A-02 all pods ready is AllReady, and each child is Ready, never AllReady", () => {
    const said = instanceConditions(instanceView([pod("p-a"), pod("p-b")]));
    expect(says(said, "Ready")).toBe("True AllReady All 2 pods are ready");
    expect(said.slice(1).map(({ reason }) => reason)).toEqual(["Ready", "Ready"]);
  });

  test("A-03 one of two ready is PartiallyReady", () => {
    const view = instanceView([pod("p-a"), unready("p-b")]);
    expect(says(instanceConditions(view), "Ready")).toBe("False PartiallyReady 1/2 pods are ready");
    expect(calculateInstanceStatus(view).readyReplicas).toBe(1);
  });

  test("A-04 pods that run without being ready are NotReady", () => {
    const said = instanceConditions(instanceView([unready("p-a"), unready("p-b")]));
    expect(says(said, "Ready")).toBe("False NotReady No pods are ready");
    expect(said.slice(1).map(({ reason }) => reason)).toEqual(["NotReady", "NotReady"]);
  });

  test("A-05 a ready pod says so by its name", () => {
    expect(says(instanceConditions(instanceView([pod("p-abc12")])), "Pod-0")).toBe("True Ready Pod p-abc12 is ready");
  });

  test("A-06 a pod whose Bindcar does not answer is not ready, whatever the kubelet says", () => {
    const said = instanceConditions(instanceView([pod("p-abc12"), pod("p-xyz34", { fault: silent })]));
    expect(says(said, "Pod-1")).toBe("False BindcarUnreachable Pod p-xyz34 cannot connect to Bindcar API");
    expect(says(said, "Ready")).toBe("False PartiallyReady 1/2 pods are ready");
  });

  test("A-07 pods that find no node are PodsPending", () => {
    const said = instanceConditions(instanceView([pending("p-a"), pending("p-b")]));
    expect(said.slice(1).map(({ reason }) => reason)).toEqual(["PodsPending", "PodsPending"]);
    expect(says(said, "Ready")).toBe("False PodsPending No pods are ready: waiting for pods to be scheduled");
  });

  test("A-08 the only pod's Bindcar does not answer", () => {
    const said = instanceConditions(instanceView([pod("p-a", { fault: silent })]));
    expect(says(said, "Ready")).toBe("False BindcarUnreachable No pods are ready: Cannot connect to Bindcar API");
  });

  test("A-09 the second word of every child's message is the pod's name", () => {
    const mix = [
      pod("p-ready"),
      unready("p-unready"),
      pending("p-pending"),
      waiting("p-crashing", "CrashLoopBackOff", 7),
      waiting("p-image", "ImagePullBackOff"),
      waiting("p-starting", "ContainerCreating"),
      pod("p-lost", { ready: { status: "Unknown" } }),
      pod("p-silent", { fault: silent }),
      pod("p-behind", { lag: { is: "behind", zone: "example.com", have: 1, want: 2 } }),
      pod("p-cutoff", { lag: { is: "cutOff", zone: "example.com" } }),
      ...[400, 401, 403, 404, 500, 501, 502, 503, 504, 418].map((code) => pod(`p-${code}`, { fault: answered(code) })),
    ];
    const said = calculateInstanceStatus(instanceView(mix)).children;
    expect(said.map(({ message }) => message.split(" ")[1]).sort()).toEqual(mix.map(({ name }) => name).sort());
  });

  test("A-11 a pod in a crash loop, and the instance with it", () => {
    const said = instanceConditions(instanceView([waiting("x", "CrashLoopBackOff", 7)]));
    expect(says(said, "Pod-0")).toBe(
      "False PodsCrashing Pod x is crashing (container bind9: CrashLoopBackOff, 7 restarts)",
    );
    expect(says(said, "Ready")).toBe("False PodsCrashing No pods are ready: pods are crashing");
  });

  test("A-12 of several causes the one that needs a person most counts", () => {
    const pods = [pod("x", { fault: answered(401) }), pod("y", { fault: silent }), pod("z", { fault: answered(500) })];
    const said = instanceConditions(instanceView(pods));
    expect(says(said, "Ready")).toBe("False BindcarAuthFailed No pods are ready: Bindcar authentication failed");
    expect(said.slice(1).map(({ reason }) => reason)).toEqual([
      "BindcarAuthFailed",
      "BindcarUnreachable",
      "BindcarInternalError",
    ]);
  });

  test("A-13 a request that Bindcar refuses comes before all else", () => {
    const pods = [404, 401, 400].map((code) => pod(`p-${code}`, { fault: answered(code) }));
    expect(says(instanceConditions(instanceView(pods)), "Ready")).toBe(
      "False BindcarBadRequest No pods are ready: Invalid request to Bindcar API (400)",
    );
  });

  test("A-14 different causes that are not Bindcar's have no common name", () => {
    const said = instanceConditions(instanceView([pending("a"), waiting("b", "CrashLoopBackOff", 4)]));
    expect(says(said, "Ready")).toBe("False NotReady No pods are ready");
  });

  test("A-15 a rollout with one pod more than wanted stays ready", () => {
    const view = instanceView([pod("a"), pod("b"), waiting("c", "ContainerCreating")], {
      deployment: deployment(2, { isRolling: true }),
    });
    const said = instanceConditions(view);
    expect(says(said, "Ready")).toBe("True AllReady All 2 pods are ready");
    expect(said.map(({ type }) => type)).toEqual(["Ready", "Pod-0", "Pod-1", "Pod-2"]);
    expect(calculateInstanceStatus(view).readyReplicas).toBe(2);
  });

  test("A-16 no pods wanted and none there is NoChildren", () => {
    const said = instanceConditions(instanceView([]));
    expect(says(said, "Ready")).toBe("False NoChildren No pods found for this instance");
  });

  test("A-17 pods that are wanted and not there yet are waited for", () => {
    const said = instanceConditions(instanceView([], { deployment: deployment(2) }));
    expect(says(said, "Ready")).toBe("False Progressing Waiting for pods to become ready");
    expect(said).toHaveLength(1);
  });

  test("A-18 a rollout past its deadline, because of an image", () => {
    const view = instanceView([waiting("x", "ImagePullBackOff")], { deployment: deployment(1, { isOverdue: true }) });
    const said = instanceConditions(view);
    expect(says(said, "Ready")).toBe(
      "False ProgressDeadlineExceeded No pods are ready: deployment exceeded its progress deadline",
    );
    expect(says(said, "Pod-0")).toBe("False NotReady Pod x is not ready (container bind9: ImagePullBackOff)");
  });

  test("what could not be read leaves open whether pods are ready, and nothing open where there is none", () => {
    const unread = text`operator may not read secrets in namespace dns`;
    const ready = (view: InstanceView) => calculateInstanceStatus(view).ready;
    expect(ready(instanceView([pod("p-a")], { unread }))).toMatchObject({ row: "I-4", status: "Unknown" });
    expect(ready(instanceView([], { unread }))).toMatchObject({ row: "I-4", status: "False", reason: "NotReady" });
  });

  test("A-19 a Deployment that cannot be read leaves the instance unknown", () => {
    const said = instanceConditions(instanceView([], { deployment: "unreadable" }));
    expect(says(said, "Ready")).toBe("Unknown NotReady Unable to determine deployment status");
  });

  test("A-20 a pod on a lost node is unknown, and the instance is not ready", () => {
    const said = instanceConditions(instanceView([pod("x", { ready: { status: "Unknown" } })]));
    expect(says(said, "Pod-0")).toBe("Unknown NotReady Pod x state is unknown (node unreachable)");
    expect(says(said, "Ready")).toBe("Unknown NotReady 0/1 pods are ready, 1 unknown");
  });

  test("a pod that its kubelet calls ready and that has answered no probe is unknown, and so is its instance", () => {
    const said = instanceConditions(instanceView([pod("x", { probe: notProbed })]));
    expect(says(said, "Pod-0")).toBe("Unknown NotProbed Pod x has not answered a probe yet");
    expect(says(said, "Ready")).toBe("Unknown NotProbed 0/1 pods are ready, 1 unknown");
    const silent = instanceConditions(instanceView([pod("x", { probe: { kind: "unknown", wasAnswered: true } })]));
    expect(says(silent, "Pod-0")).toBe("Unknown NotProbed Pod x has not answered a probe for 5 minutes");
  });

  test("A-22 a refused key", () => {
    const said = instanceConditions(instanceView([pod("x", { fault: answered(500, { code: "RNDC_AUTH" }) })]));
    expect(says(said, "Pod-0")).toBe("False RNDCAuthenticationFailed Pod x failed RNDC authentication");
    expect(says(said, "Ready")).toBe("False RNDCAuthenticationFailed No pods are ready: RNDC authentication failed");
  });
});

describe("7.2 each row by its id", () => {
  const all = [pod("a"), pod("b")];
  const bad = { path: "spec.acls", problem: text`no` };
  const rows: readonly [string, InstanceView][] = [
    ["I-1", instanceView(all, { isLeaving: true, invalid: bad })],
    ["I-2", instanceView(all, { invalid: bad, refused: text`x` })],
    ["I-3", instanceView(all, { refused: text`x`, deployment: "unreadable" })],
    ["I-4", instanceView(all, { deployment: "unreadable" })],
    ["I-5", instanceView([])],
    ["I-5", instanceView(all, { deployment: deployment(0) })],
    ["I-6", instanceView([], { deployment: deployment(1) })],
    ["I-7", instanceView(all, { deployment: deployment(2, { isOverdue: true }) })],
    ["I-7", instanceView([pod("a"), pod("b", { probe: notProbed })], { deployment: deployment(1) })],
    ["I-8", instanceView([pod("a"), pod("b", { fault: silent })])],
    ["I-8", instanceView([pod("a", { probe: notProbed }), pod("b", { fault: silent })])],
    ["I-14", instanceView([pod("a"), pod("b", { probe: notProbed })])],
    ["I-9", instanceView([pod("a", { fault: silent })], { deployment: deployment(1, { isOverdue: true }) })],
    ["I-10", instanceView([pending("a")], { deployment: deployment(1, { isOverdue: true }) })],
    ["I-11", instanceView([waiting("a", "CrashLoopBackOff")], { deployment: deployment(1, { isOverdue: true }) })],
    ["I-12", instanceView([unready("a")], { deployment: deployment(1, { isOverdue: true }) })],
    ["I-12", instanceView([], { deployment: deployment(1, { isOverdue: true }) })],
    ["I-13", instanceView([pending("a"), pod("b", { fault: silent })])],
    ["I-13", instanceView([unready("a")], { deployment: deployment(0) })],
  ];
  test.each(rows)("%s", (id, view) => expect(rowOf(view)).toBe(id));

  test("I-2 pods that are there keep their conditions while the spec is wrong", () => {
    const said = instanceConditions(instanceView([pod("a")], { invalid: bad }));
    expect(says(said, "Ready")).toBe("False ConfigurationInvalid Invalid configuration: spec.acls: no");
    expect(says(said, "Pod-0")).toBe("True Ready Pod a is ready");
  });

  test("I-9 of one rank the lowest slot speaks", () => {
    const previous = instanceConditions(instanceView([pod("a"), pod("b")]));
    const pods = [pod("b", { fault: answered(502) }), pod("a", { fault: answered(504) })];
    expect(says(instanceConditions(instanceView(pods, { previous })), "Ready")).toBe(
      "False GatewayError No pods are ready: Gateway error reaching Bindcar (504)",
    );
  });

  test("7.6 the same pod twice counts once", () => {
    const it = calculateInstanceStatus(instanceView([pod("a"), pod("a")], { deployment: deployment(1) }));
    expect(it.children).toHaveLength(1);
  });

  test("5.4 of more children than fit the message says how many are shown", () => {
    const many = Array.from({ length: 300 }, (_, i) => pod(`p-${i}`));
    const said = instanceConditions(instanceView(many));
    expect(says(said, "Ready")).toBe("True AllReady All 300 pods are ready (showing 256 of 300 children)");
    expect(said).toHaveLength(257);
  });
});

describe("7.3 each row by its id", () => {
  const crashed = { name: "bind9", isReady: false, restarts: 3, ended: { exitCode: 1, reason: "Error" } };
  const rows: readonly [string, PodView, string][] = [
    ["P-1", pod("x", { ready: { status: "Unknown" }, fault: silent }), "Unknown NotReady"],
    ["P-2", pending("x"), "False PodsPending"],
    ["P-2", pod("x", { phase: "Pending", hasNode: false, scheduled: undefined }), "False PodsPending"],
    ["P-3", waiting("x", "CrashLoopBackOff"), "False PodsCrashing"],
    ["P-3", unready("x", { containers: [crashed] }), "False PodsCrashing"],
    ["P-4", waiting("x", "ErrImagePull", 3), "False NotReady"],
    ["P-5", waiting("x", "PodInitializing"), "False Progressing"],
    ["P-5", unready("x", { containers: [] }), "False Progressing"],
    ["P-6", unready("x", { fault: answered(503) }), "False GatewayError"],
    ["P-7", pod("x", { lag: { is: "behind", zone: "z", have: 1, want: 2 } }), "False ZoneTransferFailed"],
    ["P-7", pod("x", { lag: { is: "cutOff", zone: "z" } }), "False UpstreamUnreachable"],
    ["P-8", unready("x", { ready: { status: "False", reason: "ContainersNotReady" } }), "False NotReady"],
    ["P-8", unready("x", { containers: [{ ...crashed, restarts: 2 }] }), "False NotReady"],
    ["P-9", pod("x"), "True Ready"],
    ["P-8", unready("x", { probe: notProbed }), "False NotReady"],
    ["P-10", pod("x", { probe: notProbed }), "Unknown NotProbed"],
  ];
  test.each(rows)("%s", (id, view, expected) => {
    const { row, status, reason } = podCondition(view);
    expect([row, `${status} ${reason}`]).toEqual([id, expected]);
  });

  test("7.1 a pod is ready when the kubelet says so and its Bindcar has answered", () => {
    const pods = [pod("a"), unready("a"), pod("a", { fault: silent }), pod("a", { probe: notProbed })];
    expect(pods.map(isReadyPod)).toEqual([true, false, false, false]);
  });
});

describe("16.5 times", () => {
  test("A-76 pods that are gone take their conditions with them", () => {
    const previous = instanceConditions(instanceView([pod("a"), pod("b"), pod("c")]));
    const said = instanceConditions(instanceView([pod("a")], { previous }));
    expect(said.map(({ type }) => type)).toEqual(["Ready", "Pod-0"]);
  });

  test("A-77 a message that is too long is cut, and ends in …", () => {
    const refused = text`${"x".repeat(5000)}`;
    const message = instanceConditions(instanceView([], { refused }))[0]?.message ?? "";
    expect([message.length, message.at(-1)]).toEqual([1024, "…"]);
  });

  test("7.7 a pod that moves to another slot keeps its time", () => {
    const previous = instanceConditions(instanceView([pod("a"), pod("b"), pod("c")]));
    const at = later(60_000);
    const view = instanceView([pod("b"), pod("c")], { previous });
    const moved = instanceConditions(view, at);
    expect(says(moved, "Pod-0")).toBe("True Ready Pod c is ready");
    expect(moved.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual(
      previous.slice(0, 3).map(({ lastTransitionTime }) => lastTransitionTime),
    );
    expect(now).toBeLessThan(at);
  });
});
