import { plus } from "@telltale/kinds";
import { draft } from "@telltale/status";
import { describe, expect, it } from "vitest";
import { available, chain, cluster, condition, network, networkWorld, ok, t0, workspace } from "../../test/worlds.ts";
import { CAPTCluster } from "../kinds/capt-cluster.ts";
import { annotations } from "../names.ts";
import { decide } from "./decide.ts";
import { endpointSaid } from "./endpoint-step.ts";
import { applyFor, plan } from "./plan.ts";
import { status } from "./status.ts";

const minute = 60_000;
const at = (minutes: number) => plus(t0, minutes * minute);
const creating = { observedGeneration: 1, conditions: [condition("VPCCreating", "True", "VPCCreating")] };
const done = chain(workspace(ok, available), { data: { vpc_id: "vpc-1" } });

function said(world: ReturnType<typeof networkWorld>, minutes = 0) {
  const begun = draft(CAPTCluster, world.it, at(minutes), { strict: true });
  status(world, begun, at(minutes));
  const { status: next, wakeAt, effect, changed } = begun.finish();
  const of = (type: string) => next.conditions?.find((each) => each.type === type);
  const line = (type: string) => (of(type) === undefined ? "" : `${of(type)?.status} ${of(type)?.reason}`);
  return { next, of, line, effect, changed, wakes: wakeAt === undefined ? undefined : wakeAt - at(minutes) };
}

describe("TO-1 readiness and timeouts", () => {
  it("readiness wins, even at the very moment of the deadline", () => {
    expect(decide(networkWorld({ it: network({}, creating), chain: done }), at(15)).is).toBe("going");
  });

  it("C17 what is not ready in time fails for good, with a text that says what was waited for", () => {
    const world = networkWorld({ it: network({}, creating) });
    const { next, line, wakes } = said(world, 15);
    expect(next).toMatchObject({
      ready: false,
      failureReason: "VPCReadyTimeout",
      failureMessage: "VPC not ready within 15m: no error reported",
    });
    expect(["VPCReady", "Ready", "VPCCreating", "VPCFailed"].map(line)).toEqual([
      "False VPCReadyTimeout",
      "False VPCReadyTimeout",
      "False VPCFailed",
      "True VPCReadyTimeout",
    ]);
    expect(wakes).toBe(60_000);
  });

  it("C17 the last error is part of the text", () => {
    const failing = chain(workspace(["False", "ReconcileError", "no quota, RequestID: 123-abc"], undefined));
    const { next } = said(networkWorld({ it: network({}, creating), chain: failing }), 15);
    expect(next.failureMessage).toBe("VPC not ready within 15m: no quota, RequestID: <id>");
  });

  it("TO-4 a waiting network is looked at again in ten seconds, or on time", () => {
    expect(said(networkWorld({ it: network({}, creating) }), 3).wakes).toBe(10_000);
    const world = networkWorld({ it: network({}, creating) });
    expect(decide(world, plus(at(15), -4000))).toMatchObject({ is: "going", wakeAt: at(15) });
  });

  it("9.5 under the policy degraded nothing is terminal, and it is over when the network is there", () => {
    const world = networkWorld({ it: network({}, creating), policy: "degraded" });
    const { next, line } = said(world, 15);
    expect([next.failureReason, line("VPCFailed")]).toEqual([undefined, "True VPCReadyTimeout"]);
    const later = networkWorld({ it: network({}, next), policy: "degraded" });
    expect(said(later, 20).next.conditions).toEqual(next.conditions);
    const ready = said(networkWorld({ it: network({}, next), policy: "degraded", chain: done }), 21);
    expect([ready.line("Ready"), ready.line("VPCFailed"), ready.next.ready]).toEqual([
      "True Ready",
      "False NotFailed",
      true,
    ]);
  });
});

describe("3.6.3 a network that has failed", () => {
  const failed = () => said(networkWorld({ it: network({}, creating) }), 15).next;

  it("11.2 stays as it is, byte for byte, and makes nothing", () => {
    const world = networkWorld({ it: network({}, failed()) });
    const later = said(world, 16);
    expect(later.next.failureMessage).toBe("VPC not ready within 15m: no error reported");
    expect([later.changed, plan(world, at(16))]).toEqual([false, {}]);
  });

  it("9.5 says that it could go on, and keeps the id", () => {
    const { next, line, of } = said(networkWorld({ it: network({}, failed()), chain: done }), 20);
    expect([line("RecoveryAvailable"), next.vpcId, next.ready, line("VPCFailed")]).toEqual([
      "True ReadyAfterTimeout",
      "vpc-1",
      false,
      "True VPCReadyTimeout",
    ]);
    expect(of("RecoveryAvailable")?.message).toBe(
      "VPC vpc-1 became available after the timeout; set annotation capt.infrastructure.cluster.x-k8s.io/reset-failure to continue",
    );
  });

  it("11.3 begins anew when a person asks for it, in one status, with fresh clocks", () => {
    const stuck = network({}, failed());
    const asked = { ...stuck, metadata: { ...stuck.metadata, annotations: { [annotations.resetFailure]: "1" } } };
    const { next, line, of } = said(networkWorld({ it: asked }), 100);
    expect([next.failureReason, next.failureMessage, next.lastResetToken, line("VPCFailed")]).toEqual([
      undefined,
      undefined,
      "1",
      "False NotFailed",
    ]);
    expect(of("VPCCreating")?.lastTransitionTime).toBe("2026-01-01T01:40:00Z");
    const ready = said(networkWorld({ it: asked, chain: done }), 100);
    expect([ready.next.ready, ready.next.failureReason]).toEqual([true, undefined]);
  });

  it("11.3 notes a left-over token, so that it undoes no later failure", () => {
    const marked = network({}, creating);
    const it = { ...marked, metadata: { ...marked.metadata, annotations: { [annotations.resetFailure]: "old" } } };
    expect(said(networkWorld({ it })).next.lastResetToken).toBe("old");
  });
});

