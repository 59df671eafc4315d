// The closed lists of the specification: what each kind may say, and in which order.
import type { Kind } from "@telltale/kinds";
import { describe, expect, test } from "vitest";
import {
  CAPTCluster,
  CAPTControlPlane,
  CaptMachine,
  CaptMachineDeployment,
  CaptMachineSet,
  Workspace,
  WorkspaceTemplate,
  WorkspaceTemplateApply,
} from "./index.ts";

const ours: readonly Kind[] = [
  CAPTCluster,
  CAPTControlPlane,
  WorkspaceTemplate,
  WorkspaceTemplateApply,
  CaptMachine,
  CaptMachineSet,
  CaptMachineDeployment,
];

/** Reasons of a condition by status, in alphabetical order. `ReconcileFailed` is every kind's. */
function reasonsOf(kind: Kind, type: string): Record<string, string[]> {
  const by: Record<string, string[]> = {};
  for (const [reason, { on }] of Object.entries(kind.conditions.types[type]?.reasons ?? {})) {
    if (reason === "ReconcileFailed") continue;
    for (const status of on) by[status] = [...(by[status] ?? []), reason].sort();
  }
  return by;
}
const words = (text: string) => text.split(" ").sort();

test.each(ours.map((kind) => [kind.kind, kind] as const))(
  "API-7 %s lists Available and Ready first, Paused and Deleting last, and the others by name",
  (_, kind) => {
    const types = Object.keys(kind.conditions.types);
    const [first, last] = [
      ["Available", "Ready"],
      ["Paused", "Deleting"],
    ];
    const middle = types.filter((type) => ![...first, ...last].includes(type));
    const wanted = [...first, ...middle.sort(), ...last].filter((type) => types.includes(type));
    expect(types).toEqual(wanted);
    expect(kind.conditions.order).toBe("declared");
  },
);

test.each(ours.map((kind) => [kind.kind, kind] as const))(
  "every reason of %s has a meaning, and a way out where it is not good",
  (_, kind) => {
    for (const [type, { reasons, polarity }] of Object.entries(kind.conditions.types)) {
      for (const [reason, { means, fix, on }] of Object.entries(reasons)) {
        expect(means, `${type} ${reason}`).not.toBe("");
        const isGood = polarity === "neutral" || on.includes(polarity === "positive" ? "True" : "False");
        if (!isGood) expect(fix, `${type} ${reason}`).not.toBe("nothing to do");
      }
    }
  },
);

const workspaceSynced = {
  True: ["ReconcileSuccess"],
  False: words("ReconcileError ReconcilePaused ExternalCreatePending"),
  Unknown: words("NotYetReported RequestFailed"),
};
/** What was ready once, and of which nobody can tell how it is now. */
const notKnown = "WorkspaceNotReady WorkspaceMissing WorkspacePaused NotSeen RequestFailed NoRunner";
const workspaceReady = {
  True: words("Available Simulated"),
  False: words("Creating Unavailable Deleting NotYetReported WorkspaceMissing"),
  Unknown: words("NoRunner WorkspaceNotCreated NotYetReported WorkspaceMissing WorkspacePaused NotSeen RequestFailed"),
};
const connectionSecretReady = {
  True: ["SecretFound"],
  False: words("WaitingForSecret KeyMissing"),
  Unknown: words("WorkspaceNotReady RequestFailed"),
};

describe("3.4 a CAPTCluster", () => {
  const terminal =
    "InvalidVPCConfig InvalidTemplate VPCReadyTimeout WorkspaceReadyTimeout SecretTimeout WorkspaceFailed";
  const waiting =
    "VPCCreating VPCCreationFailed WorkspaceTemplateNotFound WaitingForDependencies WaitingForConnectionSecret VPCIDNotFound WorkspaceNotReady WorkspaceMissing WorkspacePaused VPCReconciliationFailed NoRunner";

  test.each([
    [
      "Ready",
      {
        True: words("Ready Simulated"),
        False: words(`${waiting} ${terminal} Deleting`),
        Unknown: words(`VPCReconciliationFailed InvalidVPCConfig ${notKnown}`),
      },
    ],
    [
      "VPCReady",
      {
        True: words("VPCCreated Simulated ExistingVPCUsed"),
        False: words(`${waiting} ${terminal}`),
        Unknown: words(`VPCReconciliationFailed InvalidVPCConfig ${notKnown}`),
      },
    ],
    ["VPCCreating", { True: ["VPCCreating"], False: words("VPCCreated ExistingVPCUsed VPCFailed NoRunner") }],
    ["VPCFailed", { True: words(terminal), False: ["NotFailed"] }],
    ["WorkspaceSynced", workspaceSynced],
    ["WorkspaceReady", workspaceReady],
    ["ConnectionSecretReady", connectionSecretReady],
    ["EndpointReady", { True: words("EndpointProvided ClusterEndpointUsed"), False: ["WaitingForEndpoint"] }],
    ["RecoveryAvailable", { True: ["ReadyAfterTimeout"] }],
    ["Paused", { True: ["Paused"], False: ["NotPaused"] }],
    [
      "Deleting",
      {
        True: words(
          "WaitingForControlPlaneDeletion WaitingForMachineDeletion WaitingForWorkspaceTemplateApplyDeletion VPCRetained DeletionCompleted",
        ),
        False: ["NotDeleting"],
      },
    ],
  ])("says of %s what the table has", (type, reasons) => {
    expect(reasonsOf(CAPTCluster, type)).toEqual(reasons);
  });

  test("has no other condition", () => {
    expect(Object.keys(CAPTCluster.conditions.types)).toHaveLength(12);
  });
});

