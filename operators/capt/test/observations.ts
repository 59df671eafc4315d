// What each condition that can be True rests on, how old that may be, and what ends it: the table of docs/observations.md, and of the
// test that takes each observation away.
import type { Kind } from "@telltale/kinds";
import {
  CAPTCluster,
  CAPTControlPlane,
  CaptMachine,
  CaptMachineDeployment,
  CaptMachineSet,
  ClusterV1beta1,
  ClusterV1beta2,
  Workspace,
  WorkspaceTemplate,
  WorkspaceTemplateApply,
} from "../src/kinds/index.ts";

/** Ways to take an observation away: see `observations.test.ts`. */
export type Away =
  | "it is made"
  | "its Workspace is gone"
  | "its Workspace is paused"
  | "its runs fail for half an hour"
  | "no program runs its Workspace"
  | "requests for its Workspace fail"
  | "the Secret with its outputs is gone"
  | "its Workspace is not simulated any more"
  | "its endpoint is taken out"
  | "the change is applied"
  | "a person resets the failure"
  | "a person ends the pause"
  | "its template is gone"
  | "its template is edited to one that cannot be rendered"
  | "the runs of the Workspace fail for half an hour"
  | "the Workspace is paused by a person"
  | "the program that ran it is not there any more"
  | "another program takes the place of the simulated one";

export interface Observation {
  readonly kind: Kind;
  readonly condition: string;
  readonly restsOn: string;
  readonly age: string;
  /** What ends it, one way after the other. */
  readonly ends: readonly Away[];
  /** Why nothing ends it. */
  readonly lasts?: string;
}

const workspaceAge = "as that of the Workspace; it is read at each look, every 5 minutes and when it changes";
const written = "at once: it is the object itself that says so";
const cached = "at once: from the watch";

const lost: readonly Away[] = [
  "its Workspace is gone",
  "its Workspace is paused",
  "its runs fail for half an hour",
  "no program runs its Workspace",
  "requests for its Workspace fail",
];

const rest = (kind: Kind, condition: string, restsOn: string, age: string, ends: readonly Away[]): Observation => ({
  kind,
  condition,
  restsOn,
  age,
  ends,
});

const ordered = (kind: Kind): readonly Observation[] => [
  rest(kind, "Paused", "`spec.paused` of its Cluster, or its own annotation", cached, ["a person ends the pause"]),
  {
    ...rest(kind, "Deleting", "its deletionTimestamp; the message is what was seen at the last look", "10 seconds", []),
    lasts: "it ends with the object",
  },
];

const simulated = (kind: Kind): Observation =>
  rest(kind, "Simulated", "the condition `Simulated` of a Workspace below it", workspaceAge, [
    "its Workspace is not simulated any more",
  ]);

