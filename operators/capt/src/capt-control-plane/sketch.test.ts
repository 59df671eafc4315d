import { plus } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import {
  apply,
  available,
  chain,
  condition,
  ok,
  plane,
  planeWorld,
  ran,
  readyPlane,
  said,
  t0,
  waitingPlane,
  workspace,
  written,
} from "../../test/worlds.ts";
import { annotations } from "../names.ts";
import { type Credentials, none } from "./credentials.ts";
import { plan } from "./plan.ts";
import { sketch } from "./sketch.ts";
import type { World } from "./world.ts";

const at = (minutes: number) => plus(t0, minutes * 60_000);
const endpoint = { cluster_endpoint: "https://10.0.0.1:6443" };
const done = ran;
const ready = readyPlane;
const waiting = waitingPlane;

const initialised = () => said(ready).next;

describe("the rows of 4.7.2 before the control plane was ever there", () => {
  const error = workspace(["False", "ReconcileError", "no quota"], undefined);
  const degraded = workspace(["False", "ReconcileError", "drift"], available);
  const pending = workspace(undefined, undefined);
  const none_ = { class: "None", isForeign: false } as const;
  const missing = [condition("TemplateResolved", "False", "WorkspaceTemplateNotFound")];

  it.each<[string, Partial<World>, string, string, number]>([
    ["P1", waiting, "WaitingForVPC", "waiting for CAPTCluster demo-net to become ready", 10_000],
    [
      "P2",
      { ...waiting, infrastructure: { is: "failed", named: "CAPTCluster demo-net", token: "SecretTimeout" } },
      "WaitingForVPC",
      "CAPTCluster demo-net failed: SecretTimeout",
      10_000,
    ],
    [
      "P3",
      { chain: none_, hasTemplate: false },
      "WorkspaceTemplateNotFound",
      "WorkspaceTemplate t1/cp not found",
      10_000,
    ],
    ["P4", { chain: none_ }, "Creating", "applying workspace not created yet", 5_000],
    [
      "P4",
      { chain: { ...none_, isForeign: true } },
      "WorkspaceError",
      "create workspacetemplateapplies failed: HTTP 409",
      10_000,
    ],
    ["P5", {}, "Creating", "applying workspace not created yet", 5_000],
    [
      "P5",
      { chain: chain(undefined, { apply: apply({ conditions: missing }) }) },
      "WorkspaceTemplateNotFound",
      "WorkspaceTemplate t1/cp not found",
      5_000,
    ],
    ["P6", { chain: chain(pending) }, "Creating", "applying workspace w", 5_000],
    [
      "P6b",
      { chain: chain(workspace(["False", "ReconcilePaused"], undefined)) },
      "WorkspacePaused",
      "workspace w is paused",
      10_000,
    ],
    [
      "P6b",
      { chain: chain(workspace(ok, ["False", "Unavailable"])) },
      "WorkspaceNotReady",
      "workspace w is not ready: Unavailable",
      10_000,
    ],
    [
      "P6b",
      { chain: chain(workspace(ok, ["False", "Deleting"])) },
      "WorkspaceNotReady",
      "workspace w is not ready: Deleting",
      10_000,
    ],
    ["P6b", { chain: chain("missing") }, "WorkspaceMissing", "workspace w no longer exists", 10_000],
    ["P7", { chain: chain(error) }, "WorkspaceError", "workspace w: no quota", 10_000],
    ["P7", { chain: chain(degraded) }, "WorkspaceError", "workspace w: drift", 10_000],
    [
      "P8",
      { chain: chain(workspace(ok, available)) },
      "WaitingForConnectionSecret",
      "Secret t1/s not found yet",
      5_000,
    ],
    [
      "P9",
      { chain: done({}) },
      "EndpointNotReady",
      "no endpoint in Secret t1/s nor in the outputs of workspace w",
      5_000,
    ],
    [
      "P10",
      { chain: done({ endpoint: "http://a" }) },
      "EndpointNotReady",
      "key endpoint of Secret t1/s is not a valid endpoint",
      5_000,
    ],
    [
      "P11",
      { chain: done(), credentials: { ...none, kubeconfig: { is: "absent", place: "t1/s" } } },
      "WaitingForKubeconfig",
      "no kubeconfig in Secret t1/s",
      5_000,
    ],
  ])("%s says why it is not ready", (row, more, reason, message, again) => {
    const seen = sketch(planeWorld(more));
    expect(seen).toMatchObject({ row, why: { reason, message }, again });
    const { next, line } = said(planeWorld(more));
    const creating = reason === "WaitingForVPC" ? "True WaitingForVPC" : "True Creating";
    expect([
      next.phase,
      next.ready,
      next.initialized,
      line("Creating"),
      line("Ready"),
      line("Available"),
      line("Initialized"),
    ]).toEqual(["Creating", false, false, creating, `False ${reason}`, `False ${reason}`, `False ${reason}`]);
  });

  it("P12 CP-5 K-2 with endpoint and kubeconfig it is initialised and ready, in one status", () => {
    const { next, line, of, wakes } = said(ready);
    expect(next).toMatchObject({
      phase: "Ready",
      ready: true,
      initialized: true,
      initialization: { controlPlaneInitialized: true },
      secretsReady: true,
      externalManagedControlPlane: true,
      version: "v1.31.0",
      versions: [{ version: "v1.31.0" }],
      controlPlaneEndpoint: { host: "10.0.0.1", port: 6443 },
      endpoint: "10.0.0.1:6443",
    });
    expect(
      ["Ready", "Available", "Initialized", "Creating", "Failed", "KubeconfigReady", "RollingOut"].map(line),
    ).toEqual([
      "True Ready",
      "True Available",
      "True Initialized",
      "False Ready",
      "False NotFailed",
      "True KubeconfigWritten",
      "False NotRollingOut",
    ]);
    expect([of("Ready")?.message, wakes]).toEqual(["control plane v1.31.0 at 10.0.0.1:6443", 60_000]);
    expect(said(planeWorld({ ...ready, it: plane({}, next) }), 5).changed).toBe(false);
  });

  it("the clock conditions are Unknown before they are waited for", () => {
    const early = said(planeWorld({ chain: chain(pending) }));
    expect(["WorkspaceReady", "ConnectionSecretReady", "EndpointReady", "KubeconfigReady"].map(early.line)).toEqual([
      "False NotYetReported",
      "Unknown WorkspaceNotReady",
      "Unknown WorkspaceNotReady",
      "Unknown EndpointNotReady",
    ]);
    const keyless = said(planeWorld({ chain: done({}) }));
    expect(["ConnectionSecretReady", "EndpointReady"].map(keyless.line)).toEqual([
      "False KeyMissing",
      "False EndpointNotReady",
    ]);
    const wrong = said(planeWorld({ chain: done({ endpoint: "http://a" }) }));
    expect(["ConnectionSecretReady", "EndpointReady"].map(wrong.line)).toEqual([
      "False KeyMissing",
      "False InvalidEndpoint",
    ]);
  });
});

