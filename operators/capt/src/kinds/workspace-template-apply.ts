// WorkspaceTemplateApply: this template, with these variables, once. It becomes a Workspace, and repeats what that says.
import {
  column,
  conditions,
  Dictionary,
  defineKind,
  Fields,
  Flag,
  List,
  mirrored,
  no,
  Optional,
  positive,
  type Resource,
  Text,
  Time,
  unknown,
  yes,
} from "@telltale/kinds";
import { finalizers, infrastructureGroup } from "../names.ts";
import { keepStatus } from "./failures.ts";
import { templateRef } from "./fields.ts";
import { infrastructure } from "./labels.ts";
import { deleting, paused, simulated, simulatedColumn, workspaceFailures } from "./reasons.ts";
import { secretRef } from "./workspace-spec.ts";

const named = () =>
  Fields({
    name: Text({ minLength: 1 }),
    namespace: Optional(Text({ description: "Absent: that of this object" })),
  });

const spec = Fields({
  templateRef: templateRef(),
  writeConnectionSecretToRef: Optional(secretRef()),
  variables: Optional(Dictionary(Text())),
  waitForSecrets: Optional(List(named())),
  waitForWorkspaces: Optional(
    List(named(), { description: "Other applies, or Workspaces, that have to be ready before the first run" }),
  ),
  retainWorkspaceOnDelete: Optional(Flag({ default: false })),
});

export const WorkspaceTemplateApply = defineKind({
  group: infrastructureGroup,
  version: "v1beta1",
  kind: "WorkspaceTemplateApply",
  plural: "workspacetemplateapplies",
  shortNames: ["wtapply"],
  categories: ["capt", "terraform"],
  description: "A WorkspaceTemplate with values for its blanks: it becomes a Workspace.",
  spec,
  status: Fields({
    workspaceName: Text({ maxLength: 253 }),
    applied: Flag({
      description: "Whether the Workspace exists; the condition Applied says whether it is as rendered",
    }),
    lastAppliedTime: Time({ description: "When we last made or changed the Workspace" }),
    revision: Text({ maxLength: 64, description: "A hash of the rendered spec" }),
  }),
  conditions: conditions({
    Ready: mirrored({ means: "The Workspace's own: what it describes exists", present: "onceSet" }),
    Applied: positive({
      means: "The Workspace is what the template says",
      present: "onceSet",
      reasons: {
        Applied: yes("It is"),
        NotApplied: no(
          "The Workspace does not exist, or is not what the template says",
          "the other conditions say why",
        ),
        NotRendered: unknown(
          "The Workspace exists, and the template cannot be rendered: what it should be is not known",
          "look at TemplateResolved",
        ),
        WorkspaceNameConflict: no(
          "A Workspace of that name belongs to somebody else",
          "rename this object, or set the annotation capt.infrastructure.cluster.x-k8s.io/adopt-workspace to true",
        ),
        Held: no(
          "A change waits, because an annotation holds it",
          "take the annotation capt.infrastructure.cluster.x-k8s.io/hold-revision away to let it through",
        ),
      },
    }),
    DependenciesReady: positive({
      means: "What the first run needs is there",
      present: "onceSet",
      reasons: {
        DependenciesReady: yes("It is"),
        WaitingForSecrets: no("Secrets are missing", "make those that the message names"),
        WaitingForWorkspace: no("Other Workspaces are not ready", "look at those that the message names"),
        DependencyCycle: no("It waits for itself", "take one of the names out of spec.waitForWorkspaces"),
      },
    }),
    Simulated: simulated,
    Synced: mirrored({ means: "The Workspace's own: its last run went through", present: "onceSet" }),
    TemplateResolved: positive({
      means: "The template is there and can be rendered",
      present: "onceSet",
      reasons: {
        TemplateResolved: yes("It is"),
        WorkspaceTemplateNotFound: no("The WorkspaceTemplate does not exist", "make it, or correct spec.templateRef"),
        InvalidTemplate: workspaceFailures.InvalidTemplate,
        UnsafeVariable: no(
          "The value of a variable would become code in the module",
          "use letters, digits, spaces and ._:/@+=,- only, or pass it through forProvider.vars",
        ),
        NamespaceNotAllowed: no(
          "It would reach into another namespace",
          "stay in this namespace, label the template as shared, or add to --allowed-secret-namespaces",
        ),
      },
    }),
    Paused: paused,
    Deleting: deleting({
      WaitingForWorkspaceDeletion: yes("The Workspace is being destroyed", "wait; read the message"),
    }),
  }),
  generation: "onSuccess",
  memory: ["workspaceName", "applied", "lastAppliedTime", "revision", "observedGeneration", "conditions.Applied"],
  failures: keepStatus,
  columns: [
    column("WORKSPACE", ".status.workspaceName"),
    column("APPLIED", ".status.applied", "boolean"),
    column("AGE", ".metadata.creationTimestamp", "date"),
    simulatedColumn,
  ],
  finalizer: finalizers.workspaceTemplateApply,
  crdLabels: infrastructure,
});
export type WorkspaceTemplateApply = Resource<typeof WorkspaceTemplateApply>;
export type WorkspaceTemplateApplyStatus = NonNullable<WorkspaceTemplateApply["status"]>;
