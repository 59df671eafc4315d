// Workspace: one Terraform working directory with state. The kind is Crossplane's; we make its objects, and run them where
// nobody else does. Its CRD is for servers that lack it.
import {
  Anything,
  column,
  conditionColumn,
  conditions,
  Dictionary,
  defineKind,
  Enum,
  Fields,
  Int32,
  no,
  Optional,
  positive,
  type Resource,
  type Scope,
  Text,
  unknown,
  yes,
} from "@telltale/kinds";
import { finalizers, terraformGroup } from "../names.ts";
import { keepStatus } from "./failures.ts";
import { noRunner, notSeen, simulated, simulatedColumn, simulatedReason } from "./reasons.ts";
import { WorkspaceSpec } from "./workspace-spec.ts";

const status = Fields({
  atProvider: Fields({
    outputs: Optional(Dictionary(Anything(), { maxProperties: 4096, description: "All but the sensitive ones" })),
    checksum: Optional(Text({ maxLength: 256 })),
    progress: Optional(
      Fields({
        operation: Optional(Enum(["apply", "destroy"])),
        total: Optional(Int32({ minimum: 0 })),
        done: Optional(Int32({ minimum: 0 })),
        current: Optional(Text({ maxLength: 1024, description: "The address of a resource, never a value" })),
      }),
    ),
  }),
});

/** The provider's kind has no namespace; a server may have one that does, and discovery says which (6.4). */
const workspaceKind = (scope: Scope) =>
  defineKind({
    group: terraformGroup,
    version: "v1beta1",
    kind: "Workspace",
    scope,
    categories: ["crossplane", "managed", "terraform"],
    description: "One Terraform working directory with state.",
    spec: WorkspaceSpec,
    status,
    conditions: conditions(
      {
        Ready: positive({
          means: "What the module describes exists",
          present: "onceSet",
          reasons: {
            Available: yes("It exists"),
            Simulated: simulatedReason,
            Unavailable: no("It exists and cannot be used", "look at Synced"),
            Creating: no("It is being made", "wait"),
            Deleting: no("It is being destroyed", "wait; if it lasts, look at Synced"),
            NoRunner: noRunner,
            NotSeen: notSeen,
            ReconcilePaused: unknown(
              "The Workspace is paused: nobody looks",
              "take the annotation crossplane.io/paused away",
            ),
          },
        }),
        Simulated: simulated,
        Synced: positive({
          means: "The last run went through",
          present: "onceSet",
          reasons: {
            ReconcileSuccess: yes("It did"),
            ReconcileError: no("It failed", "the message begins with the class of the error; correct the module"),
            ReconcilePaused: no("The Workspace is paused", "take the annotation crossplane.io/paused away"),
          },
        }),
      },
      // The provider leaves messages out where it has none to give.
      { shape: "plain" },
    ),
    generation: "onSuccess",
    memory: ["atProvider", "observedGeneration", "conditions.Ready", "conditions.Synced"],
    volatile: ["atProvider.progress"],
    failures: keepStatus,
    columns: [
      conditionColumn("SYNCED", "Synced"),
      conditionColumn("READY", "Ready"),
      column("AGE", ".metadata.creationTimestamp", "date"),
      simulatedColumn,
    ],
    finalizer: finalizers.workspaceRunner,
  });

export const Workspace = workspaceKind("Cluster");
export const NamespacedWorkspace = workspaceKind("Namespaced");
export type Workspace = Resource<typeof Workspace>;
export type WorkspaceStatus = NonNullable<Workspace["status"]>;
