import { describe, expect, it } from "vitest";
import { apply, available, chain, condition, network, networkWorld, ok, workspace } from "../../test/worlds.ts";
import { annotations } from "../names.ts";
import { sketch } from "./sketch.ts";

const provisioned = { ready: true, vpcId: "vpc-1", vpcWorkspaceName: "w", initialization: { provisioned: true } };
const was = network({}, provisioned);
const error = workspace(["False", "ReconcileError", "no quota"], undefined);
const degraded = workspace(["False", "ReconcileError", "drift"], available);
const creating = workspace(ok, ["False", "Creating"]);
const pending = workspace(undefined, undefined);
const unavailable = workspace(ok, ["False", "Unavailable"]);
const paused = workspace(["False", "ReconcilePaused"], available);
const deleting = workspace(ok, ["False", "Deleting"]);
const done = workspace(ok, available);

/** What a row says, in one line for each condition. */
function told(world: ReturnType<typeof networkWorld>) {
  const { row, vpc, creating: making, below, ready, again, failure, vpcId } = sketch(world);
  const line = (it: { status: string; reason: string } | undefined) =>
    it === undefined ? undefined : `${it.status} ${it.reason}`;
  const of = (type: string) => (below === "omit" ? "omitted" : line(below.find((it) => it.type === type)));
  return {
    row,
    vpc: line(vpc),
    message: vpc?.message,
    creating: line(making),
    workspace: of("WorkspaceReady"),
    secret: of("ConnectionSecretReady"),
    ready,
    again,
    ...(failure === undefined ? {} : { token: failure.token }),
    ...(vpcId === undefined ? {} : { vpcId }),
  };
}