describe("CC-4 the end of a pause", () => {
  const pausing = [...creating.conditions, condition("Paused", "True", "Paused")];

  it("begins running clocks anew", () => {
    const { of, line } = said(networkWorld({ it: network({}, { ...creating, conditions: pausing }) }), 120);
    expect([line("Paused"), of("VPCCreating")?.lastTransitionTime]).toEqual([
      "False NotPaused",
      "2026-01-01T02:00:00Z",
    ]);
  });

  it("moves no time of a network that is there", () => {
    const ready = said(networkWorld({ it: network({}, creating), chain: done }), 1).next;
    const held = {
      ...ready,
      conditions: (ready.conditions ?? []).map((c) =>
        c.type === "Paused" ? { ...c, status: "True" as const, reason: "Paused" } : c,
      ),
    };
    const { of } = said(networkWorld({ it: network({}, held), chain: done }), 120);
    expect(of("WorkspaceReady")?.lastTransitionTime).toBe("2026-01-01T00:01:00Z");
  });
});

describe("C16 a request that failed", () => {
  const trouble = { verb: "get", resource: "workspaces", message: "get workspaces failed: HTTP 503" as never } as const;

  it("is told of a network that was never there, and tried again later and later", () => {
    const { next, line, effect } = said(networkWorld({ trouble, it: network({}, creating) }), 99);
    expect([line("VPCReady"), line("VPCCreating"), next.failureReason]).toEqual([
      "Unknown VPCReconciliationFailed",
      "True VPCCreating",
      undefined,
    ]);
    expect(effect?.requeue).toEqual({ in: "backoff", atLeast: 0 });
  });

  it("API-6 does not claim to have looked at a new generation", () => {
    const edited = network({}, creating);
    const it = { ...edited, metadata: { ...edited.metadata, generation: 7 } };
    expect(said(networkWorld({ trouble, it })).next.observedGeneration).toBe(1);
  });

  it("changes nothing of a network that was there, or has failed", () => {
    const ready = said(networkWorld({ it: network({}, creating), chain: done }), 1).next;
    expect(said(networkWorld({ trouble, it: network({}, ready) }), 2).changed).toBe(false);
    const failed = said(networkWorld({ it: network({}, creating) }), 15).next;
    expect(said(networkWorld({ trouble, it: network({}, failed) }), 16).changed).toBe(false);
  });
});

describe("what a network says", () => {
  it("K-2 ready and provisioned are said together, and nothing empty is", () => {
    expect(said(networkWorld()).next.initialization).toBeUndefined();
    const { next } = said(networkWorld({ chain: done }));
    expect([next.ready, next.initialization]).toEqual([true, { provisioned: true }]);
  });

  it("API-7 conditions have their order, and two looks at the same world say the same", () => {
    const { next } = said(networkWorld({ chain: done }));
    const types = next.conditions?.map(({ type }) => type) ?? [];
    expect(types[0]).toBe("Ready");
    expect(types.slice(-2)).toEqual(["Paused", "Deleting"]);
    expect(types.slice(1, -2)).toEqual([...types.slice(1, -2)].sort());
    expect(said(networkWorld({ it: network({}, next), chain: done }), 5).changed).toBe(false);
  });

  it("L-11 every condition has a reason and a message", () => {
    for (const found of [undefined, "missing" as const, workspace(ok, ["False", "Creating"])]) {
      for (const each of said(networkWorld({ chain: chain(found) })).next.conditions ?? []) {
        expect([each.reason, each.message].every((text) => text !== "")).toBe(true);
      }
    }
  });

  it("10.4 another shape is written at once, and once", () => {
    const zones = chain(workspace(ok, available), { data: { vpc_id: "vpc-1", azs: '["b","a"]' } });
    const { next } = said(networkWorld({ chain: zones }));
    expect(next.failureDomains).toEqual([
      { name: "a", controlPlane: true },
      { name: "b", controlPlane: true },
    ]);
    const gone = networkWorld({ it: network({}, next), chain: chain("missing"), shape: "map" });
    expect(said(gone).next.failureDomains).toEqual({ a: { controlPlane: true }, b: { controlPlane: true } });
  });

  it("lastFailureMessage and lastFailedRevision tell of the last error, and go with success", () => {
    const notes = { annotations: { [annotations.revision]: "r2" } };
    const broken = chain(workspace(["False", "ReconcileError", "no quota"], undefined, notes));
    const { next } = said(networkWorld({ chain: broken }));
    expect(next.workspaceTemplateStatus).toMatchObject({ lastFailedRevision: "r2", lastFailureMessage: "no quota" });
    const after = (revision: string) => {
      const mended = workspace(ok, available, { annotations: { [annotations.revision]: revision } });
      const world = networkWorld({ it: network({}, next), chain: chain(mended, { data: { vpc_id: "vpc-1" } }) });
      return said(world).next.workspaceTemplateStatus;
    };
    const { lastAppliedTime: _none, ...other } = after("r3") ?? {};
    expect(other).toEqual({ ready: true, workspaceName: "w", lastAppliedRevision: "r3", lastFailedRevision: "r2" });
    expect(after("r2")).toEqual({ ready: true, workspaceName: "w", lastAppliedRevision: "r2" });
  });
});