describe("the rows of 4.7.2 once the control plane was there", () => {
  const was = (more: Partial<World>) => planeWorld({ credentials: written, ...more, it: plane({}, initialised()) });

  it("P13 a failed run leaves it ready", () => {
    const { next, line } = said(was({ chain: chain(workspace(["False", "ReconcileError", "x"], available)) }), 1);
    expect([next.phase, next.ready, line("Ready"), line("WorkspaceSynced"), next.endpoint]).toEqual([
      "Ready",
      true,
      "True Ready",
      "False ReconcileError",
      "10.0.0.1:6443",
    ]);
  });

  it.each([
    [workspace(ok, ["False", "Unavailable"]), "False WorkspaceNotReady", false],
    [workspace(ok, ["False", "Creating"]), "False WorkspaceNotReady", false],
    [workspace(["False", "ReconcileError", "x"], undefined), "Unknown NotSeen", undefined],
    [workspace(["False", "ReconcilePaused"], available), "Unknown WorkspacePaused", undefined],
    ["missing" as const, "Unknown WorkspaceMissing", undefined],
  ])("P14 CP-6 it is not ready while its Workspace is not, and stays initialised", (found, line, isReady) => {
    const seen = said(was({ chain: chain(found) }), 1);
    expect([
      seen.next.phase,
      seen.next.ready,
      seen.next.initialized,
      seen.line("Ready"),
      seen.line("Initialized"),
    ]).toEqual(["Ready", isReady, true, line, "True Initialized"]);
    // What rests on the outputs of its Workspace is not looked at.
    for (const type of ["ConnectionSecretReady", "EndpointReady", "KubeconfigReady", "CertificatesAvailable"]) {
      expect(seen.line(type)).toMatch(/^Unknown /);
    }
    expect(seen.next.secretsReady).toBeUndefined();
  });

  it("P16 CP-12 another revision rolls out, and the version follows when it is applied", () => {
    const note = { annotations: { [annotations.revision]: "r1" } };
    const first = said(planeWorld({ ...ready, chain: chain(workspace(ok, available, note), { data: endpoint }) })).next;
    const it = plane({ version: "1.32" }, first);
    const changed = { generation: 2, annotations: { [annotations.revision]: "r2" } };
    const behind = workspace(ok, available, changed);
    const running = { ...behind, status: { ...behind.status, observedGeneration: 1 } };
    const rolling = said(planeWorld({ ...ready, it, chain: chain(running, { data: endpoint }) }), 1);
    expect([
      rolling.line("RollingOut"),
      rolling.of("RollingOut")?.message,
      rolling.next.version,
      rolling.wakes,
    ]).toEqual(["True RollingOut", "changing from revision r1 to r2", "v1.31.0", 10_000]);
    expect([rolling.next.phase, rolling.line("Ready")]).toEqual(["Ready", "True Ready"]);
    const through = { ...behind, status: { ...behind.status, observedGeneration: 2 } };
    const variables = { kubernetes_version_full: "v1.32.0" };
    const over = chain(through, { data: endpoint, apply: apply({}, { variables }) });
    const settled = said(planeWorld({ ...ready, it: plane({ version: "1.32" }, rolling.next), chain: over }), 2);
    expect([settled.line("RollingOut"), settled.next.version]).toEqual(["False NotRollingOut", "v1.32.0"]);
  });

  it("CP-12 a lower version is refused, and what runs is rendered on", () => {
    const it = plane({ version: "1.30" }, initialised());
    const variables = { kubernetes_version: "1.31", kubernetes_version_full: "v1.31.0" };
    const world = planeWorld({ ...ready, it, chain: { ...done(), apply: apply({}, { variables }) } });
    const { line, of } = said(world, 1);
    expect([line("RollingOut"), of("RollingOut")?.message, line("Ready")]).toEqual([
      "False VersionDowngradeRefused",
      "spec.version 1.30 is lower than running version v1.31.0",
      "True Ready",
    ]);
    expect(plan(world, t0).apply?.spec.variables).toMatchObject(variables);
  });

  it("P17 a request that failed changes nothing", () => {
    const trouble = { verb: "get", resource: "secrets", message: "get secrets failed: HTTP 500" as never } as const;
    const { changed, effect } = said(was({ trouble }), 99);
    expect([changed, effect?.requeue]).toEqual([false, { in: "backoff", atLeast: 0 }]);
    expect(said(planeWorld({ trouble })).changed).toBe(false);
  });
});