describe("the rows of 3.6.2 before the network was ever there", () => {
  it("C1 CC-V1 CC-V2 a spec that contradicts itself fails for good", () => {
    const both = networkWorld({ it: network({ existingVpcId: "vpc-2" }) });
    expect(told(both)).toMatchObject({
      row: "C1",
      vpc: "False InvalidVPCConfig",
      message: "vpcTemplateRef and existingVpcId are mutually exclusive",
      creating: "False VPCFailed",
      workspace: "omitted",
      ready: false,
      token: "InvalidVPCConfig",
      again: undefined,
    });
    const neither = networkWorld({ it: network({ vpcTemplateRef: undefined }) });
    expect(told(neither).message).toBe("one of vpcTemplateRef or existingVpcId is required");
    const kept = networkWorld({
      it: network({ vpcTemplateRef: undefined, existingVpcId: "vpc-2", retainVpcOnDelete: true }),
    });
    expect(told(kept).message).toBe("retainVpcOnDelete requires vpcTemplateRef");
  });

  it("C3 a network that was there before is used, and nothing is said of a Workspace", () => {
    expect(told(networkWorld({ it: network({ vpcTemplateRef: undefined, existingVpcId: "vpc-9" }) }))).toEqual({
      row: "C3",
      vpc: "True ExistingVPCUsed",
      message: "using VPC vpc-9 as spec.existingVpcId says; whether it exists is not looked at",
      creating: "False ExistingVPCUsed",
      workspace: "omitted",
      secret: "omitted",
      ready: true,
      again: 600_000,
      vpcId: "vpc-9",
    });
  });

  const building = { creating: "True VPCCreating", ready: false, again: 10_000 };
  const unmade = { ...building, workspace: "Unknown WorkspaceNotCreated", secret: "Unknown WorkspaceNotReady" };
  const none = { class: "None", isForeign: false } as const;

  it("C4 without a template nothing can be made, and the clock runs", () => {
    const world = networkWorld({ hasTemplate: false, chain: none });
    const message = "WorkspaceTemplate t1/vpc not found";
    expect(told(world)).toEqual({ row: "C4", vpc: "False WorkspaceTemplateNotFound", message, ...unmade });
  });

  it("C5 an apply is about to be made", () => {
    const message = "applying workspace not created yet";
    expect(told(networkWorld({ chain: none }))).toEqual({ row: "C5", vpc: "False VPCCreating", message, ...unmade });
  });

  it("C5 a name that somebody else has is said like the refusal that it would be", () => {
    const world = networkWorld({ chain: { ...none, isForeign: true } });
    expect(told(world)).toMatchObject({ row: "C5", vpc: "False VPCReconciliationFailed" });
  });

  it("C6 there is an apply and no Workspace yet", () => {
    expect(told(networkWorld())).toMatchObject({ row: "C6", vpc: "False VPCCreating", ...unmade });
    const conditions = [condition("DependenciesReady", "False", "WaitingForSecrets", "missing t1/a")];
    const waiting = networkWorld({ chain: chain(undefined, { apply: apply({ conditions }) }) });
    expect(told(waiting)).toMatchObject({ row: "C6", vpc: "False WaitingForDependencies", message: "missing t1/a" });
    const lost = [condition("TemplateResolved", "False", "WorkspaceTemplateNotFound")];
    const missing = networkWorld({ chain: chain(undefined, { apply: apply({ conditions: lost }) }) });
    expect(told(missing)).toMatchObject({ row: "C6", vpc: "False WorkspaceTemplateNotFound" });
    expect(sketch(missing).failure).toBeUndefined();
  });

  it.each([
    ["C7", pending, "False VPCCreating", "False NotYetReported"],
    ["C7", creating, "False VPCCreating", "False Creating"],
    ["C7b", paused, "False WorkspacePaused", "Unknown WorkspacePaused"],
    ["C7b", unavailable, "False WorkspaceNotReady", "False Unavailable"],
    ["C7b", deleting, "False WorkspaceNotReady", "False Deleting"],
    ["C7b", "missing" as const, "False WorkspaceMissing", "False WorkspaceMissing"],
    ["C8", error, "False VPCCreationFailed", "False NotYetReported"],
    ["C8", degraded, "False VPCCreationFailed", "True Available"],
  ] as const)("%s a Workspace that is not available is waited for", (row, found, vpc, ready) => {
    const world = networkWorld({ chain: chain(found) });
    expect(told(world)).toMatchObject({ row, vpc, workspace: ready, secret: "Unknown WorkspaceNotReady", ...building });
    expect(sketch(world).failure).toBeUndefined();
  });

  it("C8 the message is the Workspace's own", () => {
    expect(told(networkWorld({ chain: chain(error) })).message).toBe("workspace w: no quota");
  });

  it("C9 without the Secret nothing is ready, even if the outputs have the id", () => {
    const shown = workspace(ok, available, {}, { vpc_id: "vpc-1" });
    expect(told(networkWorld({ chain: chain(shown) }))).toEqual({
      row: "C9",
      vpc: "False WaitingForConnectionSecret",
      message: "workspace w is available, Secret t1/s not found yet",
      workspace: "True Available",
      secret: "False WaitingForSecret",
      ...building,
    });
  });

  it("C10 without an id nothing is ready", () => {
    for (const data of [{}, { vpc_id: " " }]) {
      expect(told(networkWorld({ chain: chain(done, { data }) }))).toMatchObject({
        row: "C10",
        vpc: "False VPCIDNotFound",
        message: "key vpc_id not found in Secret t1/s nor in the outputs of workspace w",
        secret: "False KeyMissing",
        ...building,
      });
    }
  });

  it("C11 CC-5 the id is the Secret's, trimmed, else the output's", () => {
    const shown = workspace(ok, available, {}, { vpc_id: "vpc-output" });
    expect(told(networkWorld({ chain: chain(shown, { data: { vpc_id: " vpc-1\n" } }) }))).toEqual({
      row: "C11",
      vpc: "True VPCCreated",
      message: "VPC vpc-1 is available",
      creating: "False VPCCreated",
      workspace: "True Available",
      secret: "True SecretFound",
      ready: true,
      again: 300_000,
      vpcId: "vpc-1",
    });
    expect(told(networkWorld({ chain: chain(shown, { data: {} }) })).vpcId).toBe("vpc-output");
    const number = workspace(ok, available, {}, { vpc_id: 7 });
    expect(told(networkWorld({ chain: chain(number, { data: {} }) })).row).toBe("C10");
  });
});