describe("CC-7 the endpoint", () => {
  const of = (spec: object, own: object = {}) => {
    const { status: is, reason, message } = endpointSaid({ it: network(own), cluster: cluster(spec) });
    return `${is} ${reason} ${message}`;
  };
  const endpoint = (host: string, port = 6443) => ({ controlPlaneEndpoint: { host, port } });

  it("is what a person set here, else what the Cluster has, else waited for", () => {
    expect(of(endpoint("b"), endpoint("a"))).toBe("True EndpointProvided a:6443");
    expect(of(endpoint("fd00::1"))).toBe("True ClusterEndpointUsed [fd00::1]:6443");
    expect(of(endpoint("", 0))).toBe("False WaitingForEndpoint no endpoint on CAPTCluster or Cluster yet");
  });

  it("is not what a Cluster says that no status could hold: what to set is said, and not what was set", () => {
    const message =
      "spec.controlPlaneEndpoint of Cluster demo cannot be used: set host to a name or an address without scheme, port or path, and port to 1 to 65535";
    expect(of(endpoint("https://u:hush@a"))).toBe(`False WaitingForEndpoint ${message}`);
    expect(of(endpoint("https://a"), endpoint("b"))).toBe("True EndpointProvided b:6443");
  });

  it("CC-8 gates nothing", () => {
    const { next, line } = said(networkWorld({ chain: done }));
    expect([next.ready, line("EndpointReady"), next.endpoint]).toEqual([true, "False WaitingForEndpoint", undefined]);
    const known = said(networkWorld({ chain: done, cluster: cluster(endpoint("a")) })).next;
    expect([known.endpoint, known.controlPlaneEndpoint]).toEqual(["a:6443", { host: "a", port: 6443 }]);
  });
});

describe("3.6.5 the apply of a network", () => {
  it("has the reserved variables, and whatever else a person gives", () => {
    const it = network({ variables: { cidr: "10.0.0.0/16", region: "elsewhere" }, vpcConfig: { name: "net" } });
    expect(applyFor(it, cluster())).toEqual({
      metadata: { name: "demo-net-vpc", namespace: "t1", labels: { "cluster.x-k8s.io/cluster-name": "demo" } },
      spec: {
        templateRef: { name: "vpc", namespace: "t1" },
        retainWorkspaceOnDelete: false,
        variables: {
          cluster_name: "demo",
          vpc_name: "net",
          region: "eu-west-1",
          environment: "production",
          namespace: "t1",
          cidr: "10.0.0.0/16",
        },
      },
    });
  });

  it("CC-10 carries the wish to keep the network from the beginning, and the name that a person chose", () => {
    const it = network({
      retainVpcOnDelete: true,
      workspaceTemplateApplyName: "mine",
      variables: { environment: "test" },
    });
    const { metadata, spec } = applyFor(it, cluster());
    expect([
      metadata.name,
      spec.retainWorkspaceOnDelete,
      spec.variables?.["environment"],
      spec.variables?.["vpc_name"],
    ]).toEqual(["mine", true, "test", "demo-net-vpc"]);
  });

  it("is made where there is a template, and kept where that is gone", () => {
    const none = { class: "None", isForeign: false } as const;
    expect(plan(networkWorld({ chain: none }), t0).apply).toBeDefined();
    expect(plan(networkWorld({ chain: none, hasTemplate: false }), t0)).toEqual({});
    expect(plan(networkWorld({ hasTemplate: false }), t0).apply).toBeDefined();
    expect(plan(networkWorld({ chain: { ...none, isForeign: true } }), t0)).toEqual({});
    expect(plan(networkWorld({ it: network({ vpcTemplateRef: undefined, existingVpcId: "v" }) }), t0)).toEqual({});
  });
});