describe("P18 the clocks of a control plane", () => {
  const begun = (more: Partial<World>) => said(planeWorld(more)).next;

  it("CP-T1 9.4 a network that does not come in time fails it", () => {
    const { next, line } = said(planeWorld({ ...waiting, it: plane({}, begun(waiting)) }), 15);
    expect([next.phase, next.failureReason, next.failureMessage, line("Failed"), line("Creating")]).toEqual([
      "Failed",
      "VPCReadyTimeout",
      "CAPTCluster demo-net not ready within 15m: no error reported",
      "True VPCReadyTimeout",
      "False Failed",
    ]);
  });

  it("names the Secret that did not come, and the endpoint that is none", () => {
    const secretless = { chain: chain(workspace(ok, available)) };
    expect(said(planeWorld({ ...secretless, it: plane({}, begun(secretless)) }), 5).next.failureMessage).toBe(
      "Secret t1/s not ready within 5m: no error reported",
    );
    const wrong = { chain: done({ endpoint: "nonsense at all" }) };
    const { next } = said(planeWorld({ ...wrong, it: plane({}, begun(wrong)) }), 5);
    expect([next.failureReason, next.failureMessage]).toEqual([
      "InvalidEndpoint",
      "key endpoint of Secret t1/s is not a valid endpoint",
    ]);
  });

  it("9.5 a network that comes too late is offered, too, and whoever failed first is told the same way", () => {
    const failed = said(planeWorld({ ...waiting, it: plane({}, begun(waiting)) }), 15).next;
    const token = { is: "failed", named: "CAPTCluster demo-net", token: "VPCReadyTimeout" } as const;
    const both = said(planeWorld({ ...waiting, infrastructure: token, it: plane({}, begun(waiting)) }), 15).next;
    const settled = (from: object) =>
      said(planeWorld({ ...waiting, infrastructure: token, it: plane({}, from) }), 16).next.conditions;
    expect(settled(both)).toEqual(settled(failed));
    const none_ = { class: "None", isForeign: false } as const;
    const { of } = said(planeWorld({ chain: none_, it: plane({}, failed) }), 20);
    expect(of("RecoveryAvailable")?.message).toMatch(/^CAPTCluster demo-net became available after the timeout/);
  });

  it("TO-3 nothing is evaluated once it is initialised", () => {
    const world = planeWorld({ chain: chain("missing"), it: plane({}, initialised()) });
    expect(said(world, 60 * 24).next.failureReason).toBeUndefined();
  });

  it("9.5 what comes too late is offered, and after a reset it is ready at once", () => {
    const creating = { chain: chain(workspace(ok, ["False", "Creating"])) };
    const failed = said(planeWorld({ ...creating, it: plane({}, begun(creating)) }), 30).next;
    expect(failed.failureReason).toBe("WorkspaceReadyTimeout");
    const credentials: Credentials = { ...written, kubeconfigSecret: { is: "absent" } };
    const late = planeWorld({ chain: done(), credentials, it: plane({}, failed) });
    const offered = said(late, 40);
    expect([offered.line("RecoveryAvailable"), offered.next.phase, plan(late, at(40))]).toEqual([
      "True ReadyAfterTimeout",
      "Failed",
      { secrets: [], isSpotRoleWanted: false },
    ]);
    const stuck = plane({}, offered.next);
    const asked = { ...stuck, metadata: { ...stuck.metadata, annotations: { [annotations.resetFailure]: "1" } } };
    expect(plan({ ...late, it: asked }, at(41)).secrets).toHaveLength(1);
    const { next, line } = said({ ...ready, it: asked }, 41);
    expect([next.phase, next.failureReason, line("RecoveryAvailable")]).toEqual(["Ready", undefined, ""]);
  });
});