export const observations: readonly Observation[] = [
  rest(
    CAPTCluster,
    "Ready",
    "as `VPCReady`. With `existingVpcId` the spec alone: nobody looks whether that network exists, and the message says so",
    workspaceAge,
    lost,
  ),
  rest(CAPTCluster, "VPCReady", "`Ready` of its Workspace, and the output `vpc_id`", workspaceAge, lost),
  rest(CAPTCluster, "WorkspaceReady", "`Ready` of its Workspace", workspaceAge, lost),
  rest(CAPTCluster, "WorkspaceSynced", "`Synced` of its Workspace", workspaceAge, lost),
  rest(
    CAPTCluster,
    "ConnectionSecretReady",
    "the Secret with the outputs, read while the Workspace is ready",
    "5 minutes",
    [...lost, "the Secret with its outputs is gone"],
  ),
  rest(
    CAPTCluster,
    "EndpointReady",
    "an endpoint in its spec or in that of its Cluster; nobody connects to it",
    "5 minutes",
    ["its endpoint is taken out"],
  ),
  rest(CAPTCluster, "VPCCreating", "its network was never ready, and has not failed", written, ["it is made"]),
  rest(CAPTCluster, "VPCFailed", "`status.failureReason`", written, ["a person resets the failure"]),
  rest(CAPTCluster, "RecoveryAvailable", "as `VPCReady`, after a timeout", "1 minute", ["its Workspace is gone"]),
  simulated(CAPTCluster),
  ...ordered(CAPTCluster),

  rest(
    CAPTControlPlane,
    "Ready",
    "`Ready` of its Workspace, and that it could be used once; nobody connects to its endpoint",
    "as that of the Workspace; it is read every minute and when it changes",
    lost,
  ),
  rest(CAPTControlPlane, "Available", "as `Ready`", "as `Ready`", lost),
  rest(CAPTControlPlane, "WorkspaceReady", "`Ready` of its Workspace", workspaceAge, lost),
  rest(CAPTControlPlane, "WorkspaceSynced", "`Synced` of its Workspace", workspaceAge, lost),
  rest(
    CAPTControlPlane,
    "ConnectionSecretReady",
    "the Secret with the outputs, read while the Workspace is ready",
    "1 minute",
    [...lost, "the Secret with its outputs is gone"],
  ),
  rest(CAPTControlPlane, "EndpointReady", "the Secret with the outputs, the spec, the Cluster", "1 minute", [
    ...lost,
    "the Secret with its outputs is gone",
  ]),
  rest(
    CAPTControlPlane,
    "KubeconfigReady",
    "the Secret that others read, and the outputs that it is made of",
    "1 minute",
    [...lost, "the Secret with its outputs is gone"],
  ),
  rest(
    CAPTControlPlane,
    "CertificatesAvailable",
    "the Secret that others read, and the outputs; without such an output nothing is waited for",
    "1 minute",
    [...lost, "the Secret with its outputs is gone"],
  ),
  rest(
    CAPTControlPlane,
    "InfrastructureReady",
    "`Ready` of the CAPTCluster; of another provider's network what the Cluster says",
    "as that of the CAPTCluster; it is read every minute",
    lost,
  ),
  {
    ...rest(CAPTControlPlane, "Initialized", "`status.initialized`: it could be used once", "as long as it exists", []),
    lasts: "it tells of the past; `Ready` tells how it is",
  },
  rest(CAPTControlPlane, "Creating", "it was never ready, and has not failed", written, ["it is made"]),
  rest(CAPTControlPlane, "Failed", "`status.failureReason`", written, ["a person resets the failure"]),
  rest(CAPTControlPlane, "RecoveryAvailable", "as `Ready`, after a timeout", "1 minute", ["its Workspace is gone"]),
  rest(
    CAPTControlPlane,
    "RollingOut",
    "the revision on its Workspace, and that which was last seen applied",
    "10 seconds",
    ["the change is applied"],
  ),
  simulated(CAPTControlPlane),
  ...ordered(CAPTControlPlane),

  rest(WorkspaceTemplateApply, "Ready", "`Ready` of its Workspace, repeated", "as that of the Workspace", [
    "its Workspace is gone",
    "no program runs its Workspace",
  ]),
  rest(WorkspaceTemplateApply, "Synced", "`Synced` of its Workspace, repeated", "as that of the Workspace", [
    "its Workspace is gone",
    "its Workspace is paused",
  ]),
  rest(WorkspaceTemplateApply, "Applied", "its Workspace, compared with the rendered template", cached, [
    "its Workspace is gone",
    "its template is gone",
  ]),
  rest(WorkspaceTemplateApply, "TemplateResolved", "the WorkspaceTemplate", cached, ["its template is gone"]),
  {
    ...rest(
      WorkspaceTemplateApply,
      "DependenciesReady",
      "the Secrets and Workspaces that it names, until its Workspace is made",
      "30 seconds",
      [],
    ),
    lasts: "they gate the first run only; the message says so after it",
  },
  simulated(WorkspaceTemplateApply),
  ...ordered(WorkspaceTemplateApply),

  rest(WorkspaceTemplate, "Valid", "its spec", written, ["its template is edited to one that cannot be rendered"]),

  rest(
    Workspace,
    "Ready",
    "the last run that went through: a plan that found nothing to do, or an apply. Where Crossplane's provider runs it, what that says",
    "10 minutes and one run; while runs fail 30 minutes more. Of Crossplane's provider nobody can tell when it last looked",
    [
      "the runs of the Workspace fail for half an hour",
      "the Workspace is paused by a person",
      "the program that ran it is not there any more",
    ],
  ),
  rest(Workspace, "Synced", "the last run; it is said of the past", "10 minutes and one run", [
    "the runs of the Workspace fail for half an hour",
    "the Workspace is paused by a person",
  ]),
  rest(Workspace, "Simulated", "the program that runs it", written, [
    "another program takes the place of the simulated one",
  ]),

  rest(CaptMachine, "Ready", "`Ready` of its Workspace, and the output `instance_id`", workspaceAge, lost),
  rest(CaptMachine, "WorkspaceReady", "`Ready` of its Workspace", workspaceAge, lost),
  rest(CaptMachine, "WorkspaceSynced", "`Synced` of its Workspace", workspaceAge, lost),
  simulated(CaptMachine),
  ...ordered(CaptMachine),
  rest(CaptMachineSet, "Ready", "`Ready` of its machines", cached, lost),
  simulated(CaptMachineSet),
  ...ordered(CaptMachineSet),
  rest(CaptMachineDeployment, "Ready", "`Ready` of the machines of its sets", cached, lost),
  rest(CaptMachineDeployment, "Progressing", "`Ready` of the machines of its sets", cached, lost),
  simulated(CaptMachineDeployment),
  ...ordered(CaptMachineDeployment),

  rest(ClusterV1beta2 as unknown as Kind, "Available", "the two conditions below", "as those", lost),
  rest(
    ClusterV1beta2 as unknown as Kind,
    "InfrastructureReady",
    "`Ready` of the CAPTCluster, repeated",
    "as that",
    lost,
  ),
  rest(
    ClusterV1beta2 as unknown as Kind,
    "ControlPlaneAvailable",
    "`Available` of the CAPTControlPlane, repeated",
    "as that",
    lost,
  ),
  {
    ...rest(
      ClusterV1beta2 as unknown as Kind,
      "ControlPlaneInitialized",
      "`status.initialized` of the CAPTControlPlane",
      "as long as it exists",
      [],
    ),
    lasts: "it tells of the past",
  },
  simulated(ClusterV1beta2 as unknown as Kind),
  ...ordered(ClusterV1beta2 as unknown as Kind),
  rest(ClusterV1beta1 as unknown as Kind, "Ready", "the two conditions below", "as those", lost),
  rest(
    ClusterV1beta1 as unknown as Kind,
    "InfrastructureReady",
    "`Ready` of the CAPTCluster, repeated",
    "as that",
    lost,
  ),
  rest(
    ClusterV1beta1 as unknown as Kind,
    "ControlPlaneReady",
    "`Ready` of the CAPTControlPlane, repeated",
    "as that",
    lost,
  ),
  {
    ...rest(
      ClusterV1beta1 as unknown as Kind,
      "ControlPlaneInitialized",
      "`status.initialized` of the CAPTControlPlane",
      "as long as it exists",
      [],
    ),
    lasts: "it tells of the past",
  },
  simulated(ClusterV1beta1 as unknown as Kind),
];