describe("the rows of 3.6.2 once the network was there", () => {
  it("C2 CC-V3 a contradiction is told by Ready, and the network is looked at all the same", () => {
    const it = network({ vpcTemplateRef: undefined, existingVpcId: "vpc-2" }, provisioned);
    const { wrong, failure } = sketch(networkWorld({ it, chain: chain(degraded) }));
    expect([wrong, failure]).toEqual(["the VPC source cannot change after provisioning", undefined]);
    expect(told(networkWorld({ it, chain: chain(degraded) }))).toMatchObject({
      row: "C2",
      vpc: "True VPCCreated",
      ready: true,
    });
    const missing = { row: "C2", vpc: "Unknown WorkspaceMissing", ready: "unknown" };
    expect(told(networkWorld({ it, chain: chain("missing") }))).toMatchObject(missing);
    const { vpcWorkspaceName: _none, ...given } = provisioned as Record<string, unknown>;
    const bare = network({ vpcTemplateRef: { name: "vpc" }, existingVpcId: "vpc-2" }, given);
    expect(told(networkWorld({ it: bare }))).toMatchObject({ row: "C2", vpc: "Unknown InvalidVPCConfig" });
  });

  it("C12 a failed run leaves it ready", () => {
    expect(told(networkWorld({ it: was, chain: chain(degraded, { data: { vpc_id: "vpc-1" } }) }))).toMatchObject({
      row: "C12",
      vpc: "True VPCCreated",
      ready: true,
      secret: "True SecretFound",
      again: 60_000,
    });
  });

  it.each([
    [unavailable, "False WorkspaceNotReady", false],
    [creating, "False WorkspaceNotReady", false],
    [deleting, "False WorkspaceNotReady", false],
    // Its Workspace does not say so: it may be as it was.
    [pending, "Unknown WorkspaceNotReady", "unknown"],
    [error, "Unknown NotSeen", "unknown"],
    [paused, "Unknown WorkspacePaused", "unknown"],
  ])("C13 it is not ready while its Workspace is not, and is not made again", (found, vpc, ready) => {
    const world = networkWorld({ it: was, chain: chain(found) });
    expect(told(world)).toMatchObject({ row: "C13", vpc, ready, creating: "False VPCCreated", again: 60_000 });
  });

  it("C14 a Workspace that is gone is missed", () => {
    expect(told(networkWorld({ it: was, chain: chain("missing") }))).toMatchObject({
      row: "C14",
      vpc: "Unknown WorkspaceMissing",
      message: "workspace w no longer exists",
      workspace: "Unknown WorkspaceMissing",
      secret: "Unknown WorkspaceNotReady",
      ready: "unknown",
    });
  });

  it("C15 a Secret that is gone, or lacks the key, makes nothing unready", () => {
    expect(told(networkWorld({ it: was, chain: chain(done) }))).toMatchObject({
      row: "C15",
      vpc: "True VPCCreated",
      message: "VPC vpc-1 is available",
      secret: "False WaitingForSecret",
      ready: true,
    });
    const empty = networkWorld({ it: was, chain: chain(done, { data: {} }) });
    expect(told(empty)).toMatchObject({ row: "C15", secret: "False KeyMissing", ready: true });
  });
});

describe("CC-T1 what fails for good", () => {
  const hopeless = workspace(["False", "ReconcileError", "InvalidConfiguration: no such block"], undefined, {
    annotations: { [annotations.errorClass]: "InvalidConfiguration" },
  });
  const refused = apply({ conditions: [condition("TemplateResolved", "False", "UnsafeVariable", "variable x")] });

  it("is a run that the runner gave up on, and a template that cannot be rendered", () => {
    expect(sketch(networkWorld({ chain: chain(hopeless) })).failure).toEqual({
      token: "WorkspaceFailed",
      message: "workspace w: InvalidConfiguration: no such block",
    });
    const failure = sketch(networkWorld({ chain: chain(undefined, { apply: refused }) })).failure;
    expect(failure).toEqual({ token: "InvalidTemplate", message: "variable x" });
  });

  it("is not what was said of an older apply", () => {
    const stale = { ...refused, metadata: { ...refused.metadata, generation: 2 } };
    expect(sketch(networkWorld({ chain: chain(undefined, { apply: stale }) })).failure).toBeUndefined();
    const edited = { ...apply(), metadata: { ...refused.metadata, generation: 2 } };
    expect(sketch(networkWorld({ chain: chain(hopeless, { apply: edited }) })).failure).toBeUndefined();
  });

  it("is nothing once the network was there", () => {
    expect(sketch(networkWorld({ it: was, chain: chain(hopeless, { apply: refused }) })).failure).toBeUndefined();
  });
});
