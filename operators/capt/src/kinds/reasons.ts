// Conditions that several of our kinds have, said in the same words everywhere.
import { conditionColumn, neutral, no, on, positive, type Reason, unknown, yes } from "@telltale/kinds";

const inspect = "read the message; kubectl describe the Workspace that it names";
const lasting = "wait; a timeout ends it";

/** Of False: nothing was ever made. Of Unknown: what an earlier run made is not looked at any more. */
export const noRunner = on(
  ["False", "Unknown"],
  "No program runs Workspaces",
  "install tofu or terraform beside the operator and restart it, or install Crossplane's provider-terraform",
);

const notSimulated =
  "install tofu or terraform, or Crossplane's provider-terraform, and set --workspace-runner to auto";

/** Why what is True is not what it seems: a run was asked to be simulated, and nothing of it exists. */
export const simulatedReason = yes("Nothing of it is real: its runs are simulated", notSimulated);

/** On everything that rests on a simulated run, from the Workspace to the Cluster. */
export const simulated = neutral({
  means: "Nothing is real: the operator only pretends to run the module",
  present: "whenTrue",
  reasons: { Simulated: yes("--workspace-runner is simulated", notSimulated) },
});

/** The last of the columns: empty where something real was asked for. */
export const simulatedColumn = conditionColumn("SIMULATED", "Simulated");

/** Whether the last run of the Workspace went through. */
export const workspaceSynced = positive({
  means: "The last run of the Workspace went through",
  present: "onceSet",
  reasons: {
    ReconcileSuccess: yes("The last run went through"),
    ReconcileError: no("The last run failed", inspect),
    ReconcilePaused: no("The Workspace is paused", "take the annotation crossplane.io/paused off the Workspace"),
    ExternalCreatePending: no(
      "A first run was cut off, and the provider does not know what it made",
      "check what exists, then take crossplane.io/external-create-pending off the Workspace",
    ),
    NotYetReported: unknown("No run has ended yet", "wait; a first run may take 20 minutes"),
    RequestFailed: unknown("Requests to the API server keep failing: it is not known", "read the message"),
  },
});

/** Whether what the Workspace describes exists. */
/** Nobody has seen lately what there is, or nobody could look. */
export const notSeen = unknown(
  "Its runs fail for half an hour or longer: whether what the last good one left is still there is not known",
  inspect,
);
export const requestFailed = unknown("Requests to the API server keep failing: it is not known", "read the message");

export const workspaceReady = positive({
  means: "What the Workspace describes exists",
  present: "onceSet",
  reasons: {
    Available: yes("It exists"),
    Simulated: simulatedReason,
    Creating: no("It is being made", lasting),
    Unavailable: no("It exists and cannot be used", inspect),
    Deleting: no("It is being destroyed", "wait"),
    NotYetReported: on(["False", "Unknown"], "The Workspace says nothing of it", lasting),
    WorkspaceMissing: on(["False", "Unknown"], "The Workspace is gone", "wait: it is made again"),
    WorkspacePaused: unknown(
      "The Workspace is paused: nobody looks",
      "take the annotation crossplane.io/paused off the Workspace",
    ),
    NotSeen: notSeen,
    RequestFailed: requestFailed,
    WorkspaceNotCreated: unknown("The Workspace does not exist yet", "wait; the other conditions say for what"),
    // No clock runs meanwhile: nothing is being made.
    NoRunner: unknown(noRunner.means, noRunner.fix),
  },
});

export const connectionSecretReady = positive({
  means: "The Secret with the outputs of the run is there, with what we need",
  present: "onceSet",
  reasons: {
    SecretFound: yes("It is there"),
    WaitingForSecret: no("It is not there", "wait; if it lasts, check writeConnectionSecretToRef of the Workspace"),
    KeyMissing: no("It lacks an output that we need", "add the output to the module of the template"),
    WorkspaceNotReady: unknown("The Workspace is not ready, so nobody looks", "look at WorkspaceReady"),
    RequestFailed: requestFailed,
  },
});

export const recoveryAvailable = neutral({
  means: "What was waited for came after the timeout",
  present: "whenTrue",
  reasons: {
    ReadyAfterTimeout: yes(
      "It came too late, and nothing goes on by itself",
      "give the annotation capt.infrastructure.cluster.x-k8s.io/reset-failure a new value",
    ),
  },
});

export const paused = neutral({
  means: "Nobody works on this object",
  present: "onceSet",
  reasons: {
    Paused: yes(
      "Its Cluster or the object itself is paused",
      "set spec.paused of the Cluster to false, take the annotation cluster.x-k8s.io/paused away",
    ),
    NotPaused: no("It is worked on", "nothing to do"),
  },
});

type Waits = Readonly<Record<string, Reason<"True">>>;

/** What a deletion waits for differs; how it is said does not. */
export const deleting = <const R extends Waits>(waits: R) =>
  neutral({
    means: "The object is on its way out",
    present: "onceSet",
    reasons: {
      ...waits,
      DeletionCompleted: yes("Everything that it had made is gone"),
      NotDeleting: no("It is not", "nothing to do"),
    },
  });

/** False: its Workspace says so, or it was never ready. Unknown: it was, and nobody can tell how it is now. */
const toldOrNot = ["False", "Unknown"] as const;

/** Reasons that wait for the Workspace, or report on it. */
export const workspaceTrouble = {
  WorkspaceTemplateNotFound: no("The WorkspaceTemplate does not exist", "make it, or correct the reference"),
  WorkspaceNotReady: on(toldOrNot, "The Workspace is not ready", inspect),
  WorkspaceMissing: on(toldOrNot, "The Workspace is gone", "wait: it is made again"),
  WorkspacePaused: on(
    toldOrNot,
    "The Workspace is paused",
    "take the annotation crossplane.io/paused off the Workspace",
  ),
  NotSeen: notSeen,
  RequestFailed: requestFailed,
  WaitingForConnectionSecret: no(
    "The run went through and its Secret is not there yet",
    "wait; if it lasts, check writeConnectionSecretToRef of the Workspace",
  ),
  NoRunner: noRunner,
} as const;

/** How a failure that stays is ended. */
export const reset =
  "remove the cause, then edit the spec, or give the annotation capt.infrastructure.cluster.x-k8s.io/reset-failure a new value";

/** Why a wait was given up. */
export const timeouts = {
  VPCReadyTimeout: no("The network was not ready in time", reset),
  WorkspaceReadyTimeout: no("The Workspace was not ready in time", reset),
  SecretTimeout: no("The Secret with the outputs did not come in time", reset),
} as const;

export const workspaceFailures = {
  InvalidTemplate: no("The template renders to something that cannot be used", "correct the WorkspaceTemplate"),
  WorkspaceFailed: no("The run failed in a way that a retry does not mend", reset),
} as const;

/** The same reasons as reasons for True: for the condition that says that something failed. */
export function asFailed<const R extends Readonly<Record<string, Reason>>>(
  reasons: R,
): {
  readonly [N in keyof R]: Reason<"True">;
} {
  const entries = Object.entries(reasons).map(([name, { means, fix }]) => [name, yes(means, fix)] as const);
  // The names are those of the record that the type is made from.
  return Object.fromEntries(entries) as { readonly [N in keyof R]: Reason<"True"> };
}