/** The page. */
export function page(): string {
  const kinds = [...new Set(observations.map(({ kind }) => kind))];
  return `${[head, ...kinds.map(tableOf)].join("\n")}`;
}

const titleOf = (kind: Kind): string => (kind.kind === "Cluster" ? `Cluster (${kind.version})` : kind.kind);

function tableOf(kind: Kind): string {
  const rows = observations
    .filter((row) => row.kind === kind)
    .map(
      ({ condition, restsOn, age, ends, lasts }) =>
        `| \`${condition}\` | ${restsOn} | ${age} | ${lasts ?? ends.join("; ")} |`,
    );
  return [
    `## ${titleOf(kind)}\n`,
    "| Condition | Rests on | How old that may be | Ends when |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

const head = `# What each condition rests on

For each condition that can be True: the observation that it rests on, how old that may be, and what ends it. What was not asked or not
answered is Unknown with the reason, or absent. A test takes each observation away and sees that the True goes.

- **Nobody looks at a cloud but the runs.** What exists is what the last run of a Workspace saw. A run looks every 10 minutes; while runs
  fail, what the last good one left is believed for 30 minutes and is Unknown with reason \`NotSeen\` from then on.
- **False** is what a Workspace says now, or what was never ready. What was ready once and cannot be looked at (a Workspace that is paused,
  gone, silent or without a program to run it; a server that does not answer for half a minute) is Unknown, and \`status.ready\` is not
  there meanwhile: READY is empty in kubectl. Ids, addresses and versions stay.
- **Fields.** \`status.ready\`, \`secretsReady\` and the counts of machines follow the conditions. \`initialized\`, \`provisioned\`, the phase
  \`Ready\` of a CAPTControlPlane and the phase \`Provisioned\` of a Cluster tell that it could be used once, as their contract has it.
- **What is taken from the spec.** \`status.version\` of a CAPTControlPlane is the output \`cluster_version\`; without one it is what was asked
  of the last run that went through. \`status.vpcId\` with \`existingVpcId\` is that id. Nobody asks the control plane, or a cloud.
- **Paused objects** are not looked at: all but \`Paused\` is as it was at the time that \`Paused\` has.
- **Objects that are being deleted** say what their deletion waits for, and \`Ready\` is False. Their other conditions are as they were when it
  began.
- **Events** tell a change of a condition, and are as old as they are.
`;