describe("4.4 a CAPTControlPlane", () => {
  const terminal =
    "InvalidTemplate VPCReadyTimeout ControlPlaneTimeout WorkspaceReadyTimeout SecretTimeout InvalidEndpoint WorkspaceFailed";
  const notReady = words(
    `Creating WaitingForVPC WorkspaceError WorkspaceTemplateNotFound WorkspaceNotReady WorkspaceMissing WorkspacePaused WaitingForConnectionSecret EndpointNotReady WaitingForKubeconfig Deleting NoRunner ${terminal}`,
  );

  test.each([
    ["Ready", { True: words("Ready Simulated"), False: notReady, Unknown: words(notKnown) }],
    ["Available", { True: words("Available Simulated"), False: notReady, Unknown: words(notKnown) }],
    ["Initialized", { True: ["Initialized"], False: notReady, Unknown: words(notKnown) }],
    ["Failed", { True: words(terminal), False: ["NotFailed"] }],
    ["Creating", { True: words("Creating WaitingForVPC"), False: words("Ready Failed NoRunner") }],
    [
      "InfrastructureReady",
      {
        True: words("InfrastructureReady Simulated NoInfrastructureRef"),
        False: words("WaitingForVPC InfrastructureNotReady InfrastructureFailed"),
        Unknown: words("InfrastructureNotReady NoRunner"),
      },
    ],
    ["WorkspaceSynced", workspaceSynced],
    ["WorkspaceReady", workspaceReady],
    ["ConnectionSecretReady", connectionSecretReady],
    [
      "EndpointReady",
      {
        True: words("EndpointProvided ClusterEndpointUsed"),
        False: words("EndpointNotReady InvalidEndpoint"),
        Unknown: words("WorkspaceNotReady RequestFailed"),
      },
    ],
    [
      "KubeconfigReady",
      {
        True: words("KubeconfigWritten UserProvided"),
        False: words("WaitingForKubeconfig InvalidKubeconfig"),
        Unknown: words("EndpointNotReady RequestFailed"),
      },
    ],
    [
      "CertificatesAvailable",
      {
        True: words("CertificateWritten NotProvided"),
        False: words("InvalidCertificate WaitingForCertificate"),
        Unknown: words("WorkspaceNotReady RequestFailed"),
      },
    ],
    ["RollingOut", { True: ["RollingOut"], False: words("NotRollingOut VersionDowngradeRefused") }],
    ["RecoveryAvailable", { True: ["ReadyAfterTimeout"] }],
    ["Paused", { True: ["Paused"], False: ["NotPaused"] }],
    [
      "Deleting",
      {
        True: words("WaitingForKubeconfigWorkspaceDeletion WaitingForWorkspaceDeletion DeletionCompleted"),
        False: ["NotDeleting"],
      },
    ],
  ])("says of %s what the table has", (type, reasons) => {
    expect(reasonsOf(CAPTControlPlane, type)).toEqual(reasons);
  });

  test("has no other condition, and the three phases", () => {
    expect(Object.keys(CAPTControlPlane.conditions.types)).toHaveLength(17);
    expect(CAPTControlPlane.phases?.names).toEqual(["Creating", "Ready", "Failed"]);
  });
});

describe("6.2 a WorkspaceTemplateApply", () => {
  test.each([
    [
      "TemplateResolved",
      {
        True: ["TemplateResolved"],
        False: words("WorkspaceTemplateNotFound InvalidTemplate UnsafeVariable NamespaceNotAllowed"),
      },
    ],
    [
      "DependenciesReady",
      { True: ["DependenciesReady"], False: words("WaitingForSecrets WaitingForWorkspace DependencyCycle") },
    ],
    ["Applied", { True: ["Applied"], False: words("NotApplied WorkspaceNameConflict Held"), Unknown: ["NotRendered"] }],
  ])("says of %s what the table has", (type, reasons) => {
    expect(reasonsOf(WorkspaceTemplateApply, type)).toEqual(reasons);
  });

  test.each(["Synced", "Ready"])("repeats %s of its Workspace, whatever the reason", (type) => {
    expect(WorkspaceTemplateApply.conditions.types).toMatchObject({ [type]: { form: "mirrored" } });
  });
});

test("6.1 a WorkspaceTemplate is valid or not", () => {
  expect(reasonsOf(WorkspaceTemplate, "Valid")).toEqual({ True: ["Valid"], False: ["InvalidTemplate"] });
});

test("7.2 a Workspace says what the provider's says, and whether it is simulated", () => {
  expect(reasonsOf(Workspace, "Synced")).toEqual({
    True: ["ReconcileSuccess"],
    False: words("ReconcileError ReconcilePaused"),
  });
  expect(reasonsOf(Workspace, "Ready")).toEqual({
    True: words("Available Simulated"),
    False: words("Unavailable Creating Deleting NoRunner"),
    Unknown: words("NoRunner NotSeen ReconcilePaused"),
  });
  expect(Workspace.conditions.types.Simulated).toMatchObject({ present: "whenTrue" });
});
